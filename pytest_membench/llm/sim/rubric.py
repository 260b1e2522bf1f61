"""Grade a reply by a rubric: quoted words are wanted, or forbidden where the rubric says so."""

import re
from typing import Literal, NamedTuple

from pytest_membench.llm.sim.words import NUMBERS, sentences, stem, stems, words

Label = Literal["correct", "partial", "wrong"]

_QUOTED = re.compile(r'["\u201c]([^"\u201d]+)["\u201d]')
_WITHOUT = re.compile(r"\b(?:without|no|not|never|avoids?|leaves? out|free of)\b[^.;,]*$", re.IGNORECASE)
_OR = re.compile(r"^\W*or\s*$")
_LIMIT = re.compile(
    r"(?:(?:at most|exactly|no more than|up to|past|more than) )?(\w+) (sentences?|lines?|points?|words?|bullets?)"
    r"(?: at most| or fewer)?",
    re.IGNORECASE,
)
_NEGATED = re.compile(
    r"\b(?:no|not|without|never|avoid\w*|leav\w+ out|skip\w*|free of|instead of|hold)\b[^.;]*$", re.IGNORECASE
)


class Check(NamedTuple):
    """One demand of a rubric and whether the reply meets it; None where it cannot be seen."""

    what: str
    met: bool | None


def grade(rubric: str, answer: str, question: str) -> tuple[Label, str]:
    """Return the label of a reply, and why: all demands met, some, or none or one that misses."""
    misses = next((s for s in sentences(rubric) if s.lower().startswith("a reply that") or " misses" in s), "")
    wanted = rubric.replace(misses, "")
    broken = _broken(misses, wanted, answer)
    if broken:
        return "wrong", f"the reply has what misses: {broken}"
    head = re.search(r"\bfirst line\b|\bvery first\b|\bopening words\b|\bleads? with\b", wanted)
    shown = answer.strip().split("\n", 1)[0] if head else answer
    checks = [*_wanted(wanted, shown), *_forms(wanted, answer)] or _key_words(wanted, answer, question)
    met = sum(check.met is True for check in checks)
    unmet = ", ".join(check.what for check in checks if check.met is not True)
    if met == len(checks):
        return "correct", "the reply does all that the rubric demands"
    seen = met or any(check.met is None for check in checks)
    return ("partial" if seen else "wrong"), f"the reply does not show: {unmet}"


def _found(phrase: str) -> str:
    """The pattern of a phrase: whole words, or signs wherever they stand."""
    bare = re.escape(phrase.strip().lower())
    return rf"(?<!\w){bare}(?!\w)" if phrase[:1].isalnum() else bare


def _holds(answer: str, phrase: str) -> bool:
    return re.search(_found(phrase), answer.lower()) is not None


def _shown(answer: str, phrase: str) -> bool:
    """Whether the phrase is used and not merely ruled out ("no coriander")."""
    for found in re.finditer(_found(phrase), answer.lower()):
        if not _NEGATED.search(answer[: found.start()][-40:]):
            return True
    return False


def _broken(misses: str, wanted: str, answer: str) -> str:
    required = {q.lower() for q in _QUOTED.findall(wanted)}
    for match in _QUOTED.finditer(misses):
        if match[1].lower() not in required and _shown(answer, match[1]) and not _only(misses, match, answer, required):
            return f'"{match[1]}"'
    return _broken_form(misses, answer)


def _only(misses: str, match: re.Match[str], answer: str, required: set[str]) -> bool:
    """Whether the phrase misses only when it stands alone, and what is required is there too."""
    alone = "only" in misses[: match.start()] or "alone" in misses[match.end() :]
    return alone and any(_holds(answer, phrase) for phrase in required)


