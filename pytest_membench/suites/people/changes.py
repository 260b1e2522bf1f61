"""Facts that change once, twice or three times, the old values left lying about: probes of kind update."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from pytest_membench.suites.people.life import Beat, Life, Plant, Story
from pytest_membench.suites.people.phrases import date_of, weekday_of

_FEW_DAYS = 30
Values = Callable[[Life, Sequence[int]], list[Mapping[str, str]]]


@dataclass(frozen=True)
class Change:
    """A form of change. `pool` gives a thing by two names, `<what>` and `<alias>`; values come as `<v>`."""

    pool: str
    values: Values
    first: Sequence[str]
    later: Sequence[str]
    beside: Sequence[str]
    reply: Sequence[str]
    q: Sequence[str]
    last: Sequence[str] = ()


def update(life: Life, form: Change) -> Story:
    """Return the story of a value that moves, with another value of its kind somewhere beside it."""
    what, alias = life.take(form.pool)
    few = len(life.days) < _FEW_DAYS  # in a short chat one search brings back both of two values
    days = life.sessions(life.dice.pick([3, 3, 4] if few else [2, 3, 3, 4]))
    values = form.values(life, [*days, days[-1]])
    own, other = values[:-1], values[-1]
    names = {"what": what, "alias": alias, **life.take("name").slots("a")}
    told = [
        life.beat(day, said, form.reply, {**names, **value})
        for day, said, value in zip(days, _words(form, len(days)), own, strict=True)
    ]
    beside = life.beat(life.sessions(1)[0], form.beside, form.reply, {**names, **other}, spare=True)
    said = [value["v"] for value in own]
    gold = f"{said[-1]} (first {', then '.join(said[:-1])})."
    pairs: list[tuple[Beat, str]] = list(zip(told, said, strict=True))
    return Story([*told, beside], [Plant("update", life.ask(form.q, names), gold, [said[-1]], values=pairs)])


def _words(form: Change, count: int) -> list[Sequence[str]]:
    """Return the templates of each telling: some things are said of the last value alone."""
    return [form.first, *[form.later] * (count - 2), [*form.later, *form.last]]


def later_dates(life: Life, days: Sequence[int], *, weekend: bool = False) -> list[int]:
    """Return a day for each of `days`: after it, after the talk that moves it, and later than the one before."""
    dates: list[int] = []
    for n, day in enumerate(days):
        floor = max([day, *days[n + 1 : n + 2], *dates[-1:]])
        date = floor + life.dice.between(3, 11)
        while not weekend and (date - 1) % 7 > 4:
            date += 1
        dates.append(date)
    return dates


def _dates(life: Life, days: Sequence[int]) -> list[Mapping[str, str]]:
    return [{"v": date_of(day), "w": weekday_of(day)} for day in later_dates(life, days)]


def _sums(life: Life, days: Sequence[int]) -> list[Mapping[str, str]]:
    start = life.dice.between(90, 420) * 10
    steps = life.dice.shuffled([0, 180, -110, 340, 90, -60, 260, -170])[: len(days)]
    return [{"v": f"{life.money}{start + step:,}"} for step in steps]


def _names(life: Life, days: Sequence[int]) -> list[Mapping[str, str]]:
    return [{"v": life.take("name").name} for _ in days]


def _slots(life: Life, days: Sequence[int]) -> list[Mapping[str, str]]:
    week = life.dice.shuffled(["Mondays", "Tuesdays", "Wednesdays", "Thursdays", "Fridays"])
    hours = life.dice.shuffled(["8.15", "half nine", "ten", "noon", "half two", "four", "quarter past five", "six"])
    return [{"v": f"{day} at {hour}"} for day, hour, _ in zip(week, hours, days, strict=False)]


def _venues(life: Life, days: Sequence[int]) -> list[Mapping[str, str]]:
    return [{"v": life.take("venue")} for _ in days]


def _paints(life: Life, days: Sequence[int]) -> list[Mapping[str, str]]:
    return [{"v": life.take("paint")} for _ in days]


def _heads(life: Life, days: Sequence[int]) -> list[Mapping[str, str]]:
    start = life.dice.between(24, 70)
    steps = life.dice.shuffled([0, 3, -4, 7, 11, -6, 14])[: len(days)]
    return [{"v": str(start + step)} for step in steps]


_DATE_FIRST = [
    "<what> is {down for|pencilled in for|fixed for} <w> <v>, {God willing|in ink, nearly}, and I {haven't slept on it yet|already dread it}.",
    "{It's official|They've agreed}: <w> <v> for <what>. {What have I forgotten|What should be ready by then}?",
    "got a date for <what>, {at long last|who'd have thought}: <w> <v>. {Help me think backwards from there.|Where would you start?}",
]
_DATE_LATER = [
    "{Somebody is ill|A double booking|Something came up at their end|A clash of diaries}, so {it'll be|we're looking at} <w> <v> for <alias>, {no hard feelings|sigh}.",
    "{Call from <a>|<a> came by}: <alias> can't happen before <w> <v>, and {I said fine|we shook on that}.",
    "pushed along again, {the usual reasons|don't ask}, and <alias> {lands on|sits on} <w> <v> {in my diary|on the wall planner}.",
    "with <alias> we're {better off|safer} on <w> <v>, {says <a>|<a> thinks}, and I {gave in|signed it off}.",
]
_DATE_BESIDE = [
    "<a> has {something like it|the same sort of thing} {on|coming up on} <w> <v>, {poor thing|in another town}, {and is counting the days|and sounds calm}.",
    "{not mine, but|just so you know,} <a>'s {audit|removal|exam} is on <w> <v> and {I promised to think of <a_her>|I'm to keep my phone on}.",
]
_DATE_REPLY = [
    "Then work back from there: {who has to be told|what must be booked} two weeks before, what must be {in the house|on the shelf} one week before, and what only {the day itself|the last evening} can show. Shall I draft {that list|those three}?",
    "{Tell|Warn} whoever depends on it today, {in one short message|all at once}, rather than as you meet them. People forgive a date; they don't forgive {finding out last|hearing it in the corridor}.",
    "All right. Ask for that in writing, with {a name|somebody's name} under it, and keep {one free day|a bit of air} after it. {Nothing that hangs on other people|Hardly anything of the kind} has ever been early.",
    "That gives you {a little room|some room to breathe}. {Use it|I'd use it} for the one thing you'd skip under pressure, {whatever that is|you know which}, and leave the rest as planned.",
    "Good to have something firm under your feet, {for now|at least}. I'd put {a reminder|a knot in the handkerchief} three days ahead, when there's still time to {ring round|change anything}.",
]

CHANGES: Sequence[Change] = [
    Change(
        "project",
        _dates,
        _DATE_FIRST,
        _DATE_LATER,
        _DATE_BESIDE,
        _DATE_REPLY,
        ["what date is <what> on now?", "when's <what>, as things stand?", "which day did <what> end up on?"],
    ),
    Change(
        "home_project",
        _dates,
        _DATE_FIRST,
        _DATE_LATER,
        _DATE_BESIDE,
        _DATE_REPLY,
        ["what's the date for <what> now?", "when is <what>, after all that?", "<what>, which day is it in the end?"],
    ),
    Change(
        "purchase",
        _sums,
        [
            "{First quote|An offer} for <what>: <v>, {which is more than I hoped|said with a smile}, {fitting included|without the extras}.",
            "<what> would {come to|set us back} <v>, {they say|on paper}. {Is that mad|Mad}?",
        ],
        [
            "{They had another look|There was a mistake in their sums|Steel has gone up|A discount nobody mentioned}: <alias> is {at|down as} <v>, {take it or leave it|till Friday}.",
            "<a> {haggled|had a word}, {bless <a_her>|no idea how}, and for <alias> {we'd pay|they'll take} <v>.",
        ],
        [
            "<a> {paid|laid out} <v> for {much the same|a smaller one}, {last year|in another town}, {and regrets it|and is smug about it}.",
        ],
        [
            "Ask what happens if it {breaks|sags} in the second year. {A firm that answers at once|An answer without a pause} is worth a good part of the difference, and {a shrug|silence} tells you as much.",
            "Pay {a third|a quarter} at most before anything stands there. Everyone is {prompt|punctual} until the money has gone across, {and|whereas} afterwards you're one of many.",
            "{Put it|Set it} beside what it costs {not to do it|to go without}: another winter as it is, the patching, the swearing. That {usually|often} makes the answer plain in {one|either} direction.",
            "Is that with tax and {carting away the old one|delivery}? Those two are where {a fair price|such a figure} likes to grow by a fifth, {quietly|after the handshake}.",
        ],
        [
            "what are we paying for <what> in the end?",
            "how much is <what> now?",
            "what's the price for <what>, finally?",
        ],
        last=[
            "I {signed|said yes} {today|on the bonnet of their car}: <v> for <alias>, {and that's that|hands shaken}.",
        ],
    ),
    Change(
        "role",
        _names,
        [
            "<v> {will look after|has taken on} <what>, {with a small sigh|to everyone's surprise}, so {that's one thing less for me|I'm free of it}.",
        ],
        [
            "{New baby|A new job|Bad back|Too many evenings}, so <alias> {has gone over|passes} to <v>, {from this week|starting at once}.",
            "{Change of hands again|Musical chairs}: for <alias> you {ask|go to} <v>, {who didn't duck in time|who actually wants it}.",
            "{They drew straws|There was a vote of sorts} and <alias> {fell|went} to <v>, {six to four|nobody cheered}.",
        ],
        [
            "<v> {does|runs} something {similar|of the sort} in the next village and {swears by|keeps it all in} a spreadsheet.",
        ],
        [
            "Half an hour of handing over, with {the keys, the list and|all the passwords and} the one thing that always goes wrong, saves {a month of phone calls|a lot of texting} later.",
            "Thank {whoever did it before|the one before} in front of the others. It {costs a sentence|takes a minute} and makes it likelier that somebody {volunteers|steps up} next time.",
            "A role like that needs an end date, {even a made-up one|or it lasts for life}. Suggest {a year|twelve months} and a cake at the close of it.",
            "Sounds sensible. Let the outsiders know as well, {since|because} the old name will sit in {their address books|other people's phones} for years unless someone asks.",
        ],
        [
            "who's in charge of <what> now?",
            "whom do I ask about <what> these days?",
            "who looks after <what> at the moment?",
        ],
    ),
    Change(
        "slot",
        _slots,
        [
            "<what> is <v> {from now on|this season}, {so no lunch|which kills the evening}, {but it's a start|and I said yes before thinking}.",
        ],
        [
            "{Room trouble|Somebody's childcare|A new timetable|They lost the room}: they've {put|shifted} <alias> to <v>, {of all times|and I'm the last to hear}.",
            "For <alias> I {have to be there|turn up} <v> {as of next week|from the first}, {new rule|says the poster}.",
            "<v> {suits everyone|works for all of us}, it {turns out|seems}, so that's <alias> {settled|sorted}.",
        ],
        [
            "<a>'s {yoga|pottery|boxing} is <v>, {and I'm expected to be impressed|so no more coffee then}.",
        ],
        [
            "Block the half hour before it too, {or you'll arrive out of breath|for the way there}. A fixed time only works {if the edges are yours|with air on both sides}, and nobody else will defend them.",
            "That will {bite|pinch} for two weeks and then be {normal|furniture}. What did you have in that spot until now, and {where does it go|can it simply die}?",
            "Put it in as a series with an end, {say Christmas|three months on}, so you {decide again|get asked} rather than drift on out of habit.",
            "Could be worse. {Lay out|Pack} whatever you need the evening before and hang it on the door, {then|and} the hour is half won.",
        ],
        ["when is <what> these days, day and time?", "what day and time is <what> now?"],
    ),
    Change(
        "venue_for",
        _venues,
        [
            "<what> {will be at|is going to be at} <v>, {deposit paid|I've spoken to them}, {there's a terrace|they do a good soup}.",
        ],
        [
            "{Burst pipe|They've double-booked us|Kitchen fire|Too small, says everybody}, so {we take|it'll be} <v> for <alias>, {after nine phone calls|thanks to <a>}.",
            "<a> {knows someone at|got us into} <v>, so that's where <alias> {will be|happens}, {parking and all|cheaper too}.",
        ],
        [
            "<a> {had <a_hers> do|was} at <v> {in spring|last year}, {dreadful acoustics|and people still talk of the pudding}.",
        ],
        [
            "Ask them three things before {anything is printed|you tell people}: how late, how loud, and who {mops|locks up}. The rest {can be solved|is cushions}.",
            "Go there once at the same hour of the day, {on the same weekday|unannounced}. {Light, noise and toilets|Smells, noise and parking} are never as they are in the pictures.",
            "Sounds good. {Send|Give} the address with a pin rather than a name, as there's {always|generally} one uncle who {drives to the wrong one|ends up two towns over}.",
            "A {written|signed} confirmation, however short, would let me sleep. And {keep|hold} a second place in mind {until|till} a month before.",
        ],
        ["where is <what> taking place now?", "where are we having <what>?", "which place is it for <what>?"],
        last=[
            "{In the end|So} I booked <v> for <alias>, {and if that falls through we eat at home|they have a ramp}.",
        ],
    ),
    Change(
        "paint_for",
        _paints,
        [
            "<what> is {going to be|getting} <v>, {I've decided|says the little card}, and {nobody is to talk me out of it|the tins come on Friday}.",
        ],
        [
            "{Tried it on the wall|Looked at it by lamplight|It dried like mud}. No. For <alias> it's <v> {instead|after all}, {second trip to the shop|I can live with that}.",
            "<a> {stood there with <a_hers> head on one side|made a face}, so <alias> {becomes|turns} <v>, {fine|I give up}.",
        ],
        [
            "<a> has <v> {all over <a_hers> flat|in the loo}, {and it's like sitting in a pond|lovely, actually}.",
        ],
        [
            "Paint {a sheet of card|an old board} and move it round the room for {a day|two days}. Colours {behave|speak} differently by every window, and card is cheaper than {regret|a second tin}.",
            "Write the {name and the number|batch number} on the back of a light switch cover. In six years you'll {want to touch up|need it} and thank yourself.",
            "Whichever it is, the second coat {decides|tells}. Give the first a whole night, windows open, and don't judge anything {wet|by daylight alone}.",
            "Brave. Buy the good {roller|brush} {with it|this time}: cheap ones shed, and hairs {in the finish|under paint} annoy more than the wrong shade.",
        ],
        ["what colour are we going with for <what>?", "which paint is it for <what> now?"],
        last=[
            "two coats of <v> are {on|drying} as I type, and <alias> {looks like a hotel|is done for this life}.",
        ],
    ),
    Change(
        "guests_for",
        _heads,
        [
            "{Counted up|Made the list} for <what>: <v> people, {babies included|if all say yes}, and {eleven chairs|one oven}.",
        ],
        [
            "{Cousins|More yeses|Two couples out, a family in|The post came}: that makes <v> of us for <alias>, {mother is thrilled|help}.",
            "<a> {did the sums again|rang round} and for <alias> we're <v>, {no plus-ones|says <a_she>}.",
        ],
        [
            "<a> had <v> at {<a_hers>|a thing like that} and {ran out of forks|there was cake for weeks}.",
        ],
        [
            "Cook for a tenth fewer than {you count|say yes}, and put out bread. Somebody is always ill, {late|stuck} or on a diet {that starts that day|nobody knew of}.",
            "Borrow chairs {now|early}, from one house, {so that they go back together|not five}. And {name|pick} one person who knows where everything is, who isn't you.",
            "Then {two tables|a long board and a small one} rather than one huge one: people talk to {six|seven} others at most, however many are in the room.",
            "Is anybody there who {shouldn't sit together|can't stand somebody}? With a crowd of that size {a loose plan|cards on plates} is kinder than leaving it to chance.",
        ],
        ["how many people are coming to <what> now?", "what's the head count for <what>?"],
        last=[
            "told the {caterers|kitchen} <v> for <alias>, {final|and I'm not touching it again}, {phew|there}.",
        ],
    ),
]
