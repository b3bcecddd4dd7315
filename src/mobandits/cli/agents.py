"""The commands about agents: `retune`, `reset-clock`, `monitor` and `warm`."""

from pathlib import Path
from typing import Annotated

import typer

from mobandits.cli import completion, console


def retune_agent(
    store: Annotated[Path, typer.Argument(help="The log of an agent, a store.")],
    policy: Annotated[
        str | None,
        typer.Option(
            "--policy",
            autocompletion=completion.policies,
            help="The new recipe, such as mol-ucb:scale=0.3.",
        ),
    ] = None,
    pending: Annotated[
        int | None, typer.Option(min=1, help="Maximum number of decisions waiting for rewards.")
    ] = None,
    max_age: Annotated[
        float | None, typer.Option(help="Seconds after which a waiting decision is dropped.")
    ] = None,
    propensity: Annotated[str | None, typer.Option(help="exact, sampled or none.")] = None,
    agent: Annotated[str, typer.Option(help="The agent, if the store has several.")] = "agent",
) -> None:
    """Give the agent of a store another recipe or other limits. No process may use the store."""
    from mobandits.agent.inputs import UNCHANGED  # noqa: PLC0415
    from mobandits.agent.replaying import opened  # noqa: PLC0415
    from mobandits.agent.retuning import retune  # noqa: PLC0415
    from mobandits.spec import recipe_named  # noqa: PLC0415
    from mobandits.support.naming import short_repr  # noqa: PLC0415

    with console.parameters():
        recipe = None if policy is None else recipe_named(policy)
        core = opened(store, agent)
        writer = core.writer
        assert writer is not None  # noqa: S101 - it was opened from its log
        try:
            age = UNCHANGED if max_age is None else max_age
            retune(core, recipe, pending, age, propensity)
        finally:
            writer.close(core)

    typer.echo(f"{store}: {short_repr(core.recipe)}")


def reset_clock_of(
    store: Annotated[Path, typer.Argument(help="The log of an agent, a store.")],
    agent: Annotated[str, typer.Option(help="The agent, if the store has several.")] = "agent",
) -> None:
    """Let an agent's time go on after a clock that was ahead. No process may use the store."""
    from mobandits.agent.clock import reset_clock  # noqa: PLC0415
    from mobandits.agent.replaying import opened  # noqa: PLC0415

    with console.parameters():
        core = opened(store, agent)
        writer = core.writer
        assert writer is not None  # noqa: S101 - it was opened from its log
        try:
            ahead = reset_clock(core)
        finally:
            writer.close(core)

    typer.echo(f"{store}: the clock of agent {agent} was {ahead:.0f} seconds ahead")


def monitor_agent(
    store: Annotated[
        str,
        typer.Argument(
            help="An agent's log, which is only read: a file, or postgresql://...",
        ),
    ],
    out: Annotated[Path, typer.Option("--out", help="The folder to write.")],
    window: Annotated[
        int | None,
        typer.Option(min=2, help="Decisions per window. Default: up to 40 windows."),
    ] = None,
    window_by: Annotated[
        str | None,
        typer.Option(
            help="Windows of a day or an hour (UTC) instead of a number of decisions.",
            autocompletion=completion.one_of("day", "hour"),
        ),
    ] = None,
    calibration: Annotated[
        bool,
        typer.Option(
            "--calibration/--no-calibration",
            help="Replay the log to compare predictions with observed rewards.",
        ),
    ] = True,
    agent: Annotated[str | None, typer.Option(help="The agent, if the store has several.")] = None,
) -> None:
    """Write a page about an agent's history: arms, rewards, drift, calibration, waiting decisions."""
    from mobandits.monitoring import write_page  # noqa: PLC0415
    from mobandits.support.files import locked  # noqa: PLC0415

    if window_by is not None:
        console.check_choice("--window-by", window_by, ["day", "hour"])

    with console.parameters():
        page = write_page(
            store,
            out,
            window=window,
            window_by=window_by,
            calibration=calibration,
            agent=agent,
            hold=locked,
        )

    typer.echo(page)


def warm(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[POLICY]...",
            help="Default: all.",
            autocompletion=completion.policies,
        ),
    ] = None,
    agents: Annotated[
        bool, typer.Option("--agents", help="What an agent calls, instead of simulations.")
    ] = False,
    orders: Annotated[
        list[str] | None,
        typer.Option(
            "--order",
            autocompletion=completion.orders,
            help="With --agents, a preference that may be set, such as lexicographic; repeat for "
            "more. By default, all of the built-in orders.",
        ),
    ] = None,
) -> None:
    """Compile built-in policies and keep them compiled, so that later runs start at once.

    With --agents, also for every preference that may be set: many combinations, so name policies
    and orders.

    For images and CI: run it once while an image is built, with NUMBA_CACHE_DIR set to a folder
    inside the image.
    """
    from mobandits.precompile import precompile_agent, precompile_simulation  # noqa: PLC0415
    from mobandits.spec import catalogue  # noqa: PLC0415

    policies = catalogue("policies")
    preferences = catalogue("orders")
    for name in names or ():
        console.check_choice("POLICY", name, list(policies))

    for order in orders or ():
        console.check_choice("--order", order, list(preferences))

    if orders and not agents:
        raise typer.BadParameter(
            "--order must come with --agents: simulations play the orders of their policies"
        )

    # On stderr, as all progress: stdout is for what a command makes.
    for name in sorted(names or policies):
        recipe = policies[name]
        outcome = precompile_agent(recipe) if agents else precompile_simulation(recipe)
        typer.echo(f"{name}: {outcome}", err=True)
        if not agents or outcome != "compiled":
            continue

        for order in sorted(orders or preferences):
            outcome = precompile_agent(recipe, preferences[order])
            # Nothing is to be told of a policy that takes no preference.
            if outcome:
                typer.echo(f"{name}, {order}: {outcome}", err=True)
