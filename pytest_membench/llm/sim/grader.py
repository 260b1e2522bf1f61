"""The judge of the model `sim`: compares an answer with gold, or with a rubric, by lexical rules."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

import orjson

from pytest_membench.llm.sim import rubric
from pytest_membench.llm.sim.words import MONTHS, STOP, WEEKDAYS, dates, number_like, stem, stems, words

Label = Literal["correct", "partial", "wrong"]

_ABSTAIN = re.compile(r"never (?:said|came up|mentioned|stated)|thing asked for was never", re.IGNORECASE)
_TWO_LABELS = re.compile(r'"label": "CORRECT".*"label": "WRONG"')
_DONT_KNOW = re.compile(
    r"never (?:came|come|said|mention|told|brought|gave|talked)|did(?:n't| not) (?:come up|mention|say|tell)"
    r"|(?:has|have|had)(?:n't| not) (?:come up|been|said|mentioned|told)|(?:wasn't|was not|isn't|is not|not) "
    r"(?:been )?(?:mentioned|said|stated|given|recorded|told)|don't (?:know|have|see|recall)|do not (?:know|have)"
    r"|no (?:record|mention|idea|information|message)|not (?:sure|known)|can(?:'t|not) (?:find|tell|say)|unknown",
    re.IGNORECASE,
)
_GUESS = re.compile(
    r"\b(?:probably|perhaps|maybe|guess|i think|might be|likely|presumably|i'd say|if i had to)\b", re.IGNORECASE
)
_NO = re.compile(r"^\W*(?:no|not|nope|never|it never|you (?:did not|didn't|never)|only part)\b", re.IGNORECASE)
_YES = re.compile(r"^\W*(?:yes|yep|yeah|you did|done|it is done|it was done)\b", re.IGNORECASE)
_NOT = re.compile(r"\b(?:not|never|no|isn't|wasn't|didn't|hasn't|don't)\W+(?:\w+\W+){0,2}$", re.IGNORECASE)
_WAS = re.compile(
    r"\b(?:was|were|first|from|before|then|instead of|rather than|not|old|used to|earlier|originally|previously|had|until)"
    r"\W+(?:\w+\W+){0,3}$",
    re.IGNORECASE,
)
_OLD = re.compile(
    r"\b(?:first|then|it was|was to be|before that|originally|for a while|from) (?:the |on |after )?[£€$]?([^,;()]+)",
    re.IGNORECASE,
)


class Needs(NamedTuple):
    """What an answer must state: numbers and dates, names, and where there are none, words."""

    values: tuple[str, ...]
    names: tuple[str, ...]
    words: tuple[str, ...]


def task(texts: Sequence[str]) -> dict[str, Any] | None:
    """Return the judge's input where the prompt is a judge's, else None.

    It is one when a message is a JSON object with "question", "answer", and "gold" or "rubric";
    "abstain" is set where the instruction says that the thing was never said, and "two labels"
    where it wants CORRECT or WRONG and nothing between them.
    """
    text = texts[-1].strip()
    if not (text.startswith("{") and text.endswith("}") and '"answer"' in text):
        return None
    try:
        data: dict[str, Any] = orjson.loads(text)
    except ValueError:
        return None
    if not {"question", "answer"} <= set(data) or not {"gold", "rubric"} & set(data):
        return None
    instruction = "\n".join(texts[:-1])
    return data | {"abstain": bool(_ABSTAIN.search(instruction)), "two labels": bool(_TWO_LABELS.search(instruction))}


def grade(data: Mapping[str, Any]) -> str:
    """Return the verdict on a judge's input as JSON: {"reason", "label"}."""
    answer, question = str(data["answer"]), str(data["question"])
    if "rubric" in data:
        label, reason = rubric.grade(str(data["rubric"]), answer, question)
    elif data.get("abstain"):
        label, reason = _abstain(str(data["gold"]), answer, question)
    else:
        label, reason = _compare(str(data["gold"]), answer, question)
    shown = ("CORRECT" if label == "correct" else "WRONG") if data.get("two labels") else label
    return orjson.dumps({"reason": reason, "label": shown}).decode()


