"""Workers that decide and one learner: what is exact, what happens once, and what is refused."""

import asyncio
import contextlib
import math

import msgspec
import numpy as np
import pytest
from service_checks import check_replay
from services import CONTEXT, ROUTER, specification
from worker_bench import AGENT, contexts, on_bench

from mobandits.agent.replayed_events import replay
from mobandits.agent.saving import copied_state, encoded_state
from mobandits.agent.workers import copy_for_workers, core_of_worker, decide_apart
from mobandits.errors import LogError
from mobandits.logs import read
from mobandits.logs.arm_registry import ArmRegistry
from mobandits.logs.store.connection import reading
from mobandits.logs.store.content import log_of
from mobandits.logs.store.pages import PageWanted
from mobandits.logs.store.replay import events_between
from mobandits.support.numbering import SPAN, incarnation_of
from mobandits_client.messages import Decide, DecideBatch, RewardsOf
from mobandits_service.problems import Problem
from mobandits_service.workers import inbox

pytest_plugins = ("databases",)
pytestmark = pytest.mark.postgres


async def played(bench, rounds=40):
    """Decisions of all workers, and rewards by others; what they were answered."""
    made = []
    rng = np.random.default_rng(5)
    for n, context in enumerate(contexts(1, rounds)):
        worker = bench.workers[n % len(bench.workers)]
        key = f"kö{n}" if n % 3 else None
        decided = await worker.decide(AGENT, Decide(context=context, key=key, active=n % 7 > 0))
        made.append(decided)
        other = bench.workers[(n + 1) % len(bench.workers)]
        number = int(decided.decision)
        rewards = {"quality": rng.random()} if n % 2 else {"quality": 0.5, "cost": rng.random()}
        told = await other.reward(AGENT, number, rewards)
        assert told.missing == (["cost"] if n % 2 else [])
        if n % 5 == 4:
            await bench.take()
        if n % 10 == 9:
            await bench.publish()
    await bench.take()
    return made


def events_of(address):
    with reading(address) as connection:
        log = log_of(connection, None, str(address))
        return list(events_between(log, 0, log.agent.events))


def is_of_worker(event):
    return event.kind == "decide" and event.worker is not None


def new_core():
    return specification().agents["router"].agent().core


def of_inbox(postgres, address):
    """How many decisions and rewards are in the inbox."""
    database = str(address).rpartition("/")[2]
    return [postgres.execute(f"SELECT count(*) FROM {name}", database)[0][0] for name in TABLES]


TABLES = ("inbox_decisions", "inbox_rewards")


def test_all_is_exact_given_what_was_published(address, postgres):
    async def talk(bench):
        made = await played(bench)
        assert bench.agent.core.pending.made == 41
        return made, encoded_state(copied_state(bench.agent.core))

    made, state = on_bench(address, talk)
    numbers = [int(each.decision) for each in made]
    assert len(set(numbers)) == 40
    assert min(numbers) > SPAN
    assert {incarnation_of(number) for number in numbers} == {1, 2}
    assert of_inbox(postgres, address) == [0, 0]

    # One agent that is told the same in the order of the log is where the learner is, and at the
    # position that a decision names it is where the worker was.
    events = events_of(address)
    answers = {each.decision: each for each in made}
    arms = ArmRegistry(["small", "large"])
    positions = {event.snapshot[1] for event in events if is_of_worker(event)}
    assert len(positions) > 3
    core = new_core()
    published = {}
    for position, event in enumerate(events, 1):
        replay(core, event, arms, "the log")
        if position in positions:
            published[position] = encoded_state(copy_for_workers(core))
        if not is_of_worker(event):
            continue
        answer = answers[str(event.id)]
        copy = core_of_worker(published[event.snapshot[1]], 99, None)
        eligible, slots, rows = copy.contexts.offer(event.context[0], None)
        probabilities = copy.bound.probabilities(rows, slots, np.random.default_rng(0))
        place = eligible.index(answer.arm)
        assert answer.propensity == event.propensity == probabilities[place]
        again = decide_apart(copy, event.context[0], None)
        assert sorted(again.front) == sorted(answer.front)
        assert event.worker == incarnation_of(event.id)

    check_same_but_position(encoded_state(copied_state(core)), state)
    check_replay(address, postgres)


def check_same_but_position(one, other):
    """Two states that differ only in how many events of a log they know, and when they were made."""
    from mobandits.agent.file_layout import parsed_file  # noqa: PLC0415

    header, arrays = parsed_file(one)
    other_header, other_arrays = parsed_file(other)
    changed = {"logged": header.logged, "now": header.now}
    assert header == msgspec.structs.replace(other_header, **changed)
    for array, other_array in zip(arrays, other_arrays, strict=True):
        assert array.tobytes() == other_array.tobytes()


