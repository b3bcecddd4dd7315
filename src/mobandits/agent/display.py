"""Display of an agent in a console and in a notebook.

Neither waits for the agent's lock: it may be shown while another thread learns, and in the child of
a fork, where calls are refused. Each number is read once, so at worst two of them are of
neighbouring moments.
"""

from typing import Any

from mobandits.agent.core import AgentCore
from mobandits.orders.order import in_words
from mobandits.support.naming import quantity, quoted, short_repr
from mobandits.support.notebooks import MOST_ROWS, NOTHING, block, facts, html_table, listed

OBJECTIVE_COLUMNS = ("objective", "better", "unit", "low", "high", "default", "after")


def agent_text(core: AgentCore) -> str:
    """One line: recipe, sizes, and how much was learned."""
    counts = [
        quantity(len(core.arms.names), "arm"),
        quantity(core.features, "feature"),
        quantity(len(core.objectives), "objective"),
        f"{core.lessons:,} learned",
        f"{len(core.pending.open):,} waiting",
    ]
    unseen = sum(core.contexts.unseen.values())
    if unseen:
        counts.append(f"{quantity(unseen, 'value')} unseen")

    return f"Agent({_recipe_text(core)}, {', '.join(counts)})"


def agent_html(core: AgentCore) -> str:
    """A table of what the agent is and where it stands, and one of its objectives."""
    pending = core.pending
    dropped = pending.dropped
    horizon = "none" if core.rounds is None else core.rounds
    pairs = [
        ("recipe", _recipe_text(core)),
        ("preference", _preference_text(core)),
        ("arms", listed(core.arms.names)),
        ("context", _context_text(core)),
        *_encoder_facts(core),
        ("horizon", horizon),
        ("propensity", core.propensity),
        ("decisions", pending.made),
        ("learned", core.lessons),
        ("waiting", len(pending.open)),
        ("dropped", f"{dropped['age']:,} for their age, {dropped['limit']:,} over the limit"),
        ("log", "no" if core.writer is None else "yes"),
        # No thousands: a seed is a name, not an amount.
        ("seed", str(core.seed)),
    ]
    rows: list[tuple[Any, ...]] = []
    for each in core.objectives[:MOST_ROWS]:
        better = "less" if each.minimise else "more"
        unit = each.unit or NOTHING
        rows.append((each.name, better, unit, each.low, each.high, each.default, each.after))

    objectives = html_table(OBJECTIVE_COLUMNS, rows, total=len(core.objectives), noun="objective")
    return block(agent_text(core), facts(pairs), objectives)


def _encoder_facts(core: AgentCore) -> list[tuple[str, Any]]:
    """The encoder, and what its fit has not seen, where there is one."""
    if core.encoder is None:
        return []

    pairs = core.contexts.unseen.items()
    counts = [f"{column}: {count:,} {word}" for (column, word), count in pairs]
    unseen = ", ".join(counts) or "nothing"

    return [
        ("encoder", repr(core.encoder)),
        ("unseen", unseen),
    ]


def _recipe_text(core: AgentCore) -> str:
    """The recipe with what differs from its defaults, also where it has no text of its own."""
    try:
        return short_repr(core.recipe)
    except Exception:  # noqa: BLE001 - recipes of others may raise anything
        return quoted(core.recipe)


def _preference_text(core: AgentCore) -> str:
    """The order in words.

    Before the first context nothing was bound for good: to bind only for this could take long.
    """
    bound = core.bound
    if bound.order is None and not bound.stage:
        return "the recipe's"

    order = bound.preference()
    if order is None:
        return "none"

    titles = [str(name) for name in core.objective_names]
    return in_words(order, titles)


def _context_text(core: AgentCore) -> str:
    if not core.features:
        return "none"

    features = quantity(core.features, "feature")
    shared = core.contexts.shared
    if shared is None:
        return features

    return f"{features}, one row for all arms" if shared else f"{features} per arm"
