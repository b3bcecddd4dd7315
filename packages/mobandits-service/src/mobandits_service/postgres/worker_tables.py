"""The tables that only PostgreSQL has: between the workers of a service and its learner.

What workers were answered for is in the inbox, `inbox_decisions` and `inbox_rewards`, as soon as it
is committed. The learner moves it into the tables of `tables.CREATE`, in one transaction with the
event that it becomes. So a row is in one of the two, and what was acknowledged is in neither twice.
"""

WORKERS = """
CREATE TABLE learner (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    epoch bigint NOT NULL,
    host text NOT NULL,
    url text,
    since double precision NOT NULL
);

CREATE TABLE workers (
    incarnation bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    host text NOT NULL,
    process bigint NOT NULL,
    since double precision NOT NULL
);

CREATE TABLE fences (
    agent bigint PRIMARY KEY REFERENCES agents (id),
    fence bigint NOT NULL
);

CREATE TABLE published (
    agent bigint PRIMARY KEY REFERENCES agents (id),
    epoch bigint NOT NULL,
    position bigint NOT NULL,
    fence bigint NOT NULL,
    state bytea NOT NULL
);

CREATE TABLE inbox_decisions (
    id bigint PRIMARY KEY,
    agent bigint NOT NULL REFERENCES agents (id),
    arm bigint NOT NULL,
    propensity double precision,
    error double precision NOT NULL,
    front text,
    rows bigint NOT NULL,
    features bigint NOT NULL,
    context bytea NOT NULL,
    eligible text NOT NULL,
    key text,
    request text,
    active boolean NOT NULL,
    epoch bigint NOT NULL,
    position bigint NOT NULL,
    at double precision NOT NULL,
    refused text
) WITH (autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 10000);
CREATE UNIQUE INDEX inbox_decisions_by_key ON inbox_decisions (agent, key) WHERE key IS NOT NULL;

CREATE TABLE inbox_rewards (
    agent bigint NOT NULL REFERENCES agents (id),
    decision bigint NOT NULL,
    objective text NOT NULL,
    value double precision NOT NULL,
    call bigint NOT NULL,
    at double precision NOT NULL,
    late text,
    PRIMARY KEY (agent, decision, objective)
) WITH (autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 10000);
CREATE INDEX inbox_rewards_in_order ON inbox_rewards (call) WHERE late IS NULL;

CREATE TABLE applied (
    agent bigint NOT NULL REFERENCES agents (id),
    incarnation bigint NOT NULL,
    epoch bigint NOT NULL,
    n bigint NOT NULL,
    seq bigint NOT NULL,
    at double precision NOT NULL,
    PRIMARY KEY (agent, incarnation)
);
"""

# What the columns mean, where their names do not say it:
#
# learner    One row: who holds the store. `epoch` counts the processes that ever did; `url` is where
#            the learner serves on `host`, NULL where it has no workers.
# workers    One row for each start of a worker, and each time that it connected anew: it counts
#            its decisions and calls from 1 then, and their numbers are those of `support.numbering`.
# fences     A decision joins the inbox only from a state that was published behind the agent's
#            present fence. The learner sets a new one before arms come or go.
# published  What workers decide from: the agent after the event `position`.
# inbox_decisions
#            `arm`, `front` and `eligible` have numbers of arms; `epoch` and `position` are of the
#            state that it was made from. `refused` says why the learner could not take it, which is
#            no fault of its caller.
# inbox_rewards
#            The rows of one call share its number. `late` says why nothing waited.
# applied    How far the learner has come with each incarnation: the number of its last decision or
#            call, and the agent's event after that.
