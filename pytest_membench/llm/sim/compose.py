"""Put an answer together from the lines that bear on a question, by the question's form."""

from collections.abc import Callable, Sequence

from pytest_membench.llm.sim import forms, totals
from pytest_membench.llm.sim.forms import best_sentences, day_of, said_date, spell
from pytest_membench.llm.sim.prompt import Question
from pytest_membench.llm.sim.rank import Hit, Term, close_cover, feedback, rank, terms, worth
from pytest_membench.llm.sim.words import Entry, stem, words

_POOL = 6
"""How many of the best lines a newest or last one is chosen from."""


def look(asked: Question) -> tuple[list[Term], list[Hit]]:
    """Return the question's terms and the lines that share some of them, best first."""
    wanted = terms(asked.text, asked.lines, skip=forms.FRAME)
    return wanted, rank(wanted, asked.lines, _offering(asked, wanted))


def _offering(asked: Question, wanted: Sequence[Term]) -> frozenset[int]:
    return frozenset(i for i, line in enumerate(asked.lines) if forms.offers(asked.text, line, wanted))


def answer(asked: Question, wanted: Sequence[Term], hits: Sequence[Hit]) -> str:
    """Return one to three sentences that answer the question, or say that it never came up."""
    if not bears(wanted, hits, asked.lines):
        return _never(hits, asked)
    form = next(write for fits, write in _FORMS if fits(asked.text))
    return form(asked, wanted, hits)


def bears(wanted: Sequence[Term], hits: Sequence[Hit], lines: Sequence[Entry]) -> bool:
    """Whether some line has the question's name together with something else that it asks about.

    A word of the question that no line has, nor any word near it, counts against.
    """
    if not hits:
        return False
    covers = [close_cover(wanted, hit, lines) for hit in hits[:8]]
    absent = any(not any(t.stem in x.stems or not t.kin.isdisjoint(x.stems) for x in lines) for t in wanted)
    named = [t for t in wanted if t.sharp and not t.stem[0].isdigit()]
    if not named or len(wanted) == len(named):
        return max(covers) >= 0.28
    return any(_together(wanted, named, hit, lines) for hit in hits[:8]) and max(covers) >= (0.48 if absent else 0.36)


def _together(wanted: Sequence[Term], named: Sequence[Term], hit: Hit, lines: Sequence[Entry]) -> bool:
    around = lines[max(0, hit.at - 2) : hit.at + 3]
    near = frozenset[str]().union(*(line.stems for line in around if line.date == hit.line.date), hit.line.stems)
    name = next((t for t in named if t.stem in near), None)
    return name is not None and any(
        t.stem in hit.line.stems or close_cover([t], hit, lines) > 0.5 for t in wanted if t is not name
    )


def _never(hits: Sequence[Hit], asked: Question) -> str:
    return f"That never came up; the nearest is: {_quote(hits[0].line, asked)}" if hits else "That never came up."


def _quote(line: Entry, asked: Question, limit: int = 2) -> str:
    short = line.text if len(line.text) < 200 else best_sentences(line.text, asked.text, limit)
    return f'"{short}"' + (f" ({line.date})" if line.date else "")


def _by_time(hits: Sequence[Hit]) -> list[Hit]:
    return sorted(hits, key=lambda hit: (hit.line.date, hit.line.time, hit.at))


def _pool(asked: Question, wanted: Sequence[Term], hits: Sequence[Hit], size: int = _POOL) -> list[Hit]:
    """The best lines by the question's words and by the words that go with them, the person's own first."""
    wider = rank([*wanted, *feedback(hits, asked.lines, wanted)], asked.lines, _offering(asked, wanted))
    good = [hit for hit in wider if hit.score >= 0.35 * wider[0].score]
    own = [hit for hit in good if hit.line.who != "Assistant"]
    return (own or good)[:size]


def _fact(asked: Question, wanted: Sequence[Term], hits: Sequence[Hit]) -> str:
    best = hits[0]
    told = [_quote(best.line, asked)]
    asks = best.line.who != "Assistant" and forms.ASKED_FOR.search(best.line.text)
    if asks or not forms.offers(asked.text, best.line, wanted):
        told += [
            _quote(line, asked, 1) for line in asked.lines[best.at + 1 : best.at + 2] if line.date == best.line.date
        ]
    told += [_quote(hit.line, asked, 1) for hit in hits[1:2] if hit.score > 0.75 * best.score]
    return " Also: ".join(dict.fromkeys(told))


def _latest(asked: Question, wanted: Sequence[Term], hits: Sequence[Hit]) -> str:
    pool = _pool(asked, wanted, hits)
    offering = [hit for hit in pool if forms.offers(asked.text, hit.line, wanted)]
    return f"By the latest word: {_quote(_by_time(offering or pool)[-1].line, asked)}"


