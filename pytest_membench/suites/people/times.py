"""When things happened, in what order and how long they took: probes of kind temporal."""

from collections.abc import Callable, Sequence

from pytest_membench.suites.people.life import Life, Plant, Story
from pytest_membench.suites.people.phrases import NUMBERS, date_of, weekday_of

_REPLY = [
    "Good to know. {Leave it a day or two|Give it a little time} before you {decide what comes next|judge}, {since|because} first impressions of such things are {mostly|nearly all} tiredness.",
    "That was worth {writing down|a line}. If {anybody asks later|there's ever an argument}, a dated note is {worth more than|better than} three good memories.",
    "{One thing off|That's one item off} the list, or {at least moved along it|nearly}. What would {make it easier next time|you do otherwise}, {if anything|while it's fresh}?",
    "Fine. I'd {tell whoever else is waiting|pass that on} in one line {and leave it there|today}; {nobody needs the whole story|the details can wait for a coffee}.",
    "{Things of that sort|Such matters} {take as long as they take|have a pace of their own}, sadly. {Meanwhile|For now} the most useful step is the smallest one that {doesn't depend on them|is yours alone}.",
]

_WAIT = [
    "Then {keep the slip|write the day down} and {ask for news|give them a ring} {the day before|two days ahead}. {People who count|Somebody who counts} {get served|is served} sooner, {as a rule|oddly enough}, and the worst you'll hear is no.",
    "{Waiting|The waiting} is the dull part. {Put it out of your mind|Leave it alone} till then, {with a note in the calendar|a reminder set}, and {fill the gap|use the time} with something that {needs nobody|is all yours}.",
    "{Fingers crossed|Let's hope so}. {Photograph|Keep a copy of} whatever paper there is, {because|since} {it always turns out|you may find} that the {one sheet|single page} you need is the one {they lost|nobody kept}.",
]
_ILL = [
    "{Poor thing|What a pity}. {A message without a question in it|A card that asks nothing} is the kindest now, and for the work {one person, one list|a plain list}: {what waits|what can wait}, what goes to whom, what is simply dropped.",
    "That {will take|needs} its time. {Spread|Share out} the work {today|at once} rather than {by the hour|as it burns}, and say openly what {won't get done|stays undone}; people {cope with less|manage} if they know {what counts|where to look}.",
]
_BACK = [
    "{Good news|That's good}. {Easy does it|Go easy} for the first {week|days}: {half a list|short days}, {nothing heavy|no heroics}, and {ten quiet minutes|a proper cup of tea} to hear {what changed|all that was missed}.",
    "{Welcome relief|How nice}. {Hand back|Return} the work in {two|three} portions, not in one heap, and {ask in a week|check after some days} how it goes, {away from the others|just the two of you}.",
]


def late(life: Life) -> Story:
    """A delivery due on one date that comes on another, which only the day of the message tells."""
    (what, done), firm = life.take("delivery"), life.take("firm")
    first, last = _apart(life, 6)
    due = first + 3 + life.dice.below(max(1, last - first - 4))
    slots = {"what": what, "done": done, "firm": firm, "due": date_of(due), "w": weekday_of(due)}
    told = life.beat(
        first,
        [
            "<what> is to come on <w> <due>, {promises|says} <firm>, {between seven and never|no hour given}, so I {cleared the way|moved the bikes}.",
            "{Ordered at last|Clicked on buy}: <what> from <firm>. They {swear|have it} <w> <due> {for delivery|at the door}.",
        ],
        _WAIT,
        slots,
    )
    came = life.beat(
        last,
        [
            "{Two men and a trolley|A lorry as long as the street} today, I {signed|stood there in socks} and <done> {straight away|with my own hands}.",
            "it's here! {The bell went|They came} today and I've {just|already} <done>, {only one scratch|and it smells of new}.",
        ],
        _REPLY,
        slots,
    )
    gold = f"{date_of(last)}, a {weekday_of(last)} (due on {date_of(due)})."
    q = life.ask(
        [
            "<firm> promised <what> for <due>. when did it really come?",
            "what date did <what> actually arrive? it was meant to be <due>",
        ],
        slots,
    )
    plant = Plant("temporal", q, gold, [date_of(last)], [(told, [date_of(due)]), (came, ["today", done])])
    return Story([told, came], [plant])


