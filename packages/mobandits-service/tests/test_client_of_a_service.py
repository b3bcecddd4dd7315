"""The client and a service that is killed and started again."""

import signal

import pytest
from services import CONTEXT, PATIENCE, Served

from mobandits_client import Client, ServiceError

REWARDS = {"quality": 0.5, "cost": 0.25}


@pytest.mark.long
def test_a_client_goes_on_while_the_service_is_down_and_reports_later(tmp_path):
    with Served(tmp_path) as service:
        port = int(service.url.rsplit(":", 1)[1])
        options = {"fallback": "small", "timeout": PATIENCE, "pause": 0.0}
        with Client(service.url, "router", **options) as client:
            first = client.decide(CONTEXT)
            other = client.decide(CONTEXT)
            assert first.propensity > 0.0
            assert client.reward(first, REWARDS).status == "settled"
            service.end(signal.SIGKILL)

            alone = client.decide(CONTEXT)
            unrewarded = client.decide(CONTEXT)
            dropped = client.decide(CONTEXT)
            assert alone.is_fallback
            assert alone.arm == "small"
            assert client.reward(alone, {"quality": 0.75}) is None
            client.abandon(dropped)
            assert client.reward(other, {"quality": 0.125}) is None
            assert client.reward(other, {"cost": 0.25}) is None
            with pytest.raises(ServiceError, match="does not answer"):
                client.state()
            with pytest.raises(ServiceError, match="does not answer"):
                client.flush()

            service.start(port)
            assert not client.decide(CONTEXT).is_fallback
            assert client.unreported == 0
            assert client.decision(other.decision).rewards == {"quality": 0.125, "cost": 0.25}
            later = client.reward(alone, {"cost": 0.5})
            assert later.status == "settled"
            found = client.decision(later.decision)
            assert found.made_by == "observed"
            assert found.rewards == {"quality": 0.75, "cost": 0.5}
            client.flush()
            assert client.reward(unrewarded, {"quality": 0.5}).missing == ["cost"]
            assert client.state().decisions == 5
            made = client.decide_batch([CONTEXT, CONTEXT])
            client.activate(made[0])
            client.abandon(made[1])
            assert len(client.explain(made[0].decision).estimates) == 4
            changed = client.set_preference("lexicographic")
            assert changed.preference.startswith("lexicographic")
            with pytest.raises(ServiceError, match="context must") as refused:
                client.decide([1.0])
            assert refused.value.status == 422
            assert refused.value.field == "context"