def test_a_key_is_one_decision_whichever_workers_are_asked(address, postgres):
    async def talk(bench):
        first, second = bench.workers
        taking = asyncio.create_task(keep_taking(bench))
        for n in range(60):
            request = Decide(context=CONTEXT, key=f"k{n}")
            calls = [each.decide(AGENT, request) for each in (first, second, first, second)]
            answers = await asyncio.gather(*calls)
            assert len({(each.decision, each.arm, each.propensity) for each in answers}) == 1
            assert sum(not each.replayed for each in answers) == 1
        taking.cancel()
        await bench.take()
        for worker in bench.workers:
            again = await worker.decide(AGENT, Decide(context=CONTEXT, key="k7"))
            assert again.replayed
            with pytest.raises(ValueError, match="another one for another context"):
                await worker.decide(AGENT, Decide(context=[0.0, 0.0, 1.0], key="k7"))
        batch = DecideBatch(contexts=[CONTEXT] * 3, keys=["k1", None, "new"])
        known, *new = await first.decide_batch(AGENT, batch)
        assert known.replayed
        assert not any(each.replayed for each in new)
        rewards = RewardsOf(rewards={"quality": 1.0}, key="new")
        told = await second.reward_one(AGENT, rewards)
        assert told.decision == new[1].decision

    on_bench(address, talk)
    with reading(address) as connection:
        (keyed,) = connection.execute("SELECT count(*) FROM decisions WHERE key >= 'k'").fetchone()
    assert keyed == 60


TIMED = {**ROUTER, "objectives": ["quality", {"name": "cost", "default": 0.5, "after": 0.0}]}


@pytest.mark.parametrize("router", [ROUTER, TIMED], ids=["untimed", "timed"])
def test_a_block_leads_to_where_its_rows_lead_one_at_a_time(postgres, monkeypatch, router):
    """The same rows of the log, the same state, the same answers; refused and late ones as well."""

    async def talk(bench):
        core = bench.agent.core
        core.clock = lambda: 4e9
        # The first decision was of another time.
        bench.agent.abandon(0)
        first, second = sorted(bench.workers, key=incarnation_now)
        rng = np.random.default_rng(2)
        answers = []
        numbers = []
        for n, context in enumerate(contexts(3, 40)):
            worker = (first, second)[n % 2]
            request = Decide(context=context, key=f"k{n}" if n % 3 else None, active=n % 7 > 0)
            decided = await worker.decide(AGENT, request)
            answers.append(decided)
            numbers.append(int(decided.decision))
        # The learner itself has had the key of one of them.
        bench.hosted.decide(Decide(context=CONTEXT, key="k10"))
        for n, number in enumerate(numbers[:30]):
            rewards = {"quality": rng.random()}
            if n % 4:
                rewards["cost"] = rng.random()
            answers.append(await second.reward(AGENT, number, rewards))
        await bench.take()
        # Nothing waits for these any more.
        for number in numbers[34:36]:
            if number in core.pending.open:
                bench.agent.abandon(number)
        for number in numbers[:38]:
            if number not in numbers[10:30]:
                with contextlib.suppress(Problem):
                    answers.append(await first.reward(AGENT, number, {"cost": 0.25}))
        await bench.take()
        await bench.running.settlements.settled()
        return answers, encoded_state(copied_state(core))

    def left(turn):
        monkeypatch.setattr(inbox, "TURN", turn)
        address = postgres.database(f"turns_{turn}_{'after' in str(router)}".lower())
        answers, state = on_bench(address, talk, spec=specification(router=router))
        with reading(address) as connection:
            rows = [connection.execute(query).fetchall() for query in OF_LOG]
        check_replay(address, postgres, router)
        return answers, state, rows

    block = left(250)
    assert block == left(1)
    (_, _, (decisions, rewards, _, refused, late)) = block
    assert len(decisions) == 40
    assert len(rewards) > 10
    assert len(refused) == 1
    assert late


def incarnation_now(worker):
    return worker.gathering.incarnation()


OF_LOG = (
    "SELECT * FROM decisions WHERE id > 0 ORDER BY seq",
    "SELECT * FROM rewards ORDER BY seq, position",
    "SELECT * FROM changes ORDER BY seq",
    "SELECT id, refused FROM inbox_decisions ORDER BY id",
    "SELECT decision, objective, late FROM inbox_rewards ORDER BY decision, objective",
)


async def keep_taking(bench):
    while True:
        await bench.running.learner.inbox.take_some()
        await asyncio.sleep(0.0)