def away(life: Life) -> Story:
    """Somebody falls ill on one day and is back on another."""
    first, last = _apart(life, 5)
    slots = {**life.take("name").slots("a"), **life.take("name").slots("b"), "ill": life.take("ailment")}
    told = life.beat(
        first,
        [
            "<a> is {off|signed off} from today with <ill>, {nobody knows for how long|poor soul}, so I'm {re-doing the week|a pair of hands short}.",
            "{Phone at six|Bad news}: <a> {has|is down with} <ill> and {won't be in|is out} from today on.",
        ],
        _ILL,
        slots,
    )
    other = life.beat(
        life.sessions(1)[0],
        [
            "<b> has {a cold|hay fever|a stiff neck} and {stays|is} at home {today and tomorrow|till the weekend}, {nothing dramatic|tea and telly}.",
        ],
        _ILL,
        slots,
        spare=True,
    )
    back = life.beat(
        last,
        [
            "<a> walked in today {as if nothing had happened|a stone lighter}, {hung up <a_hers> coat|put the kettle on} and asked what we'd broken.",
            "full house again: <a> {is back|returned} as of today, {light duties|no lifting}, {grinning|and glad of it}.",
        ],
        _BACK,
        slots,
    )
    days = last - first
    gold = f"{days} days: off from {date_of(first)}, back on {date_of(last)}."
    q = life.ask(
        [
            "how many days was it from <a> going off sick to <a_her> coming back?",
            "from the day <a> fell ill to <a_hers> return, how many days was that?",
        ],
        slots,
    )
    return Story(
        [told, other, back],
        [Plant("temporal", q, gold, [f"{days} days"], [(told, [slots["a"], "today"]), (back, [slots["a"], "today"])])],
    )


def order(life: Life) -> Story:
    """Two chores on two days; which came first?"""
    (one, did_one), (two, did_two) = life.take("chore"), life.take("chore")
    first, last = _apart(life, 2)
    beats = [
        life.beat(
            day,
            [
                "{One more thing done|A tick on the list|Crossed something off} today: <did>, {and I treated myself to a bun|which only took me a year}.",
                "{I'm a grown-up|Applause, please}. As of today <did>, {and it was not even that bad|so nobody can nag}.",
            ],
            _REPLY,
            {"did": did},
        )
        for day, did in ((first, did_one), (last, did_two))
    ]
    pair = [one, two] if life.dice.chance(0.5) else [two, one]
    q = life.ask(
        ["what did I get done first, <x> or <y>?", "<x> and <y>: which of them came first?"],
        {"x": pair[0], "y": pair[1]},
    )
    name = one[0].upper() + one[1:]
    gold = f"{name} came first, on {date_of(first)}; {two} followed on {date_of(last)}."
    key = [f"{name} came first"]
    return Story(beats, [Plant("temporal", q, gold, key, [(beats[0], [did_one]), (beats[1], [did_two])])])


def answered(life: Life) -> Story:
    """A letter goes off on one day, the answer comes on another."""
    whom, letter, alias = life.take("query")
    first, last = _apart(life, 6)
    slots = {"whom": whom, "letter": letter, "alias": alias}
    sent = life.beat(
        first,
        [
            "<letter> {went off to|is with} <whom> {as of today|today}, {four pages|registered}, {now we wait|and I feel lighter}.",
            "posted today: <letter>, to <whom>, {with copies of everything|in a firm tone}, {fingers crossed|we'll see}.",
        ],
        _WAIT,
        slots,
    )
    came = life.beat(
        last,
        [
            "{An envelope|A reply}! <alias> {have|got round to it and} answered today, {two lines|in bureaucrat}, {mostly yes|and it's good}.",
            "today, {out of the blue|between two bills}, <alias> wrote back, {half an apology|all very civil}, {so there|I nearly framed it}.",
        ],
        _REPLY,
        slots,
    )
    days = last - first
    gold = f"{days} days: sent on {date_of(first)}, answered on {date_of(last)}."
    q = life.ask(
        [
            "how many days did <whom> take to reply to <letter>?",
            "<letter>: how many days between sending it and hearing from <whom>?",
        ],
        slots,
    )
    plant = Plant("temporal", q, gold, [f"{days} days"], [(sent, [letter, "today"]), (came, [alias, "today"])])
    return Story([sent, came], [plant])


