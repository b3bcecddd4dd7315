"""A server on loopback that answers as OpenAI's does, in a thread of the test."""

import contextlib
import itertools
import json
import threading
import time

import uvicorn
from starlette.applications import Starlette
from starlette.responses import JSONResponse, StreamingResponse
from starlette.routing import Route

USAGE = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
PRICES = {"input_cost_per_token": 0.001, "output_cost_per_token": 0.002}
COST = 0.02  # of every answer, by these prices
STATUSES = {"refuses": 400, "limited": 429, "down": 500}  # models that fail
PATIENCE = 120.0  # seconds


class FakeOpenAI:
    """Answers of models, and what was asked; `breaks` fails in the middle of its streams."""

    def __init__(self):
        self.asked = []
        self.port = None
        self._numbers = itertools.count(1)

    async def chat(self, request):
        body = await request.json()
        model = body["model"]
        self.asked.append(model)
        if model in STATUSES:
            error = {"message": f"{model} has failed", "type": "error", "code": None}
            return JSONResponse({"error": error}, STATUSES[model])

        answer = {"id": f"chatcmpl-{next(self._numbers)}", "created": 1, "model": model}
        if body.get("stream"):
            events = self.events(answer, model)
            return StreamingResponse(events, media_type="text/event-stream")

        message = {"role": "assistant", "content": f"{model} says hello"}
        choices = [{"index": 0, "message": message, "finish_reason": "stop"}]
        content = {"object": "chat.completion", "choices": choices, "usage": USAGE}

        return JSONResponse(answer | content)

    async def events(self, answer, model):
        answer = answer | {"object": "chat.completion.chunk"}
        for word in (model, " says", " hello"):
            delta = {"role": "assistant", "content": word}
            yield event(answer | {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]})
            if model == "breaks":
                raise ConnectionError
        last = {"index": 0, "delta": {}, "finish_reason": "stop"}
        yield event(answer | {"choices": [last]})
        yield event(answer | {"choices": [], "usage": USAGE})
        yield "data: [DONE]\n\n"

    def deployment(self, model, *, group="chat", **information):
        """An entry of LiteLLM's list of models; `model` is also its arm."""
        parameters = {
            "model": f"openai/{model}",
            "api_base": f"http://127.0.0.1:{self.port}/v1",
            "api_key": "none",
            **PRICES,
        }
        about = {"id": f"{group}-{model}", "arm": model, **information}
        return {"model_name": group, "litellm_params": parameters, "model_info": about}


def event(content):
    return f"data: {json.dumps(content)}\n\n"


@contextlib.contextmanager
def fake_openai():
    """A server that runs until the block ends."""
    fake = FakeOpenAI()
    routes = [Route("/v1/chat/completions", fake.chat, methods=["POST"])]
    config = uvicorn.Config(Starlette(routes=routes), port=0, log_level="critical")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        until = time.monotonic() + PATIENCE
        while not server.started:
            assert time.monotonic() < until
            time.sleep(0.02)
        fake.port = server.servers[0].sockets[0].getsockname()[1]
        yield fake
    finally:
        server.should_exit = True
        thread.join(PATIENCE)
