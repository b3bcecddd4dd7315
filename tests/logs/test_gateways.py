"""Logs of gateways: a seeded sample per format, read by the library and by the public command."""

import csv
import json
from datetime import UTC, datetime
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mobandits.cli import logs as commands
from mobandits.cli import program as cli
from mobandits.errors import LogError, LogWarning
from mobandits.logs import read
from mobandits.logs.gateways import FORMATS

START = 1_767_225_600  # 2026-01-01 in UTC
CALLS = 60


def calls(count=CALLS):
    """Calls as any gateway would have made them, in the order of time."""
    rng = np.random.default_rng(0)
    made = []
    for number in range(count):
        tokens = int(rng.lognormal(5.0, 1.0))
        model, price = [("small", 1.5e-7), ("large", 2.5e-6)][int(rng.integers(2))]
        made.append(
            SimpleNamespace(
                request=f"r{number}",
                model=model,
                tokens=tokens,
                cost=tokens * price,
                start=START + 60 * number,
                milliseconds=int(rng.integers(200, 3000)),
                rating=round(float(rng.random()), 3),
                category=str(rng.choice(["code", "math"])),
            )
        )

    return made


def moment(seconds):
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")


def litellm_row(call):
    return {
        "request_id": call.request,
        "call_type": "acompletion",
        "spend": call.cost,
        "prompt_tokens": call.tokens,
        "completion_tokens": 20,
        "startTime": moment(call.start),
        "endTime": moment(call.start + call.milliseconds / 1000),
        "model": call.model,
        "model_group": "auto",
        "cache_hit": "False",
        "metadata": {"spend_logs_metadata": {"rating": call.rating, "category": call.category}},
        "request_tags": ["a"],
        "status": "success",
    }


def span_attributes(call):
    return {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "auto",
        "gen_ai.response.model": call.model,
        "gen_ai.response.id": call.request,
        "gen_ai.usage.input_tokens": call.tokens,
        "gen_ai.usage.cost": call.cost,
        "app.category": call.category,
        "app.rating": call.rating,
    }


