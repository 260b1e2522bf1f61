"""report.html in a real browser: quiet, offline, filterable, and readable in the dark and on a phone."""

import re
import shutil
from collections.abc import Iterator
from typing import NamedTuple

import pytest
import report_session
from playwright.sync_api import Browser, Page, sync_playwright

from pytest_membench.report.html import page as html
from pytest_membench.report.summary import summary_of

CHROMIUM = shutil.which("chromium")
FLAGS: tuple[str, ...] = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run")
FLAGS += ("--disable-background-networking", "--disable-component-update", "--disable-sync")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no chromium is installed (Debian: apt-get install chromium)")


class Visit(NamedTuple):
    """An open page, and what it said and asked for while it was open."""

    page: Page
    faults: list[str]
    requests: list[str]


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The report of a session with texts that would do harm, in two settings."""
    session = report_session.write(tmp_path_factory.mktemp("browser"))
    return html.write(session, summary_of(session), report_session.suite()).as_uri()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Debian's chromium; playwright's own browsers are not used."""
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        yield running
        running.close()


@pytest.fixture
def visit(browser: Browser, address: str) -> Iterator[Visit]:
    """The report, just opened."""
    page = browser.new_page(viewport={"width": 1100, "height": 900})
    found = Visit(page, [], [])
    page.on("console", lambda message: found.faults.append(message.text))
    page.on("pageerror", lambda error: found.faults.append(str(error)))
    page.on("request", lambda request: found.requests.append(request.url))
    page.goto(address)
    yield found
    page.close()


def shown(page: Page) -> str:
    """Return what the status line says once the filters have been applied."""
    page.wait_for_timeout(250)
    return page.locator("#shown").inner_text()


def visible(page: Page) -> int:
    """Return the number of answers that the filters leave."""
    return int(page.evaluate("document.querySelectorAll('.question:not([hidden]) .answer:not([hidden])').length"))


def test_it_loads_quietly_and_asks_for_nothing(visit: Visit, address: str) -> None:
    """No message in the console, no error, and no request but the file itself, with all details open."""
    visit.page.evaluate("document.querySelectorAll('details').forEach((node) => { node.open = true; })")
    visit.page.wait_for_timeout(200)
    assert visit.faults == []
    assert visit.requests == [address]


def test_a_planted_script_did_not_run(visit: Visit) -> None:
    """Neither the script tag nor the event handler of the answers was obeyed."""
    assert visit.page.evaluate("window.planted === undefined")
    assert visit.page.locator("img").count() == 0
    assert visit.page.locator("script").count() == 1


def test_the_policy_stops_what_would_be_loaded(visit: Visit, address: str) -> None:
    """Were a picture, a script or an address smuggled in, the browser would refuse it."""
    visit.page.evaluate(
        """() => {
          const picture = new Image();
          picture.src = "http://192.0.2.1/x.png";
          document.body.append(picture);
          const script = document.createElement("script");
          script.textContent = "window.planted = 3";
          document.body.append(script);
          return fetch("http://192.0.2.1/").catch(() => null);
        }"""
    )
    assert visit.page.evaluate("window.planted === undefined")
    assert len(visit.faults) >= 3
    assert all("Content Security Policy" in fault for fault in visit.faults)


def test_filters_show_what_is_asked_for(visit: Visit) -> None:
    """By design, person, kind and outcome, one on top of the other; Clear shows everything again."""
    page = visit.page
    assert shown(page) == "72 of 72 answers to 12 of 12 probes are shown."
    page.select_option("select[name=design]", "window")
    assert shown(page).startswith("24 of 72 answers to 12 of 12")
    page.select_option("select[name=person]", "bo")
    page.select_option("select[name=kind]", "abstain")
    assert shown(page).startswith("4 of 72 answers to 2 of 12")
    page.select_option("select[name=outcome]", "not_run")
    assert shown(page).startswith("2 of 72 answers to 1 of 12")
    assert visible(page) == 2
    page.get_by_role("button", name="Clear").click()
    assert shown(page).startswith("72 of 72")