def _broken_form(misses: str, answer: str) -> str:
    listed = re.search(r"^\s*(?:[-*•]\s|\d+[.)]\s)", answer, re.MULTILINE)
    if re.search(r"\bbullets?\b", misses) and re.search(r"^\s*[-*•]\s", answer, re.MULTILINE):
        return "bullets"
    if re.search(r"\ba list\b", misses) and listed:
        return "a list"
    if re.search(r"\bheadings?\b", misses) and re.search(r"^#+ |^\*\*[^*]+\*\*\s*$", answer, re.MULTILINE):
        return "headings"
    if re.search(r"\bemojis?\b", misses) and re.search(r"[\U0001F300-\U0001FAFF\u2600-\u27BF]", answer):
        return "an emoji"
    return ""


def _wanted(wanted: str, answer: str) -> list[Check]:
    checks: list[Check] = []
    end = 0
    for match in _QUOTED.finditer(wanted):
        between, end = wanted[end : match.start()], match.end()
        ruled_out = _WITHOUT.search(re.split(r"[.;]", wanted[: match.start()])[-1])
        if ruled_out:
            checks.append(_absence(answer, match[1], wanted[: match.start()]))
        elif checks and _OR.match(between):
            checks[-1] = Check(f"{checks[-1].what} or {match[1]}", checks[-1].met or _holds_all(answer, match[1]))
        else:
            checks.append(Check(match[1], _holds_all(answer, match[1])))
    return checks


def _absence(answer: str, phrase: str, before: str) -> Check:
    """A thing to be left out: met where the reply says so, unknown where it is silent.

    Of a word or a sign the reply itself shows that it is left out.
    """
    if not _holds(answer, phrase):
        visible = not phrase[0].isalnum() or re.search(r"\bword\b[^.;]*$", before)
        return Check(f"that it leaves out {phrase}", True if visible else None)
    return Check(f"that it leaves out {phrase}", not _shown(answer, phrase))


def _holds_all(answer: str, phrase: str) -> bool:
    if _holds(answer, phrase):
        return True
    parts = {stem(w) for w in words(phrase)}
    return len(parts) > 1 and parts <= {stem(w) for w in words(answer)}


def _forms(wanted: str, answer: str) -> list[Check]:
    """Demands on form that can be counted: so many sentences, lines, points or words."""
    checks = []
    for match in _LIMIT.finditer(wanted):
        number = NUMBERS.get(match[1].lower(), match[1])
        if number.isdigit():
            count, limit = _count(match[2].rstrip("s").lower(), answer), int(number)
            exact = match[0].lower().startswith("exactly")
            checks.append(Check(match[0], count == limit if exact else 0 < count <= limit))
    for clause in re.findall(r", then ([^.,;]*)", wanted):
        if not _QUOTED.search(clause) and not _LIMIT.search(clause) and "question" not in clause:
            keys = stems(clause)
            checks.append(Check(clause, len(keys & stems(answer)) >= 0.4 * len(keys) if keys else True))
    if re.search(r"\bquestion\b[^.]*\bat the end\b|ends? (?:with|on) a question", wanted):
        checks.append(Check("a question at the end", answer.rstrip().endswith("?")))
    return checks


def _count(unit: str, answer: str) -> int:
    if unit == "word":
        return len(answer.split())
    if unit == "sentence":
        return len(sentences(answer))
    lines = [line for line in answer.splitlines() if line.strip()]
    listed = [line for line in lines if re.match(r"\s*(?:[-*•]|\d+[.)])\s", line)]
    return len(listed) if unit in ("point", "bullet") else len(lines)


def _key_words(wanted: str, answer: str, question: str) -> list[Check]:
    keys = (
        stems(wanted)
        - {"reply", "answer", "greet", "brief", "short", "stop", "plain", "polit", "warm"}
        - stems(question)
    )
    if not keys:
        return [Check("a reply", bool(answer.strip()))]
    share = len(keys & stems(answer)) / len(keys)
    if share >= 0.5:
        return [Check("the key words", True)]
    return [Check("half of the key words", None if share >= 0.2 else False)]
