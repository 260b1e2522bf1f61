"""report.html: all parts, everything escaped, no request, and the same bytes for the same session."""

import hashlib
import itertools
import re
from base64 import b64encode
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
import report_session

from pytest_membench.report import tables, text
from pytest_membench.report.folder import Session
from pytest_membench.report.html.page import page
from pytest_membench.report.html.probes import questions
from pytest_membench.report.summary import summary_of

GATE = {
    "verdict": "regressed",
    "reasons": ["dropped"],
    "drop": 12.0,
    "p_value": 0.01,
    "detectable_drop": 9.4,
    "newly_wrong": ["ada recall-01"],
    "newly_right": [],
}
CHECK = {"judge": "paid", "accuracy": 90.0, "interval": [79.9, 95.3], "kappa": 0.81, "n": 60, "right": 54}
CHECK |= {"not_judged": 0, "stale": False}


class Reader(HTMLParser):
    """What a browser would see: tags with their attributes, headings, and the text of tables."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.feed(source)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    def named(self, name: str) -> list[dict[str, str | None]]:
        """Return the attributes of all tags of a name."""
        return [attributes for tag, attributes in self.tags if tag == name]


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Session:
    """The session with harmful texts, in two settings."""
    return report_session.write(tmp_path_factory.mktemp("page"))


@pytest.fixture(scope="module")
def source(session: Session) -> str:
    """Its page, with a gate and a calibration of the judge."""
    summary = {**summary_of(session), "gate": {"paid": {"window": GATE, report_session.EVIL: {"verdict": "none"}}}}
    summary["judge_check"] = {
        **CHECK,
        "by_type": {report_session.SCRIPT: {"n": 10, "right": 8, "accuracy": 80.0, "not_judged": 0}},
    }
    return page(session, summary, report_session.suite())


@pytest.fixture(scope="module")
def seen(source: str) -> Reader:
    """The page as a browser reads it."""
    return Reader(source)


def test_nothing_that_was_written_by_others_is_markup(source: str, seen: Reader) -> None:
    """Scripts, handlers and closing tags in questions, golds, answers, reasons and names are shown, never obeyed."""
    assert len(seen.named("script")) == source.count("<script>") == source.count("</script>") == 1
    assert seen.named("img") == []
    assert [name for _, attributes in seen.tags for name in attributes if name.startswith("on")] == []
    shown = "".join(seen.words)
    for harmful in report_session.HARMFUL:
        assert harmful not in source
        assert harmful in shown


def test_the_page_can_load_nothing(source: str, seen: Reader) -> None:
    """Its policy allows our script by digest and no address; no tag names one."""
    policy = next(tag["content"] for tag in seen.named("meta") if "http-equiv" in tag) or ""
    script = source.split("<script>")[1].split("</script>", maxsplit=1)[0]
    digest = b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert policy.startswith("default-src 'none'; ")
    assert f"script-src 'sha256-{digest}'" in policy
    links = [v or "" for _, a in seen.tags for name, v in a.items() if name in ("src", "href", "xlink:href", "srcset")]
    assert links
    assert [link for link in links if not link.startswith(("#", "data:,"))] == []
    assert "@import" not in source
    assert [url for url in re.findall(r"url\(([^)]*)\)", source) if not url.startswith("#")] == []


def test_it_has_every_part(source: str) -> None:
    """Each heading stands once a setting, in this order; the calibration of the one judge stands once."""
    parts = ["Designs", "Outcomes", "Scores", "Scores by kind", "Serving cost", "Cost model", "Break-even"]
    places = [source.index(f"<h3>{name}</h3>") for name in [*parts, "Accuracy beside cost", "Where the tokens go"]]
    assert places == sorted(places)
    assert source.count("<h3>Designs</h3>") == 2
    assert source.count("<h3>The judge, measured</h3>") == 1
    assert "window: regressed" in source
    assert source.count('<section class="gate') == 1  # "none" is no comparison
    assert "right on 54 of 60 labelled answers (90.0%, 79.9 to 95.3), kappa 0.81" in source


def test_headings_go_down_one_level_at_a_time(seen: Reader) -> None:
    """One h1, and no level is left out."""
    levels = [int(tag[1]) for tag, _ in seen.tags if re.fullmatch(r"h\d", tag)]
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in itertools.pairwise(levels))


def test_tables_and_figures_can_be_read_without_seeing_them(source: str, seen: Reader) -> None:
    """A caption and scopes a table; a title and a table a figure; a label a field; a language."""
    assert source.count("<caption>") == len(seen.named("table"))
    assert all(cell["scope"] in ("col", "row") for cell in seen.named("th"))
    assert len(seen.named("svg")) == len(seen.named("figure")) == source.count("The numbers of this figure")
    ids = [a["id"] for _, a in seen.tags if "id" in a]
    assert len(ids) == len(set(ids))
    assert all(svg["aria-labelledby"] in ids for svg in seen.named("svg"))
    assert len(seen.named("label")) == len(seen.named("select")) + len(seen.named("input"))
    assert seen.named("html") == [{"lang": "en"}]


def test_an_incomplete_session_says_first_what_is_missing(source: str) -> None:
    """The banner stands before the first table and names design and numbers."""
    banner = source[source.index('class="banner"') : source.index("<table")]
    assert "INCOMPLETE" in banner
    assert "free window: 1 not run, 1 not judged, of 12" in banner


def test_every_answer_is_there_with_all_that_led_to_it(source: str, session: Session) -> None:
    """An entry for each expected probe; looks, memory, tools, tokens and the file that holds the whole."""
    probes = [item for item in session.manifest["items"] if item["kind"] != "cost"]
    assert source.count('<details class="answer"') == len(probes)
    for word in ("First look", "Second look", "search_chat(", "characters more]", "free/ans/window/ada/recall-01.json"):
        assert word in source
    assert "no result arrived: the worker died" in source
    assert "no clear label" in source


def test_equal_sessions_give_equal_pages(tmp_path: Path) -> None:
    """Neither the session's id, nor its folder, nor a time shows."""
    pages = []
    for name in ("a", "b"):
        session = report_session.write(tmp_path / name, f"session {name}", settings=("free",))
        pages.append(page(session, summary_of(session), report_session.suite()))
    assert pages[0] == pages[1]


