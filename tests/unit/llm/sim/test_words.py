"""Words: stems, numbers, dates, dated lines and names."""

import pytest

from pytest_membench.llm.sim.words import Entry, dates, entries, entry, names, number_like, sentences, stem, stems


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("moved", "moving"),
        ("stopped", "stop"),
        ("parties", "party"),
        ("boxes", "box"),
        ("sent", "sending"),
        ("Grace's", "Grace"),
        ("five", "5"),
        ("12th", "12"),
        ("1,890", "1890"),
        ("43.50", "43.5"),
        ("8.00", "8"),
        ("\u2019", "'"),
    ],
)
def test_forms_of_a_word_share_a_stem(one: str, other: str) -> None:
    """Endings, numbers in words and ordinals meet in one stem."""
    assert stem(one) == stem(other)


def test_different_words_keep_apart() -> None:
    """Short and unlike words are not run together."""
    assert len({stem(word) for word in ("bus", "glass", "sing", "red", "only", "barn")}) == 6


def test_topical_stems() -> None:
    """Stop words carry no topic."""
    assert stems("When is the roof inspection now?") == {"roof", "inspection"}


def test_dates_in_their_spellings() -> None:
    """Each spelling gives month and day; impossible ones and plain numbers give none."""
    said = "14 September, 3rd of Oct, May 5, 2026-09-16, the 21st; 40 June, 7 boxes"
    assert [(day.month, day.day) for day in dates(said)] == [(9, 14), (10, 3), (5, 5), (9, 16), (0, 21)]


def test_a_dated_line() -> None:
    """A line is taken apart into date, time, speaker and text; its stems are of the text."""
    line = entry("[2026-08-03 09:14] Maya: Met Priya.")
    assert line[:4] == ("2026-08-03", "09:14", "Maya", "Met Priya.")
    assert line.stems == {"meet", "priya"}


@pytest.mark.parametrize(
    ("line", "date", "text"),
    [("- Priya likes tea", "", "Priya likes tea"), ("2026-08-03: Snow", "2026-08-03", "Snow"), ("plain", "", "plain")],
)
def test_undated_lines(line: str, date: str, text: str) -> None:
    """Lines of summaries and notes are entries too."""
    assert entry(line)[:4] == (date, "", "", text)


def test_a_message_keeps_its_line_breaks() -> None:
    """Undated lines after a dated one belong to it."""
    found = entries("[2026-08-03 09:14] Maya: One\n\nTwo\n[2026-08-03 09:15] Assistant: Three")
    assert [line.text for line in found] == ["One\n\nTwo", "Three"]
    assert isinstance(found[0], Entry)


def test_names_and_numbers_and_sentences() -> None:
    """Names are capitals inside a sentence; "one" is no number; titles end no sentence."""
    assert names("Then I met Priya on Monday in Ghent.") == {"priya", stem("Ghent")}
    assert number_like("one of 4.5 or twice") == ["4.5", "2"]
    assert sentences("Mrs. Holm came. She left!") == ("Mrs. Holm came.", "She left!")