def test_rewards_count_once_from_any_worker(address, postgres):
    async def talk(bench):
        first, second = bench.workers
        decided = await first.decide(AGENT, Decide(context=CONTEXT))
        number = int(decided.decision)
        calls = [each.reward(AGENT, number, {"quality": 0.5}) for each in (first, second) * 3]
        answers = await asyncio.gather(*calls)
        assert sum(not each.repeated for each in answers) == 1
        for is_taken in (False, True):
            if is_taken:
                await bench.take()
            again = await second.reward(AGENT, number, {"quality": 0.5})
            assert again.repeated
            # All of a call or nothing.
            with pytest.raises(Problem, match=r"quality was 0\.5 before") as refused:
                await second.reward(AGENT, number, {"cost": 0.25, "quality": 0.75})
            assert refused.value.status == 409
        settled = await first.reward(AGENT, number, {"cost": 0.125})
        assert settled.status == "settled"
        for unknown in (number + 5, 77, 5 * SPAN + 1):
            with pytest.raises(Problem, match="there is no decision") as refused:
                await first.reward(AGENT, unknown, {"quality": 1.0})
            assert refused.value.status == 404
        for wrong in ({"speed": 1.0}, {"quality": math.inf}):
            with pytest.raises(ValueError, match=r"rewards|objective"):
                await first.reward(AGENT, number, wrong)
        await bench.take()
        assert bench.agent.lessons == 2

        # One that comes for a decision that waits no more is kept, and counted.
        late = await first.decide(AGENT, Decide(context=CONTEXT))
        await bench.take()
        bench.agent.abandon(int(late.decision))
        assert not (await first.reward(AGENT, int(late.decision), {"quality": 1.0})).repeated
        await bench.take()
        assert (await first.reward(AGENT, int(late.decision), {"quality": 1.0})).repeated
        text, _ = bench.running.telemetry.exposition()
        assert b'mobandits_from_workers_total{agent="router",outcome="late"} 1.0' in text

    on_bench(address, talk)
    assert of_inbox(postgres, address) == [0, 1]


def test_a_learner_that_ends_in_the_middle_has_taken_in_once(address, postgres):
    async def talk(bench):
        worker = bench.workers[0]
        requests = [Decide(context=each, key=str(n)) for n, each in enumerate(contexts(2, 120))]
        made = [await worker.decide(AGENT, request) for request in requests]
        for each in made[::2]:
            await worker.reward(AGENT, int(each.decision), {"quality": 0.5, "cost": 0.1})
        ends = asyncio.create_task(end_session(postgres, address))
        # On a fast machine all is taken in before: then the next look at the session notices it.
        looking = asyncio.create_task(keep_looking(bench))
        with pytest.raises((LogError, Problem)):
            await keep_taking_until_failure(bench)
        looking.cancel()
        await ends
        return {each.decision: each for each in made}

    made = on_bench(address, talk, workers=1)

    async def again(bench):
        await bench.take()
        assert bench.agent.core.pending.made == 121

    on_bench(address, again, workers=0)
    assert of_inbox(postgres, address) == [0, 0]
    events = events_of(address)
    numbers = [str(event.id) for event in events if is_of_worker(event)]
    assert sorted(numbers) == sorted(made)
    assert sum(event.kind == "learn" for event in events) == 60
    check_replay(address, postgres)


async def end_session(postgres, address):
    """End the session that writes, in a moment."""
    sql = (
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
        "WHERE application_name LIKE 'mobandits writes%' AND datname = current_database()"
    )
    await asyncio.sleep(0.02)
    await asyncio.to_thread(postgres.execute, sql, str(address).rpartition("/")[2])


async def keep_looking(bench):
    """See again and again whether the store is still held, as a service does."""
    while True:
        await asyncio.sleep(0.2)
        await asyncio.to_thread(bench.running.file.hold)


async def keep_taking_until_failure(bench):
    while True:
        await bench.running.learner.inbox.take_some()
        bench.hosted.check_saved()
        await asyncio.sleep(0.01)


def test_a_learner_that_was_replaced_writes_nothing(address, postgres):
    database = str(address).rpartition("/")[2]

    async def talk(bench):
        worker = bench.workers[0]
        await worker.decide(AGENT, Decide(context=CONTEXT))
        postgres.execute("UPDATE learner SET epoch = epoch + 1", database)
        before = postgres.execute("SELECT epoch, position FROM published", database)
        bench.running.learner.publisher._last.clear()
        with pytest.raises(LogError, match="epoch"):
            await bench.running.learner.publisher.publish()
        with pytest.raises((LogError, Problem), match="epoch"):
            await keep_taking_until_failure(bench)
        assert postgres.execute("SELECT count(*) FROM decisions", database) == [(1,)]
        assert of_inbox(postgres, address) == [1, 0]
        assert postgres.execute("SELECT epoch, position FROM published", database) == before
        # It stands by, and is another learner when it comes back.
        assert "its epoch is 2" in bench.running.file.hold()
        assert bench.running.file.hold() is None
        assert bench.running.file.epoch == 3
        await asyncio.to_thread(bench.running.agents.open)
        await bench.take()
        assert of_inbox(postgres, address) == [0, 0]

    on_bench(address, talk, workers=1)