def test_html_csv_report_and_summary_show_the_same_numbers(session: Session, source: str) -> None:
    """Scores, intervals, tokens and costs per correct answer, in all four."""
    summary = summary_of(session)
    report = text.markdown(summary)
    rows = {(r["setting"], r["design"]): r for r in tables.scores(summary) if r["part"] == "all"}
    costs = {(r["setting"], r["design"], r["cell"]): r for r in tables.costs(summary)}
    plain = "|".join(" ".join("".join(Reader(source).words).split("\n")).split("  "))
    for setting, designs in summary["scores"].items():
        row, beside = designs["full_context"], summary["joint"][setting]["20x100"]["full_context"]
        low, high = row["interval"]
        shown = [f"{row['score']:.1f}", f"{low:.1f} to {high:.1f}", f"{beside['tokens_per_correct']:,.1f}"]
        for number in shown:
            assert number in report
            assert number in plain
        csv = rows[setting, "full_context"]
        assert [csv[n] for n in ("score", "low", "high", "n")] == [row["score"], low, high, row["n"]]
        assert costs[setting, "full_context", "20x100"]["tokens_per_correct"] == beside["tokens_per_correct"]
    html_rows = re.findall(r'<tr><th scope="row">full_context</th>(.*?)</tr>', source)
    first = re.findall(r"<td[^>]*>(.*?)</td>", html_rows[0])
    line = next(line for line in report.splitlines() if line.startswith("| full_context |"))
    assert first[:3] == [cell.strip() for cell in line.split("|")[2:5]]


def test_without_the_suite_evidence_is_not_invented(tmp_path: Path) -> None:
    """The page says that the suite is not at hand."""
    session = report_session.write(tmp_path, settings=("free",), costs=False)
    [first, *_] = questions(session, None)
    assert (first["evidence_known"], first["evidence"]) == (False, [])
    assert first["question"]
    assert "the suite is not at hand" in page(session, summary_of(session), None)


def test_memory_shows_evidence_first_and_says_what_is_left_out(session: Session) -> None:
    """The snippet made of the evidence turn is among those shown, and the rest is counted."""
    [first, *_] = questions(session, report_session.suite())
    memory: dict[str, Any] = first["answers"][0]["memory"]
    total = sum(len(f"note {n} {report_session.HANDLER} " + "long " * 300) for n in range(6))
    shown = sum(len(one["text"].text) for one in memory["snippets"])
    assert [one["evidence"] for one in memory["snippets"]].count(True) == 1
    assert (memory["count"], memory["left_out"]) == (6, total - shown)


@pytest.mark.parametrize("costs", [True, False])
def test_a_session_of_one_part_has_a_page_too(tmp_path: Path, costs: bool) -> None:
    """Conversations alone, or probes alone: parts without numbers are left out."""
    session = report_session.write(tmp_path, settings=("free",), costs=costs)
    if costs:
        items = [item for item in session.manifest["items"] if item["kind"] == "cost"]
        rows = [row for row in session.rows if row["kind"] == "cost"]
        session = Session(session.root, {**session.manifest, "items": items, "suite": None}, rows, [])
    source = page(session, summary_of(session), None)
    assert ("<h3>Serving cost</h3>" in source) == costs
    assert ("<h3>Scores</h3>" in source) == (not costs)
    assert ("<script>" in source) == (not costs)
