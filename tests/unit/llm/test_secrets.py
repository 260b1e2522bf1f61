"""What is a secret, and that words are none."""

import pytest

from pytest_membench.llm import secrets


@pytest.fixture(autouse=True)
def _clean(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(secrets, "_ADDED", set())
    for name in (*secrets.KEYS, secrets.HEADERS, *secrets.ADDRESSES):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize("name", ["OPENAI_API_KEY", "MEMBENCH_JUDGE_API_KEY"])
def test_keys_of_the_environment_are_hidden(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever their form: a key need not look like one."""
    monkeypatch.setenv(name, "correct horse")
    assert secrets.hide_known("my correct horse!") == "my ***!"


def test_the_values_of_custom_headers_are_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each line is a header; its value is hidden whole, and its words where they are long."""
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Team: planted-team\nX-Auth: Token planted-token")
    assert secrets.hide("planted-team and planted-token, Token") == "*** and ***, Token"


@pytest.mark.parametrize(
    "text", ["planted-user", "planted%40password", "planted@password", "cGxhbnRlZC11c2VyOnBsYW50ZWRAcGFzc3dvcmQ="]
)
def test_user_and_password_of_an_address_are_hidden(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """As they stand in the address, as they are meant, and as a header carries them."""
    monkeypatch.setenv("OPENAI_BASE_URL", "https://planted-user:planted%40password@host.invalid/v1")
    assert secrets.hide_known(f"it says {text}") == "it says ***"


def test_the_query_of_an_address_is_hidden() -> None:
    """An address that an option or a fixture gave counts like that of the environment."""
    secrets.add(address="https://host.invalid/v1?api_key=planted-query&x=1")
    assert secrets.hide_known("planted-query 1") == "*** 1"


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ("GET http://u:p@host/v1", "GET http://***@host/v1"),
        ("http://host/v1?key=abc&n=1", "http://host/v1?key=***&n=1"),
        ("Bearer abcdef123", "Bearer ***"),
        ("key 'sk-abc12345'", "key 'sk-***'"),
        (r"two lines\nsk-abc12345", r"two lines\nsk-***"),
        ("alex/ask-01.json", "alex/ask-01.json"),
        ("mail bo@host.invalid about the key to the barn", "mail bo@host.invalid about the key to the barn"),
    ],
)
def test_what_looks_like_a_secret_is_hidden_in_errors(text: str, hidden: str) -> None:
    """Addresses keep their host, and plain talk of keys and mail stays."""
    assert secrets.hide(text) == hidden


def test_what_looks_like_a_key_in_a_reply_is_data() -> None:
    """A chat may be about a key; only this process's own are taken out of it."""
    assert secrets.hide_known("the wifi key is sk-abcdef123456") == "the wifi key is sk-abcdef123456"


def test_a_short_value_is_a_word(monkeypatch: pytest.MonkeyPatch) -> None:
    """An endpoint that wants no key is given any text, which other texts hold too."""
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    assert secrets.hide_known("none of these") == "none of these"


def test_an_address_that_is_none_hides_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """What cannot be read as an address is told by the client, not here."""
    monkeypatch.setenv("OPENAI_BASE_URL", "http://[half")
    assert secrets.hide("http://[half") == "http://[half"


def test_the_repr_of_a_secret_is_hidden() -> None:
    """Tracebacks with locals show reprs; the text itself is what it was."""
    assert repr(secrets.Secret("planted")) == "***"
    assert secrets.Secret("planted") == "planted"
