"""Reply to openers and requests for work: short, and as the person asked for it."""

import re
from collections.abc import Sequence
from datetime import date, timedelta

from pytest_membench.llm.sim.points import worth
from pytest_membench.llm.sim.prompt import Question
from pytest_membench.llm.sim.wishes import Wish, call_name, said_back, wishes
from pytest_membench.llm.sim.words import NUMBERS, number_like, sentences

_GREETING = re.compile(
    r"^(?:good )?(morning|afternoon|evening|hello|hi|hey|night|goodnight|hiya|thanks|thank you)\b", re.IGNORECASE
)
_PARTING = re.compile(r"\b(night|goodnight|bye|good night)\W*$", re.IGNORECASE)
_VERB = re.compile(
    r"(?:^|[.!?:] )(?:so |ok |right,? |now |please |can you |could you |would you |will you |quick |and |wee )*(?:draft|write"
    r"|give me|do me|make me|plan|suggest|recap|summ\w+|help|sketch|put together|list|compose|reply|proofread|explain|convert"
    r"|propose|prepare|do)\b",
    re.IGNORECASE,
)
_ADVICE = re.compile(
    r"\bwhat do (?:i|we) (?:order|do|say|bring|cook|wear|write|buy)\b|(?:^|[.!?,] )(?:what|which|how|so|and|or)? ?"
    r"(?:shall|should|can|could) (?:i|we)\b|\bplease\b|\brecap\b|\bwhat now\b",
    re.IGNORECASE,
)
_PAST = re.compile(r"\b(?:again|did|was|were|had|said|have (?:i|we)|has|remind me)\b", re.IGNORECASE)
_WH = re.compile(
    r"\b(?:what|when|where|who|whose|which|why|how|did|do|does|is|are|was|were|has|have|had|am|will|would)\b",
    re.IGNORECASE,
)
_CHOICE = re.compile(r"\b(\w+) or (?:an? |the |by )?(\w+)\b", re.IGNORECASE)
_LEAD = re.compile(
    r"^(?:.{0,60}?:\s+|(?:can you |could you |please )*(?:draft|write|give|do|make)(?: me| up| out)* ?(?:an? |the )?)",
    re.IGNORECASE,
)
_SUM = re.compile(r"(\d[\d,.]*)\s+[^.?!\d]*?\b(?:at|x|times|\u00d7)\s+([£€$]?)(\d[\d,.]*\d|\d)", re.IGNORECASE)
_HEADED = re.compile(r"\b(?:headed|section called|titled|entitled) [\"\u201c']?([A-Z]\w+)")
_HEADINGS = re.compile(r"\bheadings?[,:]? ((?:[A-Z]\w+(?:, | and |,? )?){2,})")
_SIGN = re.compile(r"\bsign (?:it|them|off)(?: as| with)? ([A-Z][\w ]*?)(?=[.,;]|$)")
_TITLED = re.compile(r"\b(?:Mr|Mrs|Ms|Dr) [A-Z]\w+")
_LIMIT = re.compile(r"\b(\w+) (points?|lines?|sentences?|bullets?)\b", re.IGNORECASE)
_OUT = (
    re.compile(r"\bno (\w+) in (?:this|the|my|our)\b", re.IGNORECASE),
    re.compile(r"\b(\w+) tastes of\b", re.IGNORECASE),
    re.compile(r"\bstopped eating ([\w ]+?)(?= in | after | since |[.,;]|$)", re.IGNORECASE),
    re.compile(r"\ballergic to ([\w ]+?)(?=[.,;]|$)", re.IGNORECASE),
    re.compile(r"\b(?:can't (?:have|eat|stand)|hates?|loathes?) (\w+)", re.IGNORECASE),
)
_FULL_DATE = re.compile(r"\bdates? in full\b|\bfull date\b", re.IGNORECASE)
_ORDINAL = re.compile(r"\b(?:on )?the (\d{1,2})(?:st|nd|rd|th)\b")


def is_greeting(text: str) -> bool:
    """Whether the message is an everyday opener or parting: "morning", "hi there", "night"."""
    return (bool(_GREETING.match(text)) and len(text.split()) <= 6) or (bool(_PARTING.search(text)) and "?" not in text)


def choice(text: str) -> tuple[str, str] | None:
    """Return the two sides of an "a or b?" that stands first in the message, or None."""
    found = _CHOICE.search(text)
    early = found is not None and found.start() < 25 and not _WH.match(text)
    return (found[1], found[2]) if found and early and text.rstrip().endswith("?") else None


def is_request(text: str) -> bool:
    """Whether the message opens the talk, asks for a piece of work or tells something, and asks no past fact."""
    if is_greeting(text) or choice(text) or _SUM.search(text) or _VERB.search(text):
        return True
    if _PAST.search(text):
        return False
    return bool(_ADVICE.search(text)) or not ((_WH.search(text) and "?" in text) or _WH.match(text))


def respond(asked: Question) -> str:
    """Return a short reply that honours the person's wishes as far as the prompt shows them."""
    if is_greeting(asked.text):
        return _greet(asked)
    head = _head(asked.text)
    near = wishes(asked, head)
    said = " ".join(wish.text for wish in near)
    pick, product = choice(asked.text), _SUM.search(asked.text)
    if pick:
        return _pick(pick, said)
    if product:
        return _product(product)
    work = _VERB.search(asked.text) or _ADVICE.search(asked.text)
    return _work(asked, near) if work else "Noted."