def _abstain(gold: str, answer: str, question: str) -> tuple[Label, str]:
    if not _DONT_KNOW.search(answer):
        return "wrong", "the answer treats as said what never was"
    if _GUESS.search(answer) or _foreign_values(gold, answer, question):
        return "partial", "the answer says that it never came up but adds a guess"
    return "correct", "the answer says that it never came up"


def _foreign_values(gold: str, answer: str, question: str) -> bool:
    """Whether the answer's first sentence, before a near miss is told, asserts a value."""
    first = re.split(r"(?<=[a-z)])[.;:]|\b(?:only|but|just|near(?:est)?|close(?:st)?)\b", answer, maxsplit=1)[0]
    said = set(number_like(first)) - set(number_like(gold)) - set(number_like(question))
    return bool(said) and _DONT_KNOW.search(first) is not None


def _compare(gold: str, answer: str, question: str) -> tuple[Label, str]:
    if _DONT_KNOW.search(_opening(answer)) and not _NO.match(gold):
        return "wrong", "the answer says that it does not know"
    if _polarity(gold) and _polarity(answer) and _polarity(gold) != _polarity(answer):
        return "wrong", f"the answer says {_polarity(answer)}, gold says {_polarity(gold)}"
    clause = main_clause(gold)
    needs = needed(clause, question)
    if not any(needs):
        return _bare_polarity(gold, answer)
    return _weigh(needs, clause, gold, answer)


def _opening(answer: str) -> str:
    return re.split(r"(?<=[.!?;:])\s", answer.strip(), maxsplit=1)[0]


def _polarity(text: str) -> str:
    return "no" if _NO.match(text) else "yes" if _YES.match(text) else ""


def _bare_polarity(gold: str, answer: str) -> tuple[Label, str]:
    wanted = _polarity(gold)
    if wanted and _polarity(answer) == wanted:
        return "correct", f"the answer says {wanted}, as gold does"
    rest = stems(gold)
    shared = len(rest & stems(answer)) / (len(rest) or 1)
    return ("partial", "the answer tells a part without saying yes or no") if shared >= 0.4 else ("wrong", "not said")


def main_clause(gold: str) -> str:
    """Return what gold states first: up to a bracket, a colon, a semicolon or the sentence's end.

    A value before a comma stands alone; a bare yes or no takes along what makes it a part or
    somebody else's doing.
    """
    head = re.split(r"\s*\(|;|(?<=[^\d])\.(?:\s|$)|(?<=\d)\.(?:\s|$)", gold, maxsplit=1)[0]
    first = head.partition(":")[0]
    if re.match(r"^(?:not (?:me|you|quite)|only part\w*)\b", first, re.IGNORECASE):
        return head
    opening = re.split(r",\s", first, maxsplit=1)[0]
    return opening if _values(opening) or (_polarity(first) == "yes" and opening.lower() == "yes") else first


def needed(clause: str, question: str) -> Needs:
    """Return what an answer must state to state `clause`; what the question says is no news."""
    plain = re.sub(r"^\W*(?:yes|no|not)\b[,:]?", "", clause, flags=re.IGNORECASE)
    if re.search(r"as far as", plain):
        plain = ""
    asked = stems(question)
    values = tuple(dict.fromkeys(_values(plain)))
    named = tuple(dict.fromkeys(s for s in _named(plain) if s not in asked or _listing(plain)))
    rest = tuple(
        sorted(stems(plain) - asked - set(number_like(plain)) - set(MONTHS) - set(WEEKDAYS) - {"chat", "show"})
    )
    return Needs(values, named, () if values or named else rest)


def _listing(clause: str) -> bool:
    return len(_named(clause)) >= 3


def _named(text: str) -> list[str]:
    found = [stem(w) for w in words(text) if w[0].isupper() and w.lower() not in STOP and not w[0].isdigit()]
    opening = {stem(w) for w in words(text)[:1]} if len(words(text)) > 5 else set()
    plain = opening | set(MONTHS) | set(WEEKDAYS) | {"mr", "mrs", "ms", "dr"}
    return [s for s in found if s not in plain and not s[0].isdigit()]


