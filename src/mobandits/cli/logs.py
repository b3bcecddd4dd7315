"""The commands that read logs: `evaluate`, `tune`, `identify`, `export`, `backup` and `check`."""

from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from mobandits.cli import completion, console
from mobandits.cli.options import AgentName, Folder, Seed
from mobandits.support.guests import required_contribution

DATES = ["%Y-%m-%d", "%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S"]
FORMATS = ("parquet", "dsjson", "csv")
# Logs of gateways: names of `mobandits.logs.gateways.FORMATS`, which takes long to load.
GATEWAYS = ("litellm", "opentelemetry", "semantic-router")
PROPENSITIES = ("logged", "estimated")  # likewise, of `mobandits.evaluation.comparison`
TARGETS = ("uniform", "logging", "arm:NAME", "agent:FILE", "column:NAME")  # learn nothing
GatewayFormat = Annotated[
    str | None,
    typer.Option(
        "--format",
        autocompletion=completion.one_of(*GATEWAYS),
        help=f"Read the log of a gateway: {', '.join(GATEWAYS)}.",
    ),
]
Ratings = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE", help="With --format: scores by request_id, a .csv file or JSON lines."
    ),
]

Chunk = Annotated[
    int | None,
    typer.Option(
        min=0,
        metavar="ROUNDS",
        help="Read the log in pieces, with the same answers; 0: whole. Default: whole, unless its "
        "file is larger than a quarter of the memory.",
    ),
]