def otlp_value(value):
    if isinstance(value, str):
        return {"stringValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}  # as JSON of protobuf writes 64 bits

    return {"doubleValue": value}


def otlp_attributes(attributes):
    return [{"key": key, "value": otlp_value(value)} for key, value in attributes.items()]


def otlp_span(call):
    start = call.start * 1000
    return {
        "traceId": "5b8efff798038103d269b633813fc60c",
        "spanId": f"{call.start:016x}",
        "name": "chat auto",
        "kind": 3,
        "startTimeUnixNano": f"{start}000000",
        "endTimeUnixNano": f"{start + call.milliseconds}000000",
        "attributes": otlp_attributes(span_attributes(call)),
        "status": {},
    }


def otlp_line(*spans):
    scope = {"scope": {"name": "openai"}, "spans": list(spans)}
    return {"resourceSpans": [{"resource": {"attributes": []}, "scopeSpans": [scope]}]}


def sdk_span(call):
    return {
        "name": "chat auto",
        "context": {"trace_id": "0x5b8e", "span_id": f"0x{call.start:016x}", "trace_state": "[]"},
        "start_time": moment(call.start),
        "end_time": moment(call.start + call.milliseconds / 1000),
        "status": {"status_code": "UNSET"},
        "attributes": span_attributes(call),
        "events": [],
    }


def replay_record(call):
    return {
        "id": f"replay-{call.start}",
        "timestamp": moment(call.start).replace(".000+00:00", "Z"),
        "request_id": call.request,
        "turn_index": 0,
        "decision": f"{call.category}_route",
        "category": call.category,
        "original_model": "auto",
        "selected_model": call.model,
        "confidence_score": 0.9,
        "signals": {"keyword": ["x"]},
        "signal_values": {"rating": call.rating},
        "response_status": 200,
        "lifecycle_state": "completed",
        "duration_ms": call.milliseconds,
        "prompt_tokens": call.tokens,
        "completion_tokens": 20,
        "actual_cost": call.cost,
        "currency": "USD",
    }


# {format: (a record of a call, the column of its rating, the column of its category)}.
SAMPLES = {
    "litellm": (
        litellm_row,
        "metadata.spend_logs_metadata.rating",
        "metadata.spend_logs_metadata.category",
    ),
    "opentelemetry": (lambda call: otlp_line(otlp_span(call)), "app.rating", "app.category"),
    "semantic-router": (replay_record, "signal_values.rating", "category"),
}
formats = pytest.mark.parametrize("log_format", list(SAMPLES))


def write(path, records):
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


@pytest.fixture
def sample(tmp_path):
    def sample_of(log_format, made=None):
        record_of = SAMPLES[log_format][0]
        return write(tmp_path / "log.jsonl", map(record_of, made or calls()))

    return sample_of


def test_every_format_has_a_sample_and_is_offered():
    assert set(SAMPLES) == set(FORMATS) == set(commands.GATEWAYS)


@formats
def test_a_log_is_what_the_gateway_did(log_format, sample):
    made = calls()
    rating = SAMPLES[log_format][1]
    log = read(sample(log_format), format=log_format, rewards=["cost", "latency", rating])
    assert [log.arm_names[arm] for arm in log.arms] == [call.model for call in made]
    wanted = [[call.cost, call.milliseconds / 1000, call.rating] for call in made]
    # Of times since 1970 in double precision, differences have seven digits after the point.
    np.testing.assert_allclose(log.own_rewards, wanted, atol=1e-6)
    assert [each.minimise for each in log.objectives] == [True, True, False]
    assert log.times.tolist() == [call.start for call in made]
    assert np.isnan(log.propensities).all()


@formats
def test_the_context_is_known_before_the_call(log_format, sample):
    log = read(sample(log_format), format=log_format)
    tokens = np.log1p([call.tokens for call in calls()])
    column = log.contexts[:, log.encoder.names.index("log_prompt_tokens")]
    np.testing.assert_allclose(np.corrcoef(column, tokens)[0, 1], 1.0)

    chosen = f"{SAMPLES[log_format][2]}:category"
    log = read(sample(log_format), format=log_format, context=chosen)
    assert len(set(map(tuple, log.contexts))) == 2


@formats
def test_the_order_of_lines_does_not_matter(log_format, sample):
    made = calls()
    forwards = read(sample(log_format, made), format=log_format)
    backwards = read(sample(log_format, made[::-1]), format=log_format)
    assert forwards.times.tolist() == backwards.times.tolist()
    assert forwards.rewards.tolist() == backwards.rewards.tolist()


@formats
def test_ratings_of_a_second_file(log_format, sample, tmp_path):
    made = calls()
    rated = made[::2]
    ratings = tmp_path / "ratings.csv"
    rows = [f"{call.request},{call.rating}" for call in reversed(rated)]
    ratings.write_text("\n".join(["request_id,quality", *rows]) + "\n")
    log = read(sample(log_format), format=log_format, rewards=["quality"], ratings=ratings)
    assert log.rewards[::2, 0].tolist() == [call.rating for call in rated]
    assert np.isnan(log.rewards[1::2]).all()


@pytest.mark.long
@formats
def test_evaluate(log_format, sample, tmp_path):
    out = tmp_path / "out"
    path = sample(log_format)
    options = ["--format", log_format, "--estimator=dm", "--policy=arm:small", "--policy=logging"]
    assert cli.call(["evaluate", str(path), *options, "--out", str(out)]) == 0
    with (out / "values.csv").open() as file:
        values = {
            (row["policy"], row["objective"]): float(row["value"]) for row in csv.DictReader(file)
        }

    mean = np.mean([call.cost for call in calls()])
    assert values["logging", "cost"] == pytest.approx(mean, rel=0.1)
    # The small model is 17 times as cheap, whatever the prompt.
    assert values["arm:small", "cost"] < 0.5 * mean


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.just(10**400)
    | st.floats()
    | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2)
    ),
    max_leaves=4,
)


@pytest.mark.long
@formats
@given(data=st.data())
@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@pytest.mark.filterwarnings("ignore::mobandits.errors.LogWarning")
def test_any_damage_is_read_or_refused(log_format, tmp_path, data):
    records = [SAMPLES[log_format][0](call) for call in calls(4)]
    record = records[1]
    if log_format == "opentelemetry" and data.draw(st.booleans()):
        # Likewise a field of the span rather than that of its line.
        record = record["resourceSpans"][0]["scopeSpans"][0]["spans"][0]

    record[data.draw(st.sampled_from(list(record)))] = data.draw(VALUES)
    path = write(tmp_path / "log.jsonl", records)
    try:
        log = read(path, format=log_format)
    except LogError:
        return  # any other error is a fault

    assert 3 <= len(log) <= 4


