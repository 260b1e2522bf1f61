"""Find the lines that bear on a question: stem overlap, weighted by rarity, with neighbours."""

import math
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from pytest_membench.llm.sim.words import KIN, STOP, Entry, all_names, sentences, stem, stems, words

_KIN_WORTH = 0.55
_NEIGHBOUR_WORTH = 0.35
_RARE = 6


class Term(NamedTuple):
    """A stem of the question: its weight, its kin, and whether it is a name or number."""

    stem: str
    weight: float
    kin: frozenset[str]
    sharp: bool


class Hit(NamedTuple):
    """A line with its place in the prompt, its score and the share of the question it covers."""

    at: int
    line: Entry
    score: float
    cover: float


def terms(question: str, lines: Sequence[Entry], skip: frozenset[str] = frozenset()) -> list[Term]:
    """Return the topical stems of `question` by first use, weighted by rarity among `lines`."""
    known = all_names(lines)
    wanted = list(dict.fromkeys(s for s in map(stem, words(question)) if s in stems(question) and s not in skip))
    found = [_term(s, lines, s in known or s[0].isdigit() or s in _capitals(question)) for s in wanted]
    return [term._replace(kin=term.kin.difference(wanted)) for term in found]


def _capitals(question: str) -> set[str]:
    return {stem(w) for w in words(question)[1:] if w[0].isupper() and w.lower() not in STOP}


def _term(s: str, lines: Sequence[Entry], sharp: bool) -> Term:
    seen = [line for line in lines if s in line.stems]
    weight = math.log(2 + len(lines) / (1 + len(seen))) * (1.5 if sharp else 1.0)
    kin = KIN.get(s, frozenset())
    if not sharp and 0 < len(seen) <= _RARE:
        kin = kin.union(*(aliases(line, s) for line in seen))
    return Term(s, weight, kin, sharp)


@lru_cache(maxsize=1 << 14)
def aliases(line: Entry, role: str) -> frozenset[str]:
    """Return the names that stand within two words of `role`: "Rab the plumber", "my GP, Dr Osei"."""
    said = words(line.text)
    near = frozenset[str]()
    for at, word in enumerate(said):
        if stem(word) == role:
            near |= {stem(w) for w in said[max(0, at - 2) : at + 3] if w[0].isupper() and w.lower() not in STOP}
    return near - {role}


def feedback(hits: Sequence[Hit], lines: Sequence[Entry], known: Sequence[Term], most: int = 8) -> list[Term]:
    """Return the rare stems of the best lines as terms of little weight, to find what is told in other words."""
    best = [hit for hit in hits[:4] if hit.score >= 0.6 * hits[0].score]
    have = {term.stem for term in known}
    rare: dict[str, float] = {}
    told = frozenset[str]().union(*(hit.line.stems for hit in best)) - have
    count = Counter(s for line in lines for s in told & line.stems)
    for hit in best:
        for s in sorted(hit.line.stems - have):
            seen = count[s]
            if 2 <= seen <= max(3, len(lines) // 20):
                rare[s] = rare.get(s, 0.0) + math.log(2 + len(lines) / (1 + seen)) * hit.cover
    chosen = sorted(rare, key=lambda s: (-rare[s], s))[:most]
    return [Term(s, 0.3 * rare[s], frozenset(), False) for s in chosen]


def rank(wanted: Sequence[Term], lines: Sequence[Entry], prefer: frozenset[int] = frozenset()) -> list[Hit]:
    """Return the lines that share something with the question, best first, older first on ties.

    Lines whose place is in `prefer` have what the question asks for (a number, a date, a name).
    """
    full = sum(term.weight for term in wanted) or 1.0
    own = [[worth(term, line) for term in wanted] for line in lines]
    hits = []
    for at, line in enumerate(lines):
        if not any(own[at]):
            continue
        covered = sum(w * term.weight for w, term in zip(_with_neighbours(own, at), wanted, strict=True))
        score = covered * (1.15 if at in prefer else 1.0) * (0.85 if line.text.endswith("?") else 1.0)
        score *= 0.9 if line.who == "Assistant" else 1.0
        hits.append(Hit(at, line, score, covered / full))
    return sorted(hits, key=lambda hit: (-hit.score, hit.at))


def worth(term: Term, line: Entry) -> float:
    """Return how far a line has a term: 1 for the stem itself, less for kin, 0 for neither."""
    if term.stem in line.stems:
        return 1.0
    return _KIN_WORTH if term.kin and not term.kin.isdisjoint(line.stems) else 0.0


def _with_neighbours(own: Sequence[Sequence[float]], at: int) -> list[float]:
    """What a line has of each term, or at a lower worth what the lines before and after it have."""
    before = own[at - 1] if at else own[at]
    after = own[at + 1] if at + 1 < len(own) else own[at]
    return [
        w if w >= _NEIGHBOUR_WORTH else _NEIGHBOUR_WORTH * max(x, y)
        for w, x, y in zip(own[at], before, after, strict=True)
    ]


def close_cover(wanted: Sequence[Term], hit: Hit, lines: Sequence[Entry]) -> float:
    """Return the share of the question that one sentence of a line covers, the rest of the line at half."""
    full = sum(term.weight for term in wanted) or 1.0
    around = frozenset[str]().union(*(lines[i].stems for i in (hit.at - 1, hit.at + 1) if 0 <= i < len(lines)))
    parts = [stems(part) for part in sentences(hit.line.text)] or [hit.line.stems]
    return max(sum(term.weight * _near(term, part, hit.line.stems, around) for term in wanted) for part in parts) / full


def _near(term: Term, part: frozenset[str], line: frozenset[str], around: frozenset[str]) -> float:
    if term.stem in part:
        return 1.0
    if term.stem in line:
        return 0.6
    if not term.kin.isdisjoint(part):
        return _KIN_WORTH
    return _NEIGHBOUR_WORTH if term.stem in around or not term.kin.isdisjoint(line) else 0.0