def test_arms_come_and_go_between_decisions_and_not_in_them(address, postgres):
    async def talk(bench):
        made = []
        is_done = asyncio.Event()

        async def decide(worker):
            while not is_done.is_set():
                try:
                    made.append(await worker.decide(AGENT, Decide(context=CONTEXT)))
                except Problem as behind:
                    # Where they come and go faster than it looks, it asks to be called again.
                    if behind.retry_after is None:
                        raise

        async def keep_publishing():
            while True:
                await bench.running.learner.publisher.publish()
                await asyncio.sleep(0.01)

        deciding = [asyncio.create_task(decide(worker)) for worker in bench.workers]
        publishing = asyncio.create_task(keep_publishing())
        taking = asyncio.create_task(keep_taking(bench))
        for change in (add, remove, add, remove):
            count = len(made)
            while len(made) < count + 20:
                await asyncio.sleep(0.0)
            async with bench.running.changing(bench.hosted):
                change(bench.agent)
        is_done.set()
        await asyncio.gather(*deciding)
        publishing.cancel()
        taking.cancel()
        await bench.take()
        return made

    made = on_bench(address, talk)
    assert {each.arm for each in made} >= {"small", "large"}
    assert of_inbox(postgres, address) == [0, 0]
    assert sum(map(is_of_worker, events_of(address))) == len(made)
    check_replay(address, postgres)
    log = read(address)
    assert len(log) == len(made) + 1


def add(agent):
    agent.add_arm("medium", "small")


def remove(agent):
    agent.remove_arm("medium")


def test_a_look_into_the_inbox_that_is_cancelled_takes_nothing_in_twice(address, postgres):
    async def talk(bench):
        (worker,) = bench.workers
        made = [await worker.decide(AGENT, Decide(context=each)) for each in contexts(3, 5)]
        # Nothing is committed while the first look waits for it.
        file = bench.running.file
        file.committer.pacer = lambda: None
        before = len(bench.agent.core.pending.open)
        look = asyncio.create_task(bench.running.learner.inbox.take_some())
        while len(bench.agent.core.pending.open) < before + 5:
            await asyncio.sleep(0.0)
        look.cancel()
        made.append(await worker.decide(AGENT, Decide(context=CONTEXT)))
        next_look = asyncio.create_task(bench.take())
        await asyncio.wait([next_look], timeout=0.2)
        file.committer.pacer = None
        file.committer.start()
        await next_look
        bench.hosted.check_saved()
        return made

    made = on_bench(address, talk, workers=1)
    assert of_inbox(postgres, address) == [0, 0]
    taken = [str(event.id) for event in events_of(address) if is_of_worker(event)]
    assert taken == [each.decision for each in made]


def test_pages_and_logs_have_decisions_in_the_order_of_the_agent(address, postgres):
    async def talk(bench):
        await played(bench, rounds=24)
        store = bench.hosted.store
        await bench.running.settlements.settled()
        whole = [event.id for event in events_of(address) if event.kind == "decide"]
        for newest in (False, True):
            numbers = []
            after = None
            while True:
                page = store.page(PageWanted(limit=7, after=after, newest=newest))
                numbers += [each.event.id for each in page.decisions]
                after = page.next
                if after is None:
                    break
            assert numbers == (whole[::-1] if newest else whole)
        waiting = list(bench.agent.core.pending.open)
        page = store.page(PageWanted(limit=99, status="waiting"), waiting)
        assert [each.event.id for each in page.decisions] == waiting
        found = bench.hosted.recorded(whole[5])
        assert found.decision == str(whole[5])
        assert whole != sorted(whole)

    on_bench(address, talk)
    log = read(address)
    assert log.ids.tolist() == [e.id for e in events_of(address) if e.kind == "decide"]
    assert np.isfinite(log.rewards[1:, 0]).all()


def test_a_worker_says_why_it_cannot_decide(address):
    async def talk(bench):
        (worker,) = bench.workers
        with pytest.raises(Problem, match="no agent"):
            await worker.decide("nobody", Decide(context=CONTEXT))
        with pytest.raises(ValueError, match="context"):
            await worker.decide(AGENT, Decide(context=[1.0]))
        with pytest.raises(ValueError, match="NUL"):
            await worker.decide(AGENT, Decide(context=CONTEXT, key="a\0b"))
        with pytest.raises(ValueError, match="session must go with"):
            await worker.decide(AGENT, Decide(context=CONTEXT, session="a"))
        with pytest.raises(ValueError, match="keys must be 1"):
            await worker.decide_batch(AGENT, DecideBatch(contexts=[CONTEXT], keys=["a", "b"]))
        assert (await worker.decide(AGENT, Decide(context=CONTEXT))).decision

    on_bench(address, talk, workers=1)