def test_an_arm_must_be_in_every_call(tmp_path):
    rows = [litellm_row(call) for call in calls(3)]
    rows[1]["model_group"] = None
    with pytest.raises(
        LogError, match="must have 'model_group', the arm, in every call, got none in 1"
    ):
        read(write(tmp_path / "log.jsonl", rows), format="litellm", arm="model_group")


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (["evaluate", "--policy=uniform", "--out=out"], "--estimator dm and replay need none"),
        (["tune", "--policy=uniform"], "evaluate --estimator dm needs none"),
    ],
)
def test_weights_need_propensities(command, message, sample, capsys):
    name, *options = command
    assert cli.call([name, str(sample("litellm")), "--format=litellm", *options]) == 2
    assert message in capsys.readouterr().err


def test_unknown_formats_and_stray_ratings_are_refused(sample, capsys):
    path = str(sample("litellm"))
    evaluate = ["evaluate", path, "--policy=uniform", "--estimator=dm", "--out=out"]
    assert cli.call([*evaluate, "--format=litelm"]) == 2
    assert "did you mean litellm?" in capsys.readouterr().err
    assert cli.call([*evaluate, "--ratings=x.csv"]) == 2
    assert "--ratings must go with --format" in capsys.readouterr().err


def test_litellm_rows_as_csv_are_the_same(tmp_path):
    rows = [litellm_row(call) for call in calls()]
    lines = write(tmp_path / "log.jsonl", rows)
    table = tmp_path / "log.csv"
    with table.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        for row in rows:
            moments = {name: row[name].removesuffix("+00:00") for name in ("startTime", "endTime")}
            writer.writerow({**row, **moments, "metadata": json.dumps(row["metadata"])})

    rewards = ["cost", "latency", SAMPLES["litellm"][1]]
    one, other = (read(path, format="litellm", rewards=rewards) for path in (lines, table))
    assert one.rewards.tolist() == other.rewards.tolist()
    assert one.contexts.tolist() == other.contexts.tolist()


def test_litellm_calls_without_an_answer_are_left_out(tmp_path):
    rows = [litellm_row(call) for call in calls()]
    rows[0] |= {"status": "failure", "spend": 0.0}
    rows[1] |= {"status": None, "metadata": {"status": "failure"}}
    rows[2] |= {"cache_hit": "True"}
    rows[3] |= {"model": ""}
    path = write(tmp_path / "log.jsonl", rows)
    reasons = "4 of 60 calls were left out: 2 failed, 1 answered by a cache, 1 without a model"
    with pytest.warns(LogWarning, match=reasons):
        log = read(path, format="litellm")

    assert len(log) == CALLS - 4


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"spend": "a lot"}, "line 2: spend must be a finite number, got 'a lot'"),
        ({"spend": -1.0}, "line 2: spend must be at least 0, got -1.0"),
        ({"startTime": "noon"}, "line 2: startTime must be a date and a time"),
        ({"metadata": "{"}, "line 2: metadata must be JSON, got '{'"),
        ({"request_id": "r0"}, "must have each request_id once, got 'r0' 2 x"),
    ],
)
def test_litellm_damage_is_named(change, message, tmp_path):
    rows = [litellm_row(call) for call in calls(3)]
    rows[1] |= change
    with pytest.raises(LogError, match=message):
        read(write(tmp_path / "log.jsonl", rows), format="litellm")


def test_another_file_is_no_spend_log(tmp_path):
    with pytest.raises(
        LogError, match=r"line 1: a row of LiteLLM_SpendLogs must have a request_id"
    ):
        read(write(tmp_path / "log.jsonl", [{"a": 1}]), format="litellm")

    other = tmp_path / "text.jsonl"
    other.write_text("hello\n")
    with pytest.raises(LogError, match="line 1 must be a JSON object"):
        read(other, format="litellm")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("request_id,quality\nr0,1\nr0,1\n", "must rate a request once, got 'r0' again"),
        ("request_id,cost\nr0,1\n", "a score must not be named 'cost', as in the log"),
        ("request_id,quality\nx,1\n", "must rate a request_id of the log, got none of 1"),
        ("id,quality\nx,1\n", "must have a request_id"),
    ],
)
def test_ratings_that_do_not_fit_are_refused(text, message, sample, tmp_path):
    ratings = tmp_path / "ratings.csv"
    ratings.write_text(text)
    with pytest.raises(LogError, match=message):
        read(sample("litellm"), format="litellm", rewards=["quality"], ratings=ratings)


def flat_span(call):
    span = sdk_span(call)
    return {**span.pop("attributes"), **span}