def weekday(life: Life) -> Story:
    """Something that happened "last Saturday", told some days later."""
    day = life.sessions(1)[0]
    past = life.dice.pick([back for back in range(day - 6, day - 1) if (day - 1) // 7 > (back - 1) // 7] or [day - 7])
    slots = {**life.take("name").slots("a"), **life.take("name").slots("b"), "w": weekday_of(past)}
    event, asked = life.dice.pick(
        [
            ("got married, just the two of them and a clerk", "get married"),
            ("had the baby, nine pounds and furious", "have the baby"),
            ("opened the café, queue round the corner", "open the café"),
            ("flew home to Lisbon for good", "fly home for good"),
            ("ran the marathon, under four hours", "run the marathon"),
            ("handed in the keys of the flat and left", "hand in the keys"),
        ]
    )
    told = life.beat(
        day,
        [
            "<a> <event>, <w> last week, {and told nobody till now|and I only hear of it today}. {What does one send|What do I write}?",
            "{only just heard|hot from the stairwell}: <w> of last week <a> <event>, {would you believe|my jaw dropped}.",
        ],
        [
            "Something late and warm {beats|is better than} something prompt and printed. Three lines by hand, one of them a shared memory, and {a plant that forgives|a voucher for a meal}.",
            "News like that {deserves|calls for} a card in ink, with {one sentence|something} only you could write. Nobody minds {a week's delay|when it comes}.",
        ],
        {**slots, "event": event},
    )
    beside = life.beat(
        life.sessions(1)[0],
        [
            "<b> is {planning|thinking of} {much the same|something like it} {next spring|one of these years}, {so we'll hear a lot more|with lists}."
        ],
        _REPLY,
        slots,
        spare=True,
    )
    gold = f"{date_of(past)}: the {weekday_of(past)} of the week before {date_of(day)}."
    q = life.ask(["what date did <a> <asked>?", "on which date did <a> <asked>?"], {**slots, "asked": asked})
    return Story(
        [told, beside], [Plant("temporal", q, gold, [date_of(past)], [(told, [slots["a"], weekday_of(past)])])]
    )


def lead_time(life: Life) -> Story:
    """Something ordered today that takes so many weeks; on what date is it due?"""
    (what, _), firm = life.take("ordered"), life.take("firm")
    day = life.sessions(1)[0]
    weeks = life.dice.between(5, 12)
    slots = {"what": what, "firm": firm, "weeks": NUMBERS[weeks], "firm2": life.take("firm")}
    told = life.beat(
        day,
        [
            "{Paid the deposit|Signed} with <firm>. <what> takes <weeks> weeks from today, {to the day, they say|not a day more, in writing}.",
        ],
        [
            "Then put the end of that in the calendar, and {a call|a friendly nudge} for one week before. Suppliers keep {promises|dates} better when somebody is {seen to count|known to be counting}.",
        ],
        slots,
    )
    beside = life.beat(
        life.sessions(1)[0],
        [
            "<firm2> would have been {two days|a week} quicker and {twice the money|rude about it}, so {no|thanks but no}."
        ],
        [
            "{A clear no|A no in good time} saves {everybody|both sides} a month. {Keep the number|Write it down somewhere} all the same, with the price next to it, as second choices {have their day|get their turn} more often than one thinks.",
        ],
        slots,
        spare=True,
    )
    due = day + 7 * weeks
    gold = f"{date_of(due)}: {NUMBERS[weeks]} weeks from {date_of(day)}."
    q = life.ask(["on which date is <what> from <firm> due?", "<firm> and <what>: what date is that for?"], slots)
    return Story(
        [told, beside], [Plant("temporal", q, gold, [date_of(due)], [(told, [f"{NUMBERS[weeks]} weeks", "today"])])]
    )


def _apart(life: Life, least: int) -> tuple[int, int]:
    """Return two days on which there is talk, at least `least` days apart where the chat allows it."""
    for _ in range(50):
        first, last = life.sessions(2)
        if last - first >= least:
            return first, last
    return life.days[0], life.days[-1]


TIMES: Sequence[Callable[[Life], Story]] = [late, away, order, answered, weekday, lead_time]