def evaluate_policies(
    log: Annotated[
        str,
        typer.Argument(
            metavar="LOG",
            help="Logged decisions, with their propensities or without: a file, or postgresql://...",
        ),
    ],
    policies: Annotated[
        list[str],
        typer.Option(
            "--policy",
            autocompletion=completion.targets,
            help="uniform, logging, arm:NAME, agent:FILE (a saved agent as it is), column:NAME "
            "(probabilities in a Parquet table), or such as mol-ucb:scale=0.3. An order with parameters: "
            "'mol-ucb:order={name=\"weighted\",weights=[0.2,0.8]}'. NAME=SPEC gives it a name in "
            "tables and figures. Repeat for more.",
        ),
    ],
    out: Folder,
    columns: Annotated[
        list[str],
        typer.Option(
            "--column",
            help="For a .csv file, Parquet tables of your own, or a log with --format: arm=, rewards=, "
            "context=, propensity=, minimise=. "
            "context=age,city:category,prompt:text encodes columns of several kinds.",
        ),
    ] = [],  # noqa: B006 - the parser copies it
    objectives: Annotated[
        list[str],
        typer.Option(
            "--objective",
            help="Describe an objective of a log that does not describe its own, such as a .csv file: "
            "'cost:minimise=true,unit=USD,low=0,high=0.02'. Repeat for more.",
        ),
    ] = [],  # noqa: B006 - the parser copies it
    log_format: GatewayFormat = None,
    ratings: Ratings = None,
    agent: AgentName = None,
    chunk: Chunk = None,
    estimators: Annotated[
        list[str],
        typer.Option(
            "--estimator",
            autocompletion=completion.one_of("ips", "snips", "dr", "dm", "switch-dr", "replay"),
            help="ips, snips, dr, dm, switch-dr or replay. Repeat for more.",
        ),
    ] = ["ips", "snips", "dr"],  # noqa: B006 - the parser copies it
    level: Annotated[float, typer.Option(help="Confidence level of the joint regions.")] = 0.95,
    folds: Annotated[
        int,
        typer.Option(
            min=2,
            help="Number of cross-fitting folds: a policy is never evaluated on rounds it learned from.",
        ),
    ] = 5,
    clip: Annotated[
        float | None,
        typer.Option(help="Clip importance weights at this value. Default: no clipping."),
    ] = None,
    seed: Seed = 0,
    deploy: Annotated[
        str | None,
        typer.Option(
            help="Name of a policy: create an agent that has learned the log, in the store "
            "agent.db of the folder."
        ),
    ] = None,
    propensities: Annotated[
        str,
        typer.Option(
            autocompletion=completion.one_of(*PROPENSITIES),
            help="logged, or estimated: fit them to the contexts of a log without any, and say how "
            "wrong they may be before the answer changes.",
        ),
    ] = "logged",
    any_time: Annotated[
        bool,
        typer.Option(
            "--any-time",
            help="Decide whether to promote each policy over the logging policy, stop or wait. "
            "Repeat it on the growing log as often as you like. Objectives need ranges.",
        ),
    ] = False,
    margins: Annotated[
        list[str],
        typer.Option(
            "--margin",
            help="With --any-time, a loss that does not matter: cost=0.001. Repeat for more.",
        ),
    ] = [],  # noqa: B006 - the parser copies it
    largest_weight: Annotated[
        float | None,
        typer.Option(
            help="With --any-time: 1 over the least propensity that the logging policy may have. "
            "Finds gains in fewer rounds.",
        ),
    ] = None,
    maps: Annotated[
        list[str],
        typer.Option(
            "--map",
            help="A kind of feature maps: what it gains over linear rewards on held-out rounds. "
            "crosses, bins, clusters, fourier, net or trees. Repeat for more.",
        ),
    ] = [],  # noqa: B006 - the parser copies it
) -> None:
    """Estimate the values of policies from a log, with confidence regions and a page."""
    from mobandits.evaluation.command import PIECES, AnyTime, evaluate_file  # noqa: PLC0415
    from mobandits.evaluation.command_arguments import (  # noqa: PLC0415
        CommandLog,
        is_plain,
        named_specs,
        numbers_named,
    )
    from mobandits.features.fitting import KINDS  # noqa: PLC0415
    from mobandits.features.log_gains import gains_by_map  # noqa: PLC0415
    from mobandits.logs import Feedback  # noqa: PLC0415
    from mobandits.spec import catalogue, objective_named, recipe_named  # noqa: PLC0415
    from mobandits.support.files import locked  # noqa: PLC0415

    with console.parameters():
        specs = named_specs(policies)
        described = [objective_named(text) for text in objectives]
        margin = numbers_named("--margin", margins) or {}

    if not any_time and (margin or largest_weight is not None):
        raise typer.BadParameter("--margin and --largest-weight must go with --any-time")

    # Names first, since to read a log may take minutes.
    for spec in specs.values():
        kind = spec.partition(":")[0]
        kind = next((each for each in TARGETS if each.startswith(f"{kind}:")), kind)
        console.check_choice("--policy", kind, [*TARGETS, *catalogue("policies")])

    given = CommandLog(log, columns, described, agent, log_format, ratings, chunk)
    for map_kind in maps:
        console.check_choice("--map", map_kind, list(KINDS))

    map_kinds: Any = maps  # which are kinds, now that they are checked

    def feature_gains(feedback: Any) -> Any:
        if not isinstance(feedback, Feedback):
            if map_kinds:
                raise ValueError(f"--map must have the log in memory, {PIECES}")
            return {}

        # The maps of the policies are measured unasked: whoever evaluates one should know whether
        # it is worth its rounds.
        recipes = [recipe_named(spec) for spec in specs.values() if not is_plain(spec)]
        return gains_by_map(feedback, map_kinds, recipes, folds=folds, seed=seed)

    with console.progress_of("evaluate", "policies") as progress, console.parameters():
        page = evaluate_file(
            given,
            out,
            specs,
            recipe_named,
            estimators=estimators,
            level=level,
            folds=folds,
            clip=clip,
            seed=seed,
            deploy=deploy,
            any_time=AnyTime(margin, largest_weight) if any_time else None,
            propensities=propensities,  # type: ignore[arg-type]
            feature_gains=feature_gains,
            hold=locked,
            say=typer.echo,
            progress=progress,
        )

    typer.echo(page)


