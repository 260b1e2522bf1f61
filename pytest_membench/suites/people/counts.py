"""Things that happen again and again and are never summed up in the chat: probes of kind aggregate."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from pytest_membench.suites.people.life import Life, Plant, Story
from pytest_membench.suites.people.phrases import date_of, joined

Rows = list[tuple[str, int]]


@dataclass(frozen=True)
class Tally:
    """A form of tally. `draw` gives slots and rows (what stands in the turn as `<v>`, what it adds)."""

    draw: Callable[[Life, int], tuple[Mapping[str, str], Rows]]
    each: Sequence[str]
    beside: Sequence[str]
    reply: Sequence[str]
    q: Sequence[str]
    unit: str
    listed: bool = True


def aggregate(life: Life, form: Tally) -> Story:
    """Return the story of four to six things on as many days, and of one more that does not count."""
    days = life.sessions(min(life.dice.pick([4, 4, 5, 5, 6]), len(form.each), len(life.days)))
    slots, rows = form.draw(life, len(days))
    words = life.dice.shuffled(form.each)
    told = [
        life.beat(day, [said], form.reply, {**slots, "v": value})
        for day, said, (value, _) in zip(days, words, rows, strict=False)
    ]
    beside = life.beat(life.sessions(1)[0], form.beside, form.reply, slots, spare=True)
    count = sum(number for _, number in rows)
    unit = life.fill(form.unit, slots)
    listing = joined([value for value, _ in rows] if form.listed else [f"on {date_of(day)}" for day in days])
    gold = f"{life.money if unit == '' else ''}{count:,}{unit and ' '}{unit}: {listing}."
    items = [(beat, value, number) for beat, (value, number) in zip(told, rows, strict=True)]
    return Story([*told, beside], [Plant("aggregate", life.ask(form.q, slots), gold, [f"{count:,}"], items=items)])


def _people(life: Life, count: int) -> tuple[Mapping[str, str], Rows]:
    return life.take("name").slots("b"), [(life.take("name").name, 1) for _ in range(count)]


def _mishaps(life: Life, count: int) -> tuple[Mapping[str, str], Rows]:
    return {}, [(life.take("mishap"), 1) for _ in range(count)]


def _streets(life: Life, count: int) -> tuple[Mapping[str, str], Rows]:
    return {"b": life.take("street")}, [(life.take("street"), 1) for _ in range(count)]


def _titles(life: Life, count: int) -> tuple[Mapping[str, str], Rows]:
    return {"b": life.take("title")}, [(life.take("title"), 1) for _ in range(count)]


def _spent(life: Life, count: int) -> tuple[Mapping[str, str], Rows]:
    sums = life.dice.shuffled(range(14, 260))[:count]
    return {"b": f"{life.money}{life.dice.between(31, 88) * 10}"}, [(f"{life.money}{n}", n) for n in sums]


def _kilos(life: Life, count: int) -> tuple[Mapping[str, str], Rows]:
    kilos = life.dice.shuffled(range(3, 24))[:count]
    return {"b": f"{life.dice.between(25, 40)} kg", **life.take("name").slots("a")}, [(f"{n} kg", n) for n in kilos]


def _hours(life: Life, count: int) -> tuple[Mapping[str, str], Rows]:
    hours = [life.dice.between(2, 6) for _ in range(count)]
    return life.take("name").slots("b"), [(f"{n} hours", n) for n in hours]


def _lent(life: Life, count: int) -> tuple[Mapping[str, str], Rows]:
    slots, rows = _spent(life, count)
    return {**slots, **life.take("name").slots("a"), **life.take("name").slots("c")}, rows


_ONWARD = [
    "Nicely done. {Make|Jot down} two lines about it while it's fresh, {good and bad|the odd bits first}, since after the {third|next} one they {start to blur|run together} in anybody's head.",
    "All right. {How did it leave you|What's your gut feeling}, {on the whole|before you think about it}? I'd {trust|keep} that answer next to the {sensible|written} one and see in a week which {looks better|still stands}.",
    "That's {quite a day|a fair bit} for one day. {Rest|Have something hot} first; whatever {has to be decided|comes out of it} will be {no harder|just as clear} {tomorrow|in the morning}.",
    "Thanks for {telling me|the account}. Is there anything you'd want different {for the next|another time}? One small change {at a time|each round} is {easier to judge|plenty}.",
    "{Understood|I see}. {Keep the paper|Put the slip} in one envelope {with the others|by the door}, {and|then} you won't have to {hunt|rebuild the story} when {somebody asks|the day comes}.",
]

TALLIES: Sequence[Tally] = [
    Tally(
        _people,
        [
            "<v> {came in|sat across from me} about the assistant's job, {twenty minutes late|in a very clean shirt}, {and asked better questions than I did|lovely hands-on answers}.",
            "{An hour|Fifty minutes} with <v> {today|just now}, {who wants to start at once|CV like a novel}; {I could see it working|I'm torn}.",
            "met <v> on video, {cat included|frozen half the time}, {keen|bright as a button}, {wants every Friday off|would have to relocate}.",
            "<v>, {fresh from college|thirty years in the trade}, {talked me under the table|made me laugh}; {a maybe|not for us} for the vacancy.",
            "{Then there was|After lunch I had} <v>, {nervous|shaking}, {who warmed up|and far too honest about why the last place didn't last}. {Good eye though|A yes from me}.",
            "{Showed|Walked} <v> round the place and {quizzed|grilled} the poor {thing|soul} for an hour, {solid|modest, knows the work}.",
        ],
        [
            "<b> {was to be next|had the three o'clock} for the assistant's job and {rang to withdraw|never showed up|took another offer on the way here}, so I {had a free hour|ate the biscuits}.",
        ],
        _ONWARD,
        [
            "how many candidates have I interviewed for the assistant post so far?",
            "the assistant job: how many applicants did I actually see?",
        ],
        "candidates",
    ),
    Tally(
        _mishaps,
        [
            "{Heart in my mouth|That could have ended badly}: <v>. {Nobody hurt|Everyone whole}, form filled in.",
            "one for the yellow book. {Picture it|Listen}: <v>. {I've talked to all concerned|We all went quiet}.",
            "<v>. {Written up|Reported}, {signed|photographed}, {and my knees are still soft|now tea}.",
            "we were {lucky|spared} again: <v>. {Entered it|It's in the log}, {and changed the routine|for what that's worth}.",
            "{Bad moment|Cold sweat} at <place>: <v>. {Paperwork done|Recorded}, {no harm|no blood}.",
            "you won't believe {this|it}: <v>. {So another|There goes a} sheet in the folder.",
        ],
        [
            "a {colleague|friend} at another place {tells me|had it worse}: {ambulance and all|two weeks off}, {not ours, thank God|and we felt sick for them}."
        ],
        [
            "Glad nobody was hurt. The useful question {is|for tomorrow is} what {made it possible|stood in the way of worse}, rather than who; {people tell you the truth|you hear more} when it's put like that.",
            "{Close|Too close}. While it's fresh, {walk through it|go over it} with those who were there, {on the spot|standing up}, and change one thing {today|at once} that {costs nothing|anybody can see}.",
            "Well handled. {Tell|Let} the whole crew {before rumour does|in your own words}; a thing like that {teaches more|is worth more} than a year of posters.",
            "{Sit down a minute|Breathe} first. Then {look|check} whether the same could {happen|be waiting} in a second place, since {such things|these} rarely {live|come} alone.",
        ],
        [
            "how many near misses have I told you about at <place>?",
            "count the near misses we've had at <place> since August",
        ],
        "near misses",
        listed=False,
    ),
    Tally(
        _streets,
        [
            "{Went round|Saw} the two rooms in <v>, {damp in the corner|the agent whistled}, {no|nice floor, no light}.",
            "<v> {today|at five}: {third floor|a garden of sorts}, {smelled of soup|previous people still packing}, {I could live there|too dear}.",
            "had my {head|nose} in {every cupboard|the wardrobes} of the place in <v>, {pretty|tiny}, {over a chip shop|with a bath in the kitchen}.",
            "{Queued|Stood in line} with thirty others for <v>. {Ten minutes each|Shoes off}, {a balcony for one|it was fine, I suppose}.",
            "<v>, {top floor|the last one before the river}, {sloping ceilings|wallpaper from the war}. {I banged my head|Rather in love}.",
            "{Back from|Just out of} <v>; {quiet|north-facing}, {and a landlord who asked my star sign|four locks on the door}.",
        ],
        [
            "the one in <b> {went|was let} {an hour before my turn|the night before}, so I {never set foot in it|turned round at the corner}."
        ],
        _ONWARD,
        ["how many flats have I been to see?", "how many viewings did I actually go to?"],
        "flats",
    ),
    Tally(
        _titles,
        [
            '"<v>" is {done|finished}, {at two in the morning|in one sitting}, {and I don\'t want to talk to anyone|what an ending}.',
            'turned the last page of "<v>" {on the train|in the bath}, {cried|missed my stop}.',
            '{Through with|At the end of} "<v>", {too many cousins|forty pages too long}, {but the harbour chapter|still, good company}.',
            '{Closed|Shut} "<v>" {today|over breakfast}; {clever|cold}, {I admired it|not a soul to like in it}.',
            '"<v>" {kept me up|won me over} {to the very end|and now it\'s over}, {who knew|and it goes to my sister}.',
            '{So|Well}, "<v>": {read it all|got to the end}, {it rains on every page|the dog survives}.',
        ],
        [
            '{gave up on "<b>" at page sixty|threw "<b>" across the room}, {life is short|no patience with it}, {so back to the shelf|and there it lies}.'
        ],
        [
            "A good sign, if it {keeps you from sleep|makes you miss things}. {Let it settle|Wait a day} before the next, and make that one {something short|quite different}, so that neither {suffers|drowns the other}.",
            "What {stayed with you|will you keep of it}? People remember {one room|one scene} and {the weather|a voice} from most books, and that's often {the best of them|enough}.",
            "Then {somebody|a friend} might get it {next|as a present}, with the {page|sentence} you liked marked in pencil. {Books travel well|It's the best review there is}, and shelves need the air.",
        ],
        ["how many books have I finished since August?", "how many books did I read to the end?"],
        "books",
    ),
    Tally(
        _spent,
        [
            "<v> for a bilge pump, {secondhand|it came in a shoebox}, {but she'll stay afloat|and the old one went in the bin}.",
            "{paid|gave} the harbour master <v>, {the mooring till Christmas|he counted it twice}, {friendly as ever|then he wanted to chat}.",
            "antifouling: two tins, <v>, {and I'm red to the elbows|my jeans are ruined}.",
            "{new|a set of} shackles and a proper rope, <v> {at the chandler's|together}, {he saw me coming|not cheap, not nothing}.",
            "the sailmaker {mended|restitched} the jib, <v>, {and it looks like new|with a lecture}.",
            "<v> went on a {compass light|fender}, {the third|a present from me to me}, {she deserves it|I regret nothing}.",
        ],
        [
            "a new mainsail would be <b>. {I stroked it|I looked}, {sighed and left|and walked away}, {maybe next year|wallet shut}."
        ],
        [
            "Boats are {a hole in the water|holes} that one {throws|pours} money into, {they say|as the saying goes}, though {she repays it|it does sound worth it} on a {still|bright} evening.",
            "Was that with a receipt? For the insurance {it pays|you'll want} to keep {each|every one}, {in a dry tin|photographed}, with {the date|a word} on what it was for.",
            "{A sound buy|Sensible}. {Rinse|Dry} everything {before it's stowed|this week}, and {write down|note} the size of whatever you {replaced|fitted}, because in {two years|a gale} you'll {ask|want to know}.",
        ],
        [
            "what have I spent on the boat since August, all together?",
            "the boat: how much money has it had from me so far?",
        ],
        "",
    ),
    Tally(
        _kilos,
        [
            "<v> of potatoes {out of the ground|from one row}, {back aching|and a worm in each, it feels like}.",
            "the plums {came down|are picked}: <v>, {wasps in every other|sticky to the elbows}.",
            "{barrowed|lugged} <v> of squash {up the hill|back}, {like a Roman|they look like helmets}.",
            "beans, beans, beans, <v> {of them|in one go}, {all at once, naturally|and the freezer's full}.",
            "{dug|pulled} the beetroot, <v>, {some the size of my head|hands like a murderer}.",
            "<v> of apples, {windfalls too|no scab to speak of}, {on the handlebars|and that was the small tree}.",
        ],
        [
            "<a> {two sheds down|by the tap} {boasts of|had} <b> {of onions|of marrows}, {and shows it to everyone|which I could hardly bear}."
        ],
        [
            "Store the {sound|perfect} ones and eat the {cut|bruised} ones first. {Cool, dark and dry|A dark shelf with air round it} {does for most|is enough}, and {check|turn} them each week, because one {bad one|rotter} spreads.",
            "{What a haul|Well grown}. {Chutney|Soup} takes {the ugly ones|a great deal}, the neighbours {take some|the rest}, and {a bag on the wall|a box at the gate} with a sign is empty by {noon|evening}.",
            "Your back {has earned|deserves} a hot bath. Let the soil {rest under|have} a cover of {straw|leaves} {there|on that patch} and it'll be {kinder|softer} in spring.",
        ],
        [
            "how many kilos have I brought in from the allotment, all in all?",
            "what does my whole harvest from the allotment weigh so far?",
        ],
        "kg",
    ),
    Tally(
        _hours,
        [
            "<v> at the food bank, {tins from wall to wall|sorting pasta}, {my arms|good people}.",
            "{did|put in} <v> of {sorting|handing out bread} for the {food bank|Thursday lot}, {and heard eleven life stories|no break}.",
            "stood at the {counter|door} for <v>, {giving out bags|ticking names}, {humbling|cold feet}.",
            "<v> {in the van|driving}, {picking up|collecting} leftovers from {bakers|the supermarkets} for {them|the hall}, {found every pothole|smelling of buns}.",
            "{lent|gave} the hall crew <v> again, {mostly nappies and soup|shelves up, shelves down}.",
            "{unloaded|stacked} crates with the other volunteers, <v>, {sang a bit|slept like a stone after}.",
        ],
        [
            "<b> {took|did} my turn with the volunteers {this week|on Thursday}, {I owe <b_her>|since I had the cough}, {all evening, too|so none for me}."
        ],
        [
            "Good of you. {Comfortable|Dry} shoes and {a bottle of water|something to eat before} make more difference than {zeal|strength}, {and|so} {look after|mind} your back with the {heavy|low} crates.",
            "{Work like that|That sort of thing} {stays with one|gives something back}. {Was there|Did you hear} a story that you'd {like to keep|tell}, or is it better {left there|unsaid}?",
            "{Thank|Bless} whoever makes the tea there. {If they're short of hands|When it gets busy}, ask {at work|the neighbours}: {one|a} concrete hour is {easier to say yes to|an easier gift} than {goodwill|a vague wish}.",
        ],
        [
            "how many hours have I given to the food bank, in total?",
            "hours at the food bank since August, all my own, what's the sum?",
        ],
        "hours",
    ),
    Tally(
        _lent,
        [
            "<a> {was short|needed it} again, so <v> {changed hands|from me}, {for the car|don't tell anyone}.",
            "{slipped|handed} <a> <v> {today|in an envelope}, {for shoes for the boys|pride on both sides}.",
            "<v> to <a>, {the electricity this time|by transfer}, {and a hug|no questions}.",
            "the washing machine at <a>'s {died|is dead}. {Gave|Passed on} <v> {towards the next|for a used one}.",
            "{stood in for|covered} <a>'s {school trip money|dentist}, <v>, {what are siblings for|hush}.",
            "<a> {rang in tears|texted a sad face}. <v> {sent|later} {we were both laughing|the world was round again}.",
        ],
        [
            "<c> {asked me|wanted} {for|to have} <b> {too|as well} and I {said no|had to refuse}, {for once|with a bad conscience}."
        ],
        [
            "That's {kind|generous}, and {better|kinder} still if {you never mention it|it stays between you}. Is it a loan or a gift, in your {own mind|head}? {Knowing|Deciding} that {spares|saves} you {counting|resentment}.",
            "{Good|Well meant}. {If it goes on|Should it become a habit}, a fixed small sum {each month|on the first} is {easier on both|less bitter} than {rescue after rescue|waiting for the phone}.",
            "Whatever {it was for|happened}, {that helped|you were there}. {Perhaps|Maybe} {offer|suggest} {an hour with the bills|half an hour over the budget} {together|with cake} {as well|too}, {when it's calm|not this week}.",
        ],
        ["how much have I given <a> since August, in all?", "add up what <a> has had from me so far"],
        "",
    ),
]
