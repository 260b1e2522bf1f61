"""Promises made: kept, broken, kept by half, or taken over by somebody else. Probes of kind open_loop."""

from collections.abc import Callable, Sequence

from pytest_membench.suites.people.life import Beat, Life, Plant, Story
from pytest_membench.suites.people.phrases import date_of

_REPLY = [
    "An hour with the door shut would {do|get most of} it. {Start|Begin} in the middle, where it's easy, and {leave|write} the opening {for|at} the end; {a plain page on time|something plain} beats a fine one late.",
    "I can make you a skeleton with {four|five} headings, so that {the first step|starting} costs no courage. {The rest is|Then it's only} filling in what you know {anyway|by heart}.",
    "Say {by when|which day} as well, {out loud|to yourself if no one else}, {for|since} a promise without a day {grows|gets heavier} in the corner of {the eye|every room}.",
    "Fair enough. Put it where you'll {trip over it|see it} {tomorrow|first thing}, {and|but} do {only that|nothing else} for twenty minutes; {it's nearly always shorter than feared|momentum does the rest}.",
]
_AFTER = [
    "{Good|Right}. {Take|Strike} it off whatever list it was on, and {enjoy|notice} the quiet for a minute, {because|since} the next one is {on its way|round the corner}.",
    "Noted. Is there anything {left of it|in that} that still {hangs on you|needs your hand}, or can it {leave your head|be forgotten}? {Half-closed doors|Loose ends} are what {tire|wear out} people.",
    "That's {clear|how it goes} then. If someone {asks|brings it up}, one sentence {is enough|will do}: what was done, {by whom|when}, and where it {lies|is} now.",
]
_OTHER = [
    "<a> {looked in|dropped by} {with plums|for a moment}, {we talked about everything else|five minutes of gossip}, {and off <a_she> went|nothing about work, for once}.",
    "{had|shared} lunch with <a>, {soup|the canteen pie}, {who has a new bicycle|and <a_she> is off sugar}, {pleasant enough|we laughed a lot}.",
]


def _promise(life: Life) -> tuple[dict[str, str], Beat, list[int]]:
    what, alias, part, other = life.take("paper")
    if alias.split()[0] in _CLAUSES:
        alias = f"the page on {alias}"
    days = life.sessions(3)
    slots = {
        **life.take("name").slots("a"),
        **life.take("name").slots("b"),
        "what": what,
        "alias": alias,
        "part": part,
        "other": other,
    }
    told = life.beat(
        days[0],
        [
            "{Told|Promised} <a> {today|over the phone} that <a_she>'ll {have|get} <what> from me {by the end of next week|before the month is out}, {which seemed far off when I said it|gulp}.",
            "<a> {cornered me|stood in my door} about <what>. {I've said|Swore} {I'd write it|it would come from me}, {soon|with my hand on my heart}.",
            "I {offered|agreed} to {do|put together} <what> for <a>, {out of sheer politeness|before I knew what I was saying}, {as if the days had thirty hours|and <a_she> wrote it down}.",
        ],
        _REPLY,
        slots,
    )
    return slots, told, days


def _besides(life: Life, slots: dict[str, str]) -> Beat:
    return life.beat(life.sessions(1)[0], _OTHER, _AFTER, slots, spare=True)


_CLAUSES = ("who", "how", "what", "where", "which", "everything")
_ASKED = [
    "did I ever do <what> for <a>?",
    "what became of <what> that I promised <a>?",
    "did <a> get <what> from me?",
]


def kept(life: Life) -> Story:
    """The promise is kept, told in other words."""
    slots, told, days = _promise(life)
    done = life.beat(
        days[1],
        [
            "{pressed send|it's gone}! <alias> {has left the building|is out of my hands}, {every page of it|at ten to five}, {and a thank-you came back|I feel two kilos lighter}.",
            "{Delivered|All finished and handed in}: <alias>, {complete|beginning to end}, {with a bow round it|and nobody found a mistake so far}.",
        ],
        _AFTER,
        slots,
    )
    date = date_of(done.day)
    gold = f"Yes, on {date}: {slots['what']} went off complete, as promised to {slots['a']}."
    return _told(life, slots, [told, done], gold, ["Yes", date], [(told, ["what", "a"]), (done, ["alias"])])


def broken(life: Life) -> Story:
    """The promise is repeated, and nothing ever comes of it."""
    slots, told, days = _promise(life)
    again = life.beat(
        days[1],
        [
            "{slept badly|bad conscience}: <alias> is {still a blank page|no further along}, {tomorrow for sure|I'll sit down to it on Sunday}.",
            "{somebody winked at me|a look in the corridor}, and I knew it meant <alias>, {of which not one line exists|still undone}. {This week, really|I will, I will}.",
        ],
        _REPLY,
        slots,
    )
    first, second = date_of(told.day), date_of(again.day)
    gold = (
        f"Not as far as this chat shows: promised to {slots['a']} on {first}, still undone on {second}, "
        "never mentioned as done."
    )
    key = ["Not as far as this chat shows"]
    return _told(life, slots, [told, again], gold, key, [(told, ["what", "a"]), (again, ["alias"])])


def half(life: Life) -> Story:
    """One part is done, the other is not."""
    slots, told, days = _promise(life)
    done = life.beat(
        days[1],
        [
            "with <alias> I'm {one leg in|half a hero}: {the part on|for} <part> {is done and sent|went off today}, <other> {still to do|not begun}.",
            "{sent|passed on} the bit about <part> {today|last thing}; <other> I {haven't touched|keep putting off}, so <alias> {limps|is half of itself}.",
        ],
        _REPLY,
        slots,
    )
    part, other = slots["part"], slots["other"]
    gold = f"Only in part: {part} went off on {date_of(done.day)}; {other} was still to do and never mentioned again."
    holds = [(told, ["what", "a"]), (done, ["part", "other"])]
    return _told(life, slots, [told, done], gold, ["Only in part", part, other], holds)


def taken_over(life: Life) -> Story:
    """Somebody else does it."""
    slots, told, days = _promise(life)
    done = life.beat(
        days[1],
        [
            "<b> {took pity on me|had a free day} and {wrote|did} <alias> {from start to finish|in one afternoon}, {and it's better than mine would have been|I owe <b_her> cake}.",
            "{Guess who|No thanks to me}: <alias> {exists|is done}. <b> {did it|sat down and did the lot} {without being asked|while I was in meetings}.",
        ],
        _AFTER,
        slots,
    )
    gold = f"Not by me: {slots['b']} did it in my place, as told on {date_of(done.day)}."
    return _told(life, slots, [told, done], gold, [slots["b"]], [(told, ["what", "a"]), (done, ["alias", "b"])])


def _told(
    life: Life,
    slots: dict[str, str],
    beats: Sequence[Beat],
    gold: str,
    key: Sequence[str],
    holds: Sequence[tuple[Beat, Sequence[str]]],
) -> Story:
    named = [(beat, [slots[name] for name in names]) for beat, names in holds]
    plant = Plant("open_loop", life.ask(_ASKED, slots), gold, key, named)
    return Story([*beats, _besides(life, slots)], [plant])


PROMISES: Sequence[Callable[[Life], Story]] = [kept, broken, half, taken_over]