def tune_policies(
    log: Annotated[
        str,
        typer.Argument(
            metavar="LOG",
            help="Logged decisions with their propensities, in the order of time: a file, or "
            "postgresql://...",
        ),
    ],
    policies: Annotated[
        list[str],
        typer.Option(
            "--policy",
            autocompletion=completion.targets,
            help="The first is the one to beat. As in evaluate; repeat for more. With a budget: "
            "what learns, by default mol-eps-greedy:epsilon=0,penalty=10,intercept=30 in drift-alarm, on waves "
            "if the log is not linear.",
        ),
    ] = [],  # noqa: B006 - the parser copies it
    budgets: Annotated[
        list[str],
        typer.Option(
            "--budget",
            help="OBJECTIVE=NUMBER, the cost allowed per decision: find a policy that keeps "
            "it. Repeat for more.",
        ),
    ] = [],  # noqa: B006 - the parser copies it
    within: Annotated[
        float | None,
        typer.Option(
            help="Instead of a budget: find the cheapest policy whose quality is at most this much below "
            "the best.",
        ),
    ] = None,
    horizon: Annotated[
        int | None, typer.Option(min=1, help="With a budget: the number of decisions it covers.")
    ] = None,
    fallback: Annotated[
        str | None,
        typer.Option(
            autocompletion=completion.one_of("mixture"),
            help="With a budget: mixture plays the best mixture of arms if the log shows no gain.",
        ),
    ] = None,
    write: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="With a budget: write a service's .toml file with its evidence, and next to it "
            "the store of an agent that has learned the log.",
        ),
    ] = None,
    weights: Annotated[
        list[str],
        typer.Option(
            "--weight",
            help="OBJECTIVE=NUMBER, in the sum that decides; repeat for more. Without any, several "
            "objectives are compared by the Pareto order.",
        ),
    ] = [],  # noqa: B006 - the parser copies it
    margin: Annotated[
        float,
        typer.Option(min=0.0, help="Without --weight: a loss smaller than this does not matter."),
    ] = 0.0,
    columns: Annotated[
        list[str], typer.Option("--column", help="For a .csv file, as in evaluate.")
    ] = [],  # noqa: B006 - the parser copies it
    objectives: Annotated[
        list[str], typer.Option("--objective", help="For a .csv file, as in evaluate.")
    ] = [],  # noqa: B006 - the parser copies it
    log_format: GatewayFormat = None,
    ratings: Ratings = None,
    agent: AgentName = None,
    level: Annotated[
        float | None,
        typer.Option(help="Confidence level of the claim. Default: 0.95, with a budget 0.8."),
    ] = None,
    blocks: Annotated[
        int,
        typer.Option(
            min=2,
            help="Number of parts of the log; each part is evaluated by a policy that learned the parts before it.",
        ),
    ] = 5,
    chunk: Chunk = None,
    seed: Seed = 0,
) -> None:
    """Find a policy that is significantly better than the first on a log, or one for a budget."""
    from mobandits.evaluation.command import tune_file  # noqa: PLC0415
    from mobandits.evaluation.command_arguments import CommandLog  # noqa: PLC0415
    from mobandits.spec import objective_named, recipe_named  # noqa: PLC0415

    with console.parameters():
        described = [objective_named(text) for text in objectives]

    given = CommandLog(log, columns, described, agent, log_format, ratings, chunk)
    options: Any = {"weights": weights, "level": level, "blocks": blocks, "seed": seed}
    for_budgets = {"--horizon": horizon, "--fallback": fallback, "--write": write}
    has_budget = bool(budgets) or within is not None
    if has_budget:
        if margin:
            raise typer.BadParameter("--margin must be left out with a budget")

        options |= {"budgets": budgets, "within": within}
        options |= {"horizon": horizon, "fallback": fallback}
    else:
        for name, value in for_budgets.items():
            if value is not None:
                raise typer.BadParameter(f"{name} must go with --budget or --within, got {value}")

        if not policies:
            raise typer.BadParameter("--policy or --budget must be given")

        options["margin"] = margin

    with console.parameters():
        if write is not None:
            # The module that writes the file of a service.
            user = "mobandits tune --write"
            writer = required_contribution("mobandits.tuned_files", user, "service")
            writer.check_tuned_file(write)
        with console.progress_of("tune", "steps" if has_budget else "candidates") as progress:
            found = tune_file(given, policies, recipe_named, **options, progress=progress)

        for line in found.lines():
            typer.echo(line)
        if write is not None:
            typer.echo(writer.write_tuned(write, found))


