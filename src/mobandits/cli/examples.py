"""The examples at the end of every command's help; tests run them."""

COLUMNS = "--column arm=item --column rewards=click --column context=age --column propensity=p"

EXAMPLES: dict[str, tuple[str, ...]] = {
    "demo": ("mobandits demo --out runs/demo --quick",),
    "list": ("mobandits list policies", "mobandits list experiments"),
    "run": (
        "mobandits run examples/linear.toml --out runs/linear",
        "mobandits run examples/linear.toml --out runs/linear --trials 10",
    ),
    "reproduce": (
        "mobandits reproduce molts2025/fig2 --out runs/fig2",
        "mobandits reproduce moslb2024/fig4 --out runs/small --rounds 300 --trials 2",
    ),
    "report": ("mobandits report runs/linear", "mobandits report runs/linear --latex --csv --pdf"),
    "cite": ("mobandits cite mol-ucb linear", "mobandits cite runs/linear"),
    "check-theorems": ("mobandits check-theorems mocmab2018 --out runs/theorems --runs 20",),
    "evaluate": (
        "mobandits evaluate agent.db --policy uniform --policy arm:b --out runs/values",
        "mobandits evaluate agent.db --policy new=mol-ucb --deploy new --out runs/new",
        f"mobandits evaluate log.csv {COLUMNS} --policy mol-ucb --out runs/log",
    ),
    "tune": (
        "mobandits tune agent.db --policy mol-ucb:scale=0.1 --policy mol-ucb:scale=1.0",
        "mobandits tune paid.db --budget cost=0.4 --write routed.toml",
        "mobandits tune paid.db --within 0.1",
    ),
    "retune": ("mobandits retune agent.db --policy mol-ucb:scale=0.3",),
    "reset-clock": ("mobandits reset-clock agent.db",),
    "export": (
        "mobandits export agent.db --out decisions.parquet",
        "mobandits export agent.db --out january.csv --format csv --before 2026-02-01",
    ),
    "backup": ("mobandits backup agent.db agent-copy.db",),
    "check": (
        "mobandits check agent.db",
        "mobandits check agent.db --salvage saved.db",
    ),
    "monitor": ("mobandits monitor agent.db --out runs/monitor --window 50",),
    "serve": (
        "mobandits serve router.toml --check",
        "mobandits serve router.toml --port 8080",
        "mobandits serve --demo",
    ),
    "warm": (
        "mobandits warm mol-ucb mol-ts",
        "mobandits warm --agents mol-ucb --order lexicographic",
    ),
}


def examples_of(name: str) -> str:
    """The end of a command's help.

    Example:
        >>> examples_of("backup").splitlines()[-1]
        '$ mobandits backup agent.db agent-copy.db'
    """
    # The parser joins lines that no empty one divides.
    lines = [f"$ {example}" for example in EXAMPLES[name]]
    return "\n\n".join(["Examples:", *lines])