def _when(asked: Question, wanted: Sequence[Term], hits: Sequence[Hit]) -> str:
    if forms.HAPPENED.search(asked.text) and not forms.NOW.search(asked.text):
        return _happened(asked, wanted, hits)
    pool = _pool(asked, wanted, hits)
    spoken = [hit for hit in pool if forms.offers(asked.text, hit.line, wanted)]
    line = _by_time(spoken or pool)[-1].line
    return _led(said_date(line, asked.text), line, asked)


def _led(value: str, line: Entry, asked: Question) -> str:
    return f"{value}: {_quote(line, asked)}" if value else _quote(line, asked)


def _happened(asked: Question, wanted: Sequence[Term], hits: Sequence[Hit]) -> str:
    pool = _pool(asked, wanted, hits, size=4)
    done = [hit for hit in pool if forms.DONE.search(hit.line.text)]
    line = _by_time(done)[-1].line if done else pool[0].line
    own = day_of(line)
    return _led(spell(own) if own else said_date(line, asked.text), line, asked)


def _span(asked: Question, wanted: Sequence[Term], hits: Sequence[Hit]) -> str:
    dated = _sides(asked, wanted) or [
        h for h in hits[:8] if h.line.date and h.score > 0.5 * hits[0].score and h.line.who != "Assistant"
    ]
    if len({hit.line.date for hit in dated}) < 2:
        return _fact(asked, wanted, hits)
    first, last = _by_time(dated)[0].line, _by_time(dated)[-1].line
    start, end = day_of(first), day_of(last)
    days = (end - start).days if start and end else 0
    return f"{days} days: from {_quote(first, asked, 1)} to {_quote(last, asked, 1)}"


def _sides(asked: Question, wanted: Sequence[Term]) -> list[Hit]:
    """The best line for each side of "between this and that", or none where the question has no two sides."""
    sides = forms.SIDES.search(asked.text)
    if not sides:
        return []
    common = [term._replace(weight=0.3 * term.weight) for term in wanted]
    own = [line for line in asked.lines if line.date and line.who != "Assistant"]
    both = [terms(side, asked.lines, skip=forms.FRAME) for side in (sides["one"], sides["other"])]
    return [rank([*side, *common], own)[0] for side in both if side and rank(side, own)]


def _order(asked: Question, wanted: Sequence[Term], hits: Sequence[Hit]) -> str:
    firsts = []
    for term in (t for t in wanted if t.sharp):
        own = [h for h in hits if term.stem in h.line.stems and h.line.date and h.line.who != "Assistant"]
        if own:
            came = [h for h in own if not totals.UNCOUNTED.search(h.line.text)] or own
            line = max(
                came, key=lambda h: sum(n not in h.line.stems for n in (t.stem for t in wanted if t is not term))
            ).line
            firsts.append((line.date, line.time, next(w for w in words(asked.text) if stem(w) == term.stem)))
    told = ", then ".join(name for _, _, name in sorted(firsts))
    return f"{told}." if told else _fact(asked, wanted, hits)


def _total(asked: Question, wanted: Sequence[Term], hits: Sequence[Hit]) -> str:
    told = totals.total(asked.text, wanted, _by_time([hit for hit in hits if hit.line.who != "Assistant"]))
    return told or _fact(asked, wanted, hits)


def _tells(line: Entry, asked: Question, wanted: Sequence[Term], hits: Sequence[Hit]) -> bool:
    """Whether a line has more of the question than its names, or tells in other words that it was done."""
    if any(worth(term, line) for term in wanted if not term.sharp):
        return True
    other = feedback(hits, asked.lines, wanted)
    return bool(forms.DONE.search(line.text)) and any(worth(term, line) for term in other)


def _yes_no(asked: Question, wanted: Sequence[Term], hits: Sequence[Hit]) -> str:
    pool = _pool(asked, wanted, hits, size=4)
    later = _by_time([hit for hit in pool if _tells(hit.line, asked, wanted, hits)] or pool)
    last = later[-1].line
    about = last.text if len(last.text) < 200 else best_sentences(last.text, asked.text, 2)
    told = _quote(last, asked)
    if forms.PARTLY.search(about):
        return f"Only partly: {told}"
    if forms.ELSEWHO.search(last.text):
        return f"Not you: {told}"
    if forms.DONE.search(about) and not forms.UNDONE.search(about) and not forms.VOW.search(about):
        return f"Yes: {told}"
    only = "; you only said you would" if forms.VOW.search(last.text) else ""
    return f"No, not as far as the chat shows{only}: {told}"


_Form = Callable[[Question, Sequence[Term], Sequence[Hit]], str]
_FORMS: tuple[tuple[Callable[[str], object], _Form], ...] = (
    (forms.ORDER.search, _order),
    (lambda q: forms.SPAN.search(q) and forms.BETWEEN.search(q) and not forms.NOW.search(q), _span),
    (lambda q: forms.COUNT.search(q) and forms.OVERALL.search(q) and not forms.NOW.search(q), _total),
    (lambda q: forms.YES_NO.search(q) and not forms.WHEN.search(q) and not forms.COUNT.search(q), _yes_no),
    (forms.WHEN.search, _when),
    (forms.NOW.search, _latest),
    (lambda _: True, _fact),
)
