"""LoCoMo becomes a suite like any other, without what no design may see."""

from datetime import datetime
from pathlib import Path

import pytest

from pytest_membench.data import KINDS, Suite
from pytest_membench.errors import SuiteError
from pytest_membench.suites.locomo import NEVER, PAPER_SUBSET, load

DATA = Path(__file__).parents[2] / "data"
COPY, AUDIT = DATA / "locomo.json", DATA / "locomo_audit.json"


@pytest.fixture(scope="module")
def suite() -> Suite:
    """All chats of the fixture, with category 5."""
    return load(COPY, chats="all", category5=True)


def test_a_turn_has_its_speaker_its_session_s_date_and_its_caption(suite: Suite) -> None:
    """The prompt's line says who, when, what, and what the photo shows."""
    lines = [str(turn) for turn in suite.person("talk-1").turns]
    assert lines[1] == "[2024-03-05 13:56] Petra: Yesterday I planted a pear tree."
    assert (
        lines[8]
        == "[2024-11-11 00:06] Petra: I built a raft last weekend! (shares a photo: a photo of a raft on a trestle)"
    )
    assert len(lines) == 11


def test_turns_are_numbered_through_and_ascend_in_time(suite: Suite) -> None:
    """What a schedule needs: indices from 0, times that never go back."""
    for person in suite.people:
        assert [turn.i for turn in person.turns] == list(range(len(person.turns)))
        whens = [turn.when for turn in person.turns]
        assert whens == sorted(whens)


def test_evidence_is_the_turns_that_the_ids_meant(suite: Suite) -> None:
    """Ids become indices, sorted; what cites nothing has none."""
    evidence = {probe.id: probe.evidence for probe in suite.person("talk-1").probes}
    assert (evidence["q002"], evidence["q003"], evidence["q010"]) == ((4, 8), (9,), (0, 7))
    assert evidence["q004"] == evidence["q007"] == ()


def test_questions_are_asked_the_day_after_the_last_session_that_exists(suite: Suite) -> None:
    """The dates of sessions 11 and 12, which the file does not have, do not count."""
    assert suite.person("talk-1").asked == datetime.fromisoformat("2024-11-12 09:00")


def test_categories_keep_their_numbers_under_one_name_each(suite: Suite) -> None:
    """1 multi-hop, 2 temporal, 3 open-domain, 4 single-hop, 5 abstention: as the dataset's own code has them."""
    kinds = {probe.id: probe.kind for probe in suite.person("talk-1").probes}
    names = [kinds[name] for name in ("q002", "q000", "q004", "q001", "q011")]
    assert names == ["multi_hop", "temporal", "open_domain", "single_hop", "abstain"]
    assert set(names) <= set(KINDS)


def test_category_5_is_left_out_unless_it_is_wanted() -> None:
    """It neither counts among the questions nor in a kind of its own."""
    person = load(COPY, chats="talk-1").people[0]
    assert len(person.probes) == 11
    assert "abstain" not in {probe.kind for probe in person.probes}


def test_a_distractor_is_never_gold(suite: Suite) -> None:
    """The gold of category 5 is that it never came up, with the file's own answer where it has one."""
    golds = {probe.id: probe.gold for probe in suite.person("talk-1").probes}
    assert golds["q011"] == NEVER
    assert golds["q012"] == f"No. {NEVER}"
    assert "zeppelin" not in repr(suite)
    assert "quokka" not in repr(suite)


def test_doubles_are_kept_under_ids_of_their_own(suite: Suite) -> None:
    """The published counts hold them; each is an item."""
    probes = {probe.id: probe for probe in suite.person("talk-1").probes}
    assert (probes["q005"].q, probes["q005"].gold) == (probes["q009"].q, probes["q009"].gold)
    assert len(probes) == 13


def test_chats_that_share_a_name_are_people_of_their_own(suite: Suite) -> None:
    """Three Johns, three memories: a person is found by the chat's id, and its turns are its own."""
    johns = [person for person in suite.people if "John" in person.speakers]
    assert [person.id for person in johns] == ["talk-2", "talk-3", "talk-4"]
    assert len({person.digest for person in johns}) == 3
    assert [person.turns[1].text for person in johns] == ["I have a tortoise.", "I have a parrot.", "I have an iguana."]


def test_chats_are_chosen_by_id_and_stand_in_the_file_s_order() -> None:
    """Named twice is named once."""
    chosen = load(COPY, chats="talk-3, talk-1,talk-3")
    assert [person.id for person in chosen.people] == ["talk-1", "talk-3"]


def test_the_default_is_the_paper_s_subset_and_says_what_is_missing() -> None:
    """A file without these four chats is refused with the names it has."""
    assert PAPER_SUBSET == ("conv-26", "conv-42", "conv-44", "conv-48")
    with pytest.raises(SuiteError, match=r"chats=subset: .* has no chat conv-26, .*; it has talk-1, talk-2"):
        load(COPY)
    with pytest.raises(SuiteError, match=r"chats=,: .*none is named"):
        load(COPY, chats=",")


def test_another_file_is_a_warning_and_no_refusal(suite: Suite) -> None:
    """The notes say so, and what is asked."""
    assert suite.name == "locomo"
    assert any(note.startswith("warning: the file is not the published locomo10.json") for note in suite.notes)
    assert "all chats, with category 5 as abstention" in suite.notes[0]


def test_flag_keeps_all_questions_and_marks_what_the_audit_doubts() -> None:
    """Golds and evidence stay as they are."""
    plain, flagged = load(COPY, chats="all"), load(COPY, chats="all", audit=AUDIT, mode="flag")
    marks = {(p.id, probe.id): probe.flag for p in flagged.people for probe in p.probes if probe.flag}
    assert marks == {("talk-1", "q001"): "citation", ("talk-1", "q003"): "gold", ("talk-2", "q000"): "gold"}
    for before, after in zip(plain.people, flagged.people, strict=True):
        assert [(p.gold, p.evidence) for p in before.probes] == [(p.gold, p.evidence) for p in after.probes]


def test_drop_leaves_out_wrong_golds_and_mends_citations() -> None:
    """What is left out is told by its reason."""
    person = load(COPY, chats="all", audit=AUDIT, mode="drop").person("talk-1")
    probes = {probe.id: probe for probe in person.probes}
    assert "q003" not in probes
    assert person.excluded == {"q003": "the audit calls its gold wrong: HALLUCINATION"}
    assert probes["q001"].evidence == (0, 2)


def test_evidence_only_mends_citations_alone() -> None:
    """No question goes, no gold changes."""
    suite = load(COPY, chats="all", audit=AUDIT, mode="evidence-only")
    probes = {probe.id: probe for probe in suite.person("talk-1").probes}
    assert len(probes) == 11
    assert probes["q001"].evidence == (0, 2)
    assert probes["q003"].gold == "green"
    assert all(probe.flag is None for probe in probes.values())