def _values(text: str) -> list[str]:
    """Return the dates ("9-14") and the other numbers of a text, in order."""
    said = dates(text)
    rest = text
    for day in said:
        rest = rest.replace(day.said, " ")
    rest = re.sub(r"\b20[23]\d\b", " ", rest) if said else rest
    return [f"{day.month}-{day.day}" for day in said] + number_like(rest)


def _weigh(needs: Needs, clause: str, gold: str, answer: str) -> tuple[Label, str]:
    essential = [*needs.values, *needs.names, *needs.words]
    found = [item for item in essential if _states(answer, item)]
    if _ordered(clause) and not _in_order(needs.names, answer):
        return "partial" if len(found) == len(essential) else "wrong", "the order is another one"
    if len(found) == len(essential) or (needs.words and len(found) >= 0.6 * len(essential)):
        return _choice(needs, gold, answer)
    if (needs.words and len(found) < 0.3 * len(essential)) or not found:
        return "wrong", f"the answer lacks {', '.join(x for x in essential if x not in found)}"
    return "partial", f"the answer lacks {', '.join(x for x in essential if x not in found)}"


def _ordered(clause: str) -> bool:
    return len(_named(clause)) >= 2 and re.search(r",? then\b", clause) is not None


def _in_order(wanted: Sequence[str], answer: str) -> bool:
    said = [stem(w) for w in words(answer)]
    places = [said.index(name) for name in wanted if name in said]
    return places == sorted(places)


def _states(answer: str, item: str) -> bool:
    if re.fullmatch(r"\d+-\d+", item):
        month, day = map(int, item.split("-"))
        return any(
            d.day == day and (d.month in (month, 0) or month == 0) and not _denied(answer, d.said)
            for d in dates(answer)
        )
    if item[0].isdigit():
        return item in number_like(answer) and not _denied(answer, item)
    return item in {stem(w) for w in words(answer)}


def _denied(answer: str, said: str) -> bool:
    return (
        any(_NOT.search(answer[: m.start()][-30:]) for m in re.finditer(re.escape(said), answer))
        and answer.count(said) == 1
    )


def _choice(needs: Needs, gold: str, answer: str) -> tuple[Label, str]:
    """Refuse an answer that gives gold's outdated value first, or beside it without choosing."""
    for old in _outdated(needs, gold):
        for match in re.finditer(rf"(?<![\d.,]){re.escape(old)}(?![\d])", answer):
            first_right = min((answer.find(w) for w in _spelled(needs, answer)), default=0)
            if match.start() < first_right and not _WAS.search(answer[: match.start()][-40:]):
                return "wrong", f"the answer gives the outdated {old} before the value that counts"
    return "correct", "the answer states what gold states"


def _outdated(needs: Needs, gold: str) -> list[str]:
    """The values that gold's brackets call old: "first the 7th, then 12 September"."""
    told = " ; ".join(match[1] for aside in re.findall(r"\(([^)]*)\)", gold) for match in _OLD.finditer(aside))
    days = dates(told)
    old = [day.said for day in days if f"{day.month}-{day.day}" not in needs.values]
    rest = told
    for day in days:
        rest = rest.replace(day.said, " ")
    bare = [n for n in re.findall(r"\d+(?:[.,]\d+)*", rest) if stem(n) not in needs.values]
    named = [w for w in words(rest) if w[0].isupper() and stem(w) not in (*needs.names, *MONTHS, *WEEKDAYS)]
    return [*old, *bare, *(named if needs.names and not needs.values else [])]


def _spelled(needs: Needs, answer: str) -> list[str]:
    wanted = {*needs.values, *needs.names}
    plain = [w for w in words(answer) if stem(w) in wanted]
    return plain + [
        d.said
        for d in dates(answer)
        if f"{d.month}-{d.day}" in wanted or (d.month == 0 and any(v.endswith(f"-{d.day}") for v in wanted))
    ]