def test_words_are_looked_for_in_question_and_answer(visit: Visit) -> None:
    """All words must be there, in whatever case, in the question or in what a design made of it."""
    page = visit.page
    page.fill("input[name=text]", "UPDATE-02 bo")
    assert shown(page).startswith("6 of 72 answers to 1 of 12")
    page.fill("input[name=text]", "worker died")
    assert shown(page).startswith("2 of 72")
    page.fill("input[name=text]", "nobody said this")
    assert shown(page).startswith("0 of 72 answers to 0 of 12")


def test_the_keyboard_is_enough(visit: Visit) -> None:
    """Tab reaches the skip link first; a filter is chosen and a question opened without a mouse."""
    page = visit.page
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    page.focus("select[name=person]")
    page.keyboard.press("ArrowDown")
    assert shown(page).startswith("36 of 72")
    page.focus(".question:not([hidden]) summary")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.parentElement.open")
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"


@pytest.mark.parametrize("width", [360, 390, 1100])
def test_the_page_never_scrolls_sideways(visit: Visit, width: int) -> None:
    """Also on a phone and with everything open: tables and figures scroll inside their boxes."""
    visit.page.set_viewport_size({"width": width, "height": 800})
    visit.page.evaluate("document.querySelectorAll('details').forEach((node) => { node.open = true; })")
    assert visit.page.evaluate("document.documentElement.scrollWidth") <= width


def luminance(color: str) -> float:
    """Return the relative luminance of a computed colour, `rgb(r, g, b)` (WCAG 2.2)."""
    parts = [int(n) / 255 for n in re.findall(r"\d+", color)[:3]]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_has_contrast_in_light_and_dark(visit: Visit, scheme: str) -> None:
    """At least 4.5 to 1 (WCAG 2.2 AA): text, muted text, links and marks on paper, and each field of the heat map."""
    page = visit.page
    page.emulate_media(color_scheme="light" if scheme == "light" else "dark")
    read = """(name) => { const node = document.createElement("i"); node.style.color = `var(--${name})`;
      document.body.append(node); const color = getComputedStyle(node).color; node.remove(); return color; }"""

    def contrast(ink: str, paper: str) -> float:
        dark, light = sorted(luminance(page.evaluate(read, name)) for name in (ink, paper))
        return (light + 0.05) / (dark + 0.05)

    assert (luminance(page.evaluate("getComputedStyle(document.body).backgroundColor")) < 0.05) == (scheme == "dark")
    pairs = [(ink, paper) for ink in ("ink", "muted", "accent", "good", "fair", "bad") for paper in ("paper", "wash")]
    pairs += [(f"heat-ink-{n}", f"heat-{n}") for n in range(11)]
    assert [pair for pair in pairs if contrast(*pair) < 4.5] == []


def test_figures_take_the_page_s_colours(visit: Visit) -> None:
    """The same drawing is dark on light and light on dark."""
    read = "getComputedStyle(document.querySelector('svg.figure text')).fill"
    colors = []
    for scheme in ("light", "dark"):
        visit.page.emulate_media(color_scheme="light" if scheme == "light" else "dark")
        colors.append(luminance(visit.page.evaluate(read)))
    assert colors[0] < 0.1
    assert colors[1] > 0.6


def test_every_figure_has_a_name_and_a_table(visit: Visit) -> None:
    """A screen reader gets the title; the numbers stand in a table right below."""
    figures = visit.page.locator("figure")
    assert figures.count() > 10
    assert visit.page.locator("figure svg[role=img] > title").count() == figures.count()
    assert visit.page.locator("figure details.equivalent table").count() == figures.count()
    names = visit.page.evaluate(
        "[...document.querySelectorAll('svg.figure')].map((n) => document.getElementById(n.getAttribute('aria-labelledby')).textContent)"
    )
    assert all(names)


def test_no_text_of_a_figure_is_cut_off(visit: Visit) -> None:
    """Every text lies within its drawing."""
    visit.page.evaluate("document.querySelectorAll('details').forEach((node) => { node.open = true; })")
    outside = visit.page.evaluate(
        """() => [...document.querySelectorAll("svg.figure")].flatMap((svg) => {
          const frame = svg.getBoundingClientRect();
          return [...svg.querySelectorAll("text")].filter((text) => {
            const box = text.getBoundingClientRect();
            return box.left < frame.left - 2 || box.right > frame.right + 2 || box.top < frame.top - 2 || box.bottom > frame.bottom + 2;
          }).map((text) => text.textContent);
        })"""
    )
    assert outside == []
