"""A request as a gateway routes it, and the numbers that describe it by default."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

LONGEST_PROMPT = 1_000_000  # characters; longer ones count as this long
MOST_MESSAGES = 1000


@dataclass(frozen=True)
class RoutedRequest:
    """A request that waits for a model.

    Attributes:
        group: the name under which the client asked for a model.
        messages: of a chat, as the client sent them; empty where it sent none.
        input: of an embedding or a transcription; None for chats.
        options: everything else, such as `tools`, `max_tokens` and `metadata`.
    """

    group: str
    messages: Sequence[Mapping[str, Any]] = ()
    input: Any = None
    options: Mapping[str, Any] = field(default_factory=dict, repr=False)

    @property
    def text(self) -> str:
        """The text of all messages, or of the input, with a line between two."""
        pieces: list[str] = []
        for message in self.messages:
            pieces.extend(_texts(message.get("content")))
        pieces.extend(_texts(self.input))

        return "\n".join(pieces)


def prompt_features(request: RoutedRequest) -> list[float]:
    """A constant, the length of the prompt and the number of messages, on logarithmic scales.

    All three lie in [0, 1].

    Example:
        >>> short = RoutedRequest("chat", [{"role": "user", "content": "What is 2 + 2?"}])
        >>> [round(number, 3) for number in prompt_features(short)]
        [1.0, 0.196, 0.1]
    """
    characters = len(request.text)
    messages = len(request.messages)

    return [1.0, _share(characters, LONGEST_PROMPT), _share(messages, MOST_MESSAGES)]


def _share(count: int, most: int) -> float:
    """A count on a logarithmic scale from 0 to 1."""
    return min(math.log1p(count) / math.log1p(most), 1.0)


def _texts(content: Any) -> Iterator[str]:
    """The texts of a message's content: one text, or a list of parts, of which some are texts."""
    if isinstance(content, str):
        yield content
    elif isinstance(content, list | tuple):
        for part in content:
            text = part.get("text") if isinstance(part, Mapping) else part
            if isinstance(text, str):
                yield text