def identify_arms(
    log: Annotated[
        str,
        typer.Argument(
            metavar="LOG",
            help="Arms and their rewards, in the order of time or not: a file, or postgresql://... "
            "Without --column, a .csv file has a column arm, and all others are objectives.",
        ),
    ],
    delta: Annotated[float, typer.Option(help="Probability of a mistake, at most.")] = 0.05,
    epsilon: Annotated[
        float,
        typer.Option(
            help="Tolerance, as a share of each objective's range: arms that are dominated by less "
            "count as inside.",
        ),
    ] = 0.0,
    sigmas: Annotated[
        list[str],
        typer.Option(
            "--sigma",
            help="OBJECTIVE=NUMBER, the standard deviation of Gaussian rewards, in place of a range. "
            "Repeat for more.",
        ),
    ] = [],  # noqa: B006 - the parser copies it
    columns: Annotated[
        list[str],
        typer.Option("--column", help="For a .csv file: arm=, rewards=, minimise=."),
    ] = [],  # noqa: B006 - the parser copies it
    objectives: Annotated[
        list[str],
        typer.Option(
            "--objective",
            help="For a .csv file, as in evaluate. Rewards without a range must lie in [0, 1].",
        ),
    ] = [],  # noqa: B006 - the parser copies it
    agent: AgentName = None,
) -> None:
    """Say which arms are on the Pareto front and which can be dropped, with a guarantee."""
    from mobandits.evaluation.command_arguments import CommandLog, numbers_named  # noqa: PLC0415
    from mobandits.identification import identify  # noqa: PLC0415
    from mobandits.logs.csv import names_of_columns  # noqa: PLC0415
    from mobandits.spec import objective_named  # noqa: PLC0415

    with console.parameters():
        described = [objective_named(text) for text in objectives]
        scales = numbers_named("--sigma", sigmas)
        given = CommandLog(log, columns, described, agent)
        if given.is_table and not columns:
            rewards = [name for name in names_of_columns(log) if name != "arm"]
            columns = ["arm=arm", f"rewards={','.join(rewards)}"]
            given = CommandLog(log, columns, described)

        found = identify(None, given.read(), delta, epsilon, sigma=scales)

    for line in found.lines():
        typer.echo(line)


def export_decisions(
    store: Annotated[
        str,
        typer.Argument(help="An agent's log: a file, or postgresql://..."),
    ],
    out: Annotated[Path, typer.Option("--out", help="The file to write; it must not exist.")],
    file_format: Annotated[
        str,
        typer.Option(
            "--format",
            autocompletion=completion.one_of(*FORMATS),
            help="parquet, dsjson or csv.",
        ),
    ] = "parquet",
    before: Annotated[
        datetime | None,
        typer.Option(help="Only decisions before this date or time (UTC).", formats=DATES),
    ] = None,
    delete: Annotated[
        bool,
        typer.Option(
            "--delete",
            help="Delete exported decisions from the store, except those still waiting for rewards.",
        ),
    ] = False,
    agent: AgentName = None,
    objective: Annotated[
        str | None,
        typer.Option(help="With dsjson: the objective whose negated reward is the cost."),
    ] = None,
) -> None:
    """Write logged decisions with their rewards as Parquet, dsjson or CSV, and shorten the log."""
    from mobandits.logs import export  # noqa: PLC0415

    console.check_choice("--format", file_format, FORMATS)
    with console.parameters():
        count = export(
            store,
            out,
            file_format,  # type: ignore[arg-type]
            before,
            delete,
            agent=agent,
            objective=objective,
        )
    typer.echo(f"{out}: {count} decisions{', deleted from ' + store if delete else ''}")


def back_up_store(
    store: Annotated[Path, typer.Argument(help="The file of an agent's or a service's log.")],
    out: Annotated[
        Path, typer.Argument(metavar="FILE", help="The file to write; it must not exist.")
    ],
) -> None:
    """Copy a store to a new file and check both, even while it is being written."""
    from mobandits.logs import backup  # noqa: PLC0415

    count = backup(store, out)
    typer.echo(f"{out}: {count} decisions")


def check_store(
    store: Annotated[str, typer.Argument(help="The file of an agent's or a service's log.")],
    salvage: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write the undamaged part to this new store, which must not exist.",
        ),
    ] = None,
) -> None:
    """Say whether a store is as it was written, and what of it can be saved.

    It ends with status 0 where all is whole, 1 where something is damaged, 2 where the file cannot
    be read as a store. The file is only read, also while an agent writes it.
    """
    from mobandits.agent.loading import checked_snapshot  # noqa: PLC0415
    from mobandits.logs.store.checking import check, lines_of  # noqa: PLC0415
    from mobandits.logs.store.salvaging import salvage as salvaged  # noqa: PLC0415

    found = check(store, checked_snapshot)
    for line in lines_of(found, store):
        typer.echo(line)

    if salvage is not None:
        for saved in salvaged(store, salvage, checked_snapshot):
            typer.echo(f"{salvage}: {saved.in_words()}")

    if found.all_faults:
        raise typer.Exit(1)
