"""A suite is found by what the options, or a session's manifest, say of it."""

from pathlib import Path

import pytest

from pytest_membench.errors import SuiteError
from pytest_membench.suites.source import Source, load

TESTS = Path(__file__).parents[2]


def test_a_folder_is_a_suite_without_further_choices() -> None:
    """Its manifest keeps the name alone."""
    source = Source("mini")
    assert source.as_dict() is None
    assert [person.id for person in load(source, TESTS.parent).people] == ["maya", "omar"]
    assert Source.of({"suite_path": "mini"}) == source


def test_a_manifest_gives_the_same_source_back() -> None:
    """What chose the chats and used the audit is kept, so that the suite can be read again."""
    source = Source(
        "locomo",
        locomo="data/locomo.json",
        chats="talk-1",
        category5=True,
        audit="data/locomo_audit.json",
        audit_mode="drop",
    )
    again = Source.of({"suite_path": source.suite, "suite_source": source.as_dict()})
    assert again == source
    assert [len(person.probes) for person in load(again, TESTS).people] == [12]


def test_longmemeval_is_read_from_its_path() -> None:
    """The path is relative to the root that is given."""
    assert len(load(Source("longmemeval", longmemeval="data/longmemeval.json"), TESTS).people) == 4


@pytest.mark.parametrize("name", ["locomo", "longmemeval"])
def test_a_published_suite_needs_the_path_of_the_user_s_copy(name: str) -> None:
    """Nothing of it ships, and the message names the option."""
    with pytest.raises(SuiteError, match=f"give --membench-{name} PATH"):
        load(Source(name), TESTS)


def test_an_unknown_mode_is_refused() -> None:
    """A manifest that was edited by hand, say."""
    with pytest.raises(SuiteError, match="audit-mode=mend: flag, drop, evidence-only are allowed"):
        load(Source("locomo", locomo="data/locomo.json", audit_mode="mend"), TESTS)