@pytest.mark.parametrize("form", [sdk_span, flat_span])
def test_spans_of_other_forms_are_the_same(form, sample, tmp_path):
    one = read(sample("opentelemetry"), format="opentelemetry")
    other = read(write(tmp_path / "spans.jsonl", map(form, calls())), format="opentelemetry")
    np.testing.assert_allclose(one.rewards, other.rewards, atol=1e-6)
    assert one.contexts.tolist() == other.contexts.tolist()
    assert one.arm_names == other.arm_names


def test_other_spans_are_passed_over_and_failures_left_out(tmp_path):
    first, second, third, fourth = map(otlp_span, calls(4))
    http = {"spanId": "1", "name": "GET /", "attributes": otlp_attributes({"http.method": "GET"})}
    tool = {"spanId": "2", "attributes": otlp_attributes({"gen_ai.operation.name": "execute_tool"})}
    second["status"] = {"code": 2}
    third["attributes"] += otlp_attributes({"error.type": "timeout"})
    # Of conventions before the operation had a name, and tokens theirs.
    old = {"gen_ai.system": "openai", "gen_ai.request.model": "b", "gen_ai.usage.prompt_tokens": 7}
    fourth["attributes"] = otlp_attributes(old)
    path = write(
        tmp_path / "log.jsonl", [otlp_line(http, first, second), otlp_line(tool, third, fourth)]
    )
    with pytest.warns(LogWarning, match="2 of 4 calls were left out: 2 failed"):
        log = read(path, format="opentelemetry")

    assert log.arm_names == (calls(1)[0].model, "b")
    assert np.isnan(log.rewards[1, 0])  # no cost
    assert np.isfinite(log.rewards[:, 1]).all()


def test_spans_without_cost_have_latency_and_evaluations(tmp_path):
    spans = [otlp_span(call) for call in calls(3)]
    for span, score in zip(spans, (0.25, None, -1.0), strict=True):
        span["attributes"] = otlp_attributes({"gen_ai.request.model": "a"})
        if score is not None:
            found = {"gen_ai.evaluation.name": "tone", "gen_ai.evaluation.score.value": score}
            event = {"name": "gen_ai.evaluation.result", "attributes": otlp_attributes(found)}
            span["events"] = [event]

    path = write(tmp_path / "log.jsonl", [otlp_line(*spans)])
    log = read(path, format="opentelemetry")
    assert log.objective_names == ("latency",)
    assert log.contexts.shape == (3, 0)  # as of a table whose context nobody names
    scored = read(path, format="opentelemetry", rewards=["gen_ai.evaluation.tone"])
    np.testing.assert_array_equal(scored.rewards[:, 0], [0.25, np.nan, -1.0])


def test_an_answer_of_the_list_of_replays_is_the_same(sample, tmp_path):
    records = [replay_record(call) for call in calls()]
    # The router lists the newest first, some at a time.
    pages = [{"object": "list", "data": page[::-1]} for page in (records[40:], records[:40])]
    one = read(sample("semantic-router"), format="semantic-router")
    other = read(write(tmp_path / "pages.jsonl", pages), format="semantic-router")
    assert one.rewards.tolist() == other.rewards.tolist()
    assert one.contexts.tolist() == other.contexts.tolist()


def test_the_category_of_a_replay_is_part_of_the_context(sample):
    log = read(sample("semantic-router"), format="semantic-router")
    assert {"log_prompt_tokens", "category=code"} <= set(log.encoder.names)


def test_replays_without_an_answer_are_left_out(tmp_path):
    records = [replay_record(call) for call in calls(6)]
    records[0]["lifecycle_state"] = "aborted"
    records[1]["lifecycle_state"] = "in_progress"
    records[2]["response_status"] = 503
    records[3]["from_cache"] = True
    records[4]["lifecycle_state"] = "unknown"  # of a router that did not log the end
    del records[4]["actual_cost"]
    path = write(tmp_path / "log.jsonl", records)
    reasons = "1 aborted, 1 not finished, 1 failed, 1 answered by a cache"
    with pytest.warns(LogWarning, match=f"4 of 6 calls were left out: {reasons}"):
        log = read(path, format="semantic-router")

    assert np.isnan(log.rewards[:, 0]).tolist() == [True, False]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ({"id": "a"}, "line 1: a replay must have a selected_model, got 'id'"),
        ({"data": 3}, "line 1: data must be a list of records, got 3"),
    ],
)
def test_another_file_is_no_replay(line, message, tmp_path):
    with pytest.raises(LogError, match=message):
        read(write(tmp_path / "log.jsonl", [line]), format="semantic-router")
