"""The commands about agents: those that change one, `monitor` and `warm`."""

import contextlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mobandits.cli import completion, console
from mobandits.cli.options import AgentName, Folder
from mobandits.support.naming import wrong_value

if TYPE_CHECKING:
    from mobandits.agent.core import AgentCore

AgentOf = Annotated[str, typer.Option(help="The agent, if the store has several.")]
Store = Annotated[Path, typer.Argument(help="The log of an agent, a store.")]


@contextlib.contextmanager
def opened_agent(store: Path, agent: str) -> Iterator["AgentCore"]:
    """The agent of a store, which is closed after what is done with it."""
    from mobandits.agent.replaying import opened  # noqa: PLC0415

    with console.parameters():
        core = opened(store, agent)
        writer = core.writer
        assert writer is not None  # noqa: S101 - it was opened from its log
        try:
            yield core
        finally:
            writer.close(core)


def retune_agent(
    store: Store,
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
    objectives: Annotated[
        list[str] | None,
        typer.Option(
            "--objective",
            help="An objective that the agent has from now on, such as "
            "cost:minimise=true,low=0,high=0.1; repeat for each. Default: as they are.",
        ),
    ] = None,
    agent: AgentOf = "agent",
) -> None:
    """Give the agent of a store another recipe, other objectives or limits.

    No process may use the store.
    """
    from mobandits.agent.inputs import UNCHANGED  # noqa: PLC0415
    from mobandits.agent.retuning import retune  # noqa: PLC0415
    from mobandits.spec import objective_named, recipe_named  # noqa: PLC0415
    from mobandits.support.naming import short_repr  # noqa: PLC0415

    with console.parameters():
        recipe = None if policy is None else recipe_named(policy)
        described = [objective_named(each) for each in objectives or ()]

    with opened_agent(store, agent) as core:
        age = UNCHANGED if max_age is None else max_age
        retune(core, recipe, pending, age, propensity, described or None)

    typer.echo(f"{store}: {short_repr(core.recipe)}")


def correct_reward(
    store: Store,
    decision: Annotated[int, typer.Argument(help="The id of the decision.")],
    rewards: Annotated[
        list[str],
        typer.Option("--reward", help="The right reward, such as cost=0.02; repeat for more."),
    ],
    agent: AgentOf = "agent",
) -> None:
    """Correct rewards of a decision: the agent learns its log again. No process may use the store."""
    from mobandits.agent.correcting import correct  # noqa: PLC0415

    with opened_agent(store, agent) as core:
        right = {}
        for each in rewards:
            name, _, value = each.rpartition("=")
            try:
                right[_named(name, core.objective_names)] = float(value)
            except ValueError:
                raise wrong_value(
                    "--reward must be an objective and a number, such as cost=0.02", each
                ) from None

        correct(core, decision, right)

    typer.echo(f"{store}: decision {decision} has {', '.join(rewards)}")


def rename_arm_of(
    store: Store,
    arm: Annotated[str, typer.Argument(help="Its name until now.")],
    to: Annotated[str, typer.Argument(help="Its name from now on.")],
    agent: AgentOf = "agent",
) -> None:
    """Give an arm another name. No process may use the store."""
    with opened_agent(store, agent) as core:
        core.rename_arm(_named(arm, core.arms.names), to)

    typer.echo(f"{store}: arm {arm} is called {to}")


def _named(text: str, names: Iterable[Any]) -> Any:
    """The name that a command line writes so; names may be numbers."""
    return {str(name): name for name in names}.get(text, text)


def reset_clock_of(store: Store, agent: AgentOf = "agent") -> None:
    """Let an agent's time go on after a clock that was ahead. No process may use the store."""
    from mobandits.agent.clock import reset_clock  # noqa: PLC0415

    with opened_agent(store, agent) as core:
        ahead = reset_clock(core)

    typer.echo(f"{store}: the clock of agent {agent} was {ahead:.0f} seconds ahead")


def monitor_agent(
    store: Annotated[
        str,
        typer.Argument(
            help="An agent's log, which is only read: a file, or postgresql://...",
        ),
    ],
    out: Folder,
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
    agent: AgentName = None,
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