def _head(text: str) -> str:
    """The part of a request that says what is wanted: up to a colon, or a comma after four words."""
    found = re.match(r"(?:\S+\s+){2,}?[^\s:]+:\s|(?:\S+\s+){3,}?[^\s,]+,\s", text)
    return found[0] if found else text


def _greet(asked: Question) -> str:
    found = _GREETING.match(asked.text) or _PARTING.search(asked.text)
    said = found[1].lower() if found else "hello"
    word = said_back(asked, said) or said
    return f"{word[0].upper()}{word[1:]}, {call_name(asked)}."


def _pick(sides: tuple[str, str], said: str) -> str:
    case = f" The best case against it: the {sides[1]} may suit you better on the day."
    return f"{sides[0].capitalize()}." + (case if re.search(r"\bcase\b|\bpick\b|\bagainst\b", said) else "")


def _product(found: re.Match[str]) -> str:
    one, other = (float(found[i].rstrip(".").replace(",", "")) for i in (1, 3))
    total = f"{one * other:,.2f}".removesuffix(".00")
    return f"{found[2]}{total}: {found[1]} x {found[2]}{found[3]}."


def _work(asked: Question, near: Sequence[Wish]) -> str:
    said = " ".join(wish.text for wish in near)
    parts = _body(asked, said)
    limit = next(
        ((int(NUMBERS[m[1].lower()]), m[2].lower()) for m in _LIMIT.finditer(said) if m[1].lower() in NUMBERS), None
    )
    if (limit and limit[1].startswith(("point", "bullet"))) or "numbered" in said:
        text = _points(parts, limit[0] if limit else 3, said)
    elif limit:
        text = ("\n" if limit[1].startswith("line") else " ").join(parts[: limit[0]])
    else:
        text = " ".join(parts)
    return _framed(text, said, _shows(said) or not near, near[0].text if near else "")


def _body(asked: Question, said: str) -> list[str]:
    """Restate what the request holds; what is needed, and its number, first where that is wished."""
    if re.search(r"\brecap\b|\bsumm", asked.text, re.IGNORECASE):
        return _recap(asked)
    rest = _LEAD.sub("", asked.text, count=1) or asked.text
    parts = [p.strip().rstrip(".?!") for p in re.split(r"[;,.?!]\s+", rest) if p.strip()]
    if re.search(r"\bfirst line\b|\bcomes? first\b|\blead with\b", said):
        need = [p for p in parts if re.search(r"\b(?:need|ok|please)\b", p)][-1:]
        number = [p for p in parts if number_like(p) and p not in need][:1]
        parts = [": ".join(need + number), *(p for p in parts if p not in need + number)] if need else parts
    spelled = _with_full_dates(parts, asked.now) if _FULL_DATE.search(said) else parts
    return [p[0].upper() + p[1:] + "." for p in spelled]


def _recap(asked: Question, most: int = 3) -> list[str]:
    """The weightiest sentences of the newest lines, in their order."""
    newest = [line for line in asked.lines[-40:] if line.who != "Assistant"]
    said = [
        (worth(s, line.who), k, s) for k, line in enumerate(newest) for s in sentences(line.text) if not s.endswith("?")
    ]
    best = sorted(sorted(said, key=lambda item: (-item[0], -item[1]))[:most], key=lambda item: item[1])
    return [s.rstrip(".!") + "." for _, _, s in best] or ["Nothing new."]


def _with_full_dates(parts: Sequence[str], now: date | None) -> list[str]:
    if now is None:
        return list(parts)
    return [_ORDINAL.sub(lambda m: "on " + _next(now, int(m[1])), part) for part in parts]


def _next(now: date, number: int) -> str:
    days = (now + timedelta(days=k) for k in range(62))
    day = next((d for d in days if d.day == number), now)
    return f"{day:%A} {day.day} {day:%B %Y}"


def _points(parts: Sequence[str], number: int, said: str) -> str:
    lines = [parts[k] if k < len(parts) else f"Mind step {k + 1}: look before you act." for k in range(number)]
    ends = re.search(r"\b(?:finish|ends?) (?:on|with) a question\b", said)
    return "\n".join(
        [*(f"{k}. {line}" for k, line in enumerate(lines, 1)), *(["Who has seen this go wrong?"] if ends else [])]
    )


def _shows(said: str) -> bool:
    """Whether the wishes name something that a reply shows by itself: a heading, a name, a limit."""
    shown = (_HEADED, _HEADINGS, _SIGN, _LIMIT, _FULL_DATE)
    return any(pattern.search(said) for pattern in shown) or "numbered" in said


def _framed(text: str, said: str, shows: bool, wish: str) -> str:
    """Put greeting, sections, what is left out and signature around a text."""
    titled, sign = _TITLED.search(said), _SIGN.search(said)
    headings = _HEADINGS.search(said)
    sections = [
        f"{name}\nWhat could go wrong: nothing seen yet, watch it after the change." for name in _HEADED.findall(said)
    ]
    if headings:
        sections = [f"{name}\n{text}" for name in re.findall(r"[A-Z]\w+", headings[1])]
        text = ""
    outs = list(dict.fromkeys(m[1].lower() for pattern in _OUT for m in pattern.finditer(said)))
    left_out = f"Made with no {', no '.join(outs)}." if outs and not shows else ""
    echo = f"As you asked: {wish}" if not (shows or outs) else ""
    greeting = f"Dear {titled[0]}," if titled and sign else ""
    signed = sign[1].strip() if sign else ""
    return "\n\n".join(part for part in (greeting, text, left_out, echo, *sections, signed) if part)
