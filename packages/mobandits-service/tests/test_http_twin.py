"""Any calls over HTTP do what the same calls of an agent do, also where the service is killed."""

import asyncio
import contextlib
import tempfile
from pathlib import Path

import hypothesis.strategies as st
import pytest
from hypothesis import settings
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from services import client_of, served, specification

from mobandits.spec import build

AGENT = "/v1/agents/router"
ORDERS = (None, {"name": "lexicographic"})
MOST_ARMS = 3
WAITING = "waiting"
SETTLED = "settled"
ABANDONED = "abandoned"

numbers = st.floats(-1.0, 1.0, width=16)
contexts = st.tuples(numbers, numbers, numbers).map(lambda rest: [float(n) for n in rest])
values = st.sampled_from([0.0, 0.25, 0.5, 1.0])
rewards = st.dictionaries(st.sampled_from(["quality", "cost"]), values, min_size=1)
names = st.sampled_from(["small", "large", "third", "fourth"])
chances = st.integers(0, 2**16)


class HttpTwin(RuleBasedStateMachine):
    """A service beside an agent in memory, and dictionaries of what must be there.

    Attributes:
        twin: the agent.
        decided: {number: (request, answer)} of the decisions with a key.
        fate: {number: "waiting", "settled" or "abandoned"} of all decisions.
        known: {number: {objective: value}} of the rewards that came.
    """

    def __init__(self):
        super().__init__()
        self.opened = contextlib.ExitStack()
        folder = self.opened.enter_context(tempfile.TemporaryDirectory())
        self.folder = Path(folder)
        self.files = 0
        self.path = self.folder / "log"
        self.runner = self.opened.enter_context(asyncio.Runner())
        self.start()
        self.twin = specification().agents["router"].agent()
        self.decided = {}
        self.fate = {}
        self.known = {}

    def teardown(self):
        self.service.close()
        self.opened.close()

    def start(self):
        self.service = contextlib.ExitStack()
        running = self.service.enter_context(served(self.path))
        self.client = client_of(running)
        self.service.callback(lambda: self.runner.run(self.client.aclose()))

    def ask(self, method, path, status=200, **more):
        answer = self.runner.run(self.client.request(method, AGENT + path, **more))
        assert answer.status_code == status, answer.text
        return answer.json() if answer.content else None

    def some_decision(self, chance):
        listed = list(self.fate)
        return listed[chance % len(listed)]

    # --- decisions

    def compare(self, answer, expected):
        assert answer["decision"] == str(expected.id)
        assert answer["arm"] == expected.arm
        assert answer["propensity"] == expected.propensity
        assert answer["front"] == list(expected.front)
        assert answer["replayed"] is False
        self.fate[expected.id] = WAITING
        self.known[expected.id] = {}

    @rule(context=contexts, keyed=st.booleans(), active=st.booleans(), chance=chances)
    def decide(self, context, keyed, active, chance):
        arms = list(self.twin.arms)
        eligible = arms[: 1 + chance % len(arms)] if chance % 3 == 0 else None
        body = {"context": context, "eligible": eligible, "active": active}
        if keyed:
            body["key"] = f"key {len(self.fate)}"
        answer = self.ask("POST", "/decide", json=body)
        self.compare(answer, self.twin.decide(context, eligible, active=active))
        if keyed:
            self.decided[int(answer["decision"])] = (body, answer)

    @precondition(lambda self: self.decided)
    @rule(chance=chances)
    def decide_again(self, chance):
        listed = list(self.decided)
        body, answer = self.decided[listed[chance % len(listed)]]
        again = self.ask("POST", "/decide", json=body)
        preference = again["preference"]
        assert again == {**answer, "replayed": True, "preference": preference}
        changed = {**body, "context": [2.0, *body["context"][1:]]}
        self.ask("POST", "/decide", 422, json=changed)

    @rule(several=st.lists(contexts, min_size=1, max_size=4))
    def decide_batch(self, several):
        made = self.ask("POST", "/decide_batch", json={"contexts": several})["decisions"]
        for answer, expected in zip(made, self.twin.decide_batch(several), strict=True):
            self.compare(answer, expected)

    @rule(context=contexts, given=rewards, chance=chances)
    def observe(self, context, given, chance):
        arm = self.twin.arms[chance % len(self.twin.arms)]
        observed = {"context": context, "arm": arm, "propensity": 0.5}
        if chance % 2:
            observed |= {"rewards": given}
        if chance % 3 == 0:
            observed["key"] = f"observed {len(self.fate)}"
        self.ask("POST", "/decisions", json=[observed])
        if "key" in observed:
            # Known by its key, and so not learned once more.
            self.ask("POST", "/decisions", json=[observed])
        adopted = self.twin.adopt(
            context, arm, propensity=0.5, rewards=observed.get("rewards"), key=observed.get("key")
        )
        known = observed.get("rewards", {})
        self.known[adopted.id] = known
        self.fate[adopted.id] = SETTLED if len(known) == 2 else WAITING

    @rule(wrong=st.sampled_from([[], [1.0], [1.0, 2.0, 3.0, 4.0], "x", [1.0, None, 2.0]]))
    def decide_on_nonsense(self, wrong):
        self.ask("POST", "/decide", 422, json={"context": wrong})

    # --- rewards

    def expected_status(self, number, given):
        """What rewards must be answered with, and what is known after them."""
        known = self.known[number]
        if any(known.get(name, value) != value for name, value in given.items()):
            return 409
        is_repeated = given.items() <= known.items()
        if self.fate[number] == ABANDONED and not is_repeated:
            return 409
        return 200

    def take(self, number, given, answer):
        is_repeated = given.items() <= self.known[number].items()
        merged = self.known[number] | given
        assert answer["repeated"] == is_repeated
        missing = [name for name in ("quality", "cost") if name not in merged]
        assert answer["missing"] == missing
        assert answer["status"] == (WAITING if missing else SETTLED)
        if not is_repeated:
            self.twin.learn(number, given)
            self.known[number] = merged
        if not missing and self.fate[number] == WAITING:
            self.fate[number] = SETTLED

    @precondition(lambda self: self.fate)
    @rule(given=rewards, chance=chances)
    def reward(self, given, chance):
        number = self.some_decision(chance)
        status = self.expected_status(number, given)
        answer = self.ask("POST", f"/decisions/{number}/rewards", status, json=given)
        if status == 200:
            self.take(number, given, answer)

    @precondition(lambda self: self.fate)
    @rule(several=st.lists(st.tuples(chances, rewards), min_size=1, max_size=3))
    def reward_several(self, several):
        items = []
        for chance, given in several:
            items.append({"decision": str(self.some_decision(chance)), "rewards": given})
        items.append({"decision": str(len(self.fate)), "rewards": {"cost": 0.5}})
        outcomes = self.ask("POST", "/rewards", json=items)
        assert outcomes[-1]["refused"]["status"] == 404
        for item, outcome in zip(items[:-1], outcomes[:-1], strict=True):
            number = int(item["decision"])
            status = self.expected_status(number, item["rewards"])
            if status == 200:
                self.take(number, item["rewards"], outcome["rewarded"])
            else:
                assert outcome["refused"]["status"] == status

    @precondition(lambda self: self.fate)
    @rule(chance=chances)
    def activate(self, chance):
        number = self.some_decision(chance)
        if self.fate[number] == ABANDONED:
            self.ask("POST", f"/decisions/{number}/activate", 409)
        else:
            self.ask("POST", f"/decisions/{number}/activate", 204)
            self.twin.activate(number)

    @precondition(lambda self: self.fate)
    @rule(chance=chances)
    def abandon(self, chance):
        number = self.some_decision(chance)
        self.ask("POST", f"/decisions/{number}/abandon", 204)
        if self.fate[number] == WAITING:
            self.twin.abandon(number)
            self.fate[number] = ABANDONED

    # --- the agent

    @rule(order=st.sampled_from(ORDERS))
    def prefer(self, order):
        self.ask("PUT", "/preference", json={"order": order})
        self.twin.preference = None if order is None else build("orders", order, "order")

    @rule(name=names)
    def add_arm(self, name):
        is_new = name not in self.twin.arms
        if is_new and len(self.twin.arms) == MOST_ARMS:
            return
        self.ask("PUT", f"/arms/{name}", 201 if is_new else 200)
        if is_new:
            self.twin.add_arm(name)

    @rule(name=names)
    def remove_arm(self, name):
        is_there = name in self.twin.arms
        if is_there and len(self.twin.arms) == 2:
            return
        self.ask("DELETE", f"/arms/{name}")
        if is_there:
            self.twin.remove_arm(name)

    # --- the process

    @rule(chance=chances)
    def restart(self, chance):
        if chance % 4:
            return
        self.service.close()
        self.start()

    @rule(chance=chances)
    def crash(self, chance):
        """Go on from a copy of the files, as a kill would leave them now."""
        if chance % 2:
            return
        self.files += 1
        copy = self.folder / f"log{self.files}"
        for suffix in ("", "-wal"):
            part = self.path.with_name(self.path.name + suffix)
            copy.with_name(copy.name + suffix).write_bytes(part.read_bytes())
        self.service.close()
        self.path = copy
        self.start()

    # --- what always holds

    @invariant()
    def counts_are_those_of_the_twin(self):
        state = self.ask("GET", "")
        assert state["status"] == "ready"
        assert sorted(state["arms"]) == sorted(self.twin.arms)
        assert state["decisions"] == len(self.fate) == self.twin.core.pending.next_id
        assert state["waiting"] == self.twin.waiting
        assert state["waiting"] == sum(fate == WAITING for fate in self.fate.values())
        assert state["learned"] == self.twin.lessons

    @precondition(lambda self: self.fate)
    @invariant()
    def the_last_decision_is_recorded(self):
        number = max(self.fate)
        found = self.ask("GET", f"/decisions/{number}")
        assert found["rewards"] == self.known[number]


@pytest.mark.filterwarnings("ignore::mobandits.errors.LogWarning")
def test_any_calls():
    few = settings(max_examples=6, stateful_step_count=30)
    run_state_machine_as_test(HttpTwin, settings=few)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::mobandits.errors.LogWarning")
def test_very_many_calls():
    many = settings(max_examples=300, stateful_step_count=60)
    run_state_machine_as_test(HttpTwin, settings=many)
