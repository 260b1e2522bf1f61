"""Old facts, said once in passing, each beside a fact that could be taken for it: probes of kind recall."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from pytest_membench.suites.people.life import Life, Plant, Story


@dataclass(frozen=True)
class Fact:
    """A form of fact. `v` is the value, `v2` the value of its namesake."""

    draw: Callable[[Life], Mapping[str, str]]
    said: Sequence[str]
    reply: Sequence[str]
    beside: Sequence[str]
    beside_reply: Sequence[str]
    q: Sequence[str]
    gold: str


def recall(life: Life, form: Fact) -> Story:
    """Return the story of one fact and its namesake, in either order."""
    slots = form.draw(life)
    first, second = life.sessions(2)
    if life.dice.chance(0.5):
        first, second = second, first
    fact = life.beat(first, form.said, form.reply, slots)
    beside = life.beat(second, form.beside, form.beside_reply, slots, spare=True)
    gold = life.fill(form.gold, slots)
    key = [slots["v"]]
    return Story([fact, beside], [Plant("recall", life.ask(form.q, slots), gold, key, [(fact, key)])])


def _digits(life: Life) -> dict[str, str]:
    first = life.dice.between(1000, 9999)
    return {"v": str(first), "v2": str(1000 + (first - 1000 + life.dice.between(7, 8000)) % 9000)}


def _code(life: Life) -> Mapping[str, str]:
    what, what2 = life.take("code_place")
    return {"what": what, "what2": what2, **_digits(life)}


def _size(life: Life) -> Mapping[str, str]:
    what, what2, thing = life.take("measured")
    size = life.dice.between(41, 129)
    return {"what": what, "what2": what2, "thing": thing, "v": f"{size} cm", "v2": f"{size + 3} cm"}


def _order(life: Life) -> Mapping[str, str]:
    what, what2 = life.take("ordered")
    letters = life.dice.pick(["KT", "BR", "VX", "QL", "ND", "HW", "ZE"])
    number = life.dice.between(2100, 9799)
    return {
        "what": what,
        "what2": what2,
        "firm": life.take("firm"),
        "v": f"{letters}-{number}",
        "v2": f"{letters}-{number + 90}",
    }


def _brand(life: Life) -> Mapping[str, str]:
    (thing, brand), (thing2, brand2) = life.take("brand"), life.take("brand")
    return {
        "thing": thing,
        "thing2": thing2,
        "v": brand,
        "v2": brand2,
        **life.take("name").slots("a"),
        **life.take("name").slots("b"),
    }


def _food(life: Life) -> Mapping[str, str]:
    one, other = life.take("near")
    return {**one.slots("a"), **other.slots("b"), "v": life.take("unfood"), "v2": life.take("unfood")}


def _contact(life: Life) -> Mapping[str, str]:
    return {
        "firm": life.take("firm"),
        "firm2": life.take("firm"),
        "v": life.take("name").name,
        "v2": life.take("name").name,
    }


def _target(life: Life) -> Mapping[str, str]:
    aim = life.dice.between(31, 78)
    what, what2 = life.dice.pick(
        [
            ("complaints for the year", "sick days"),
            ("late deliveries this season", "returns"),
            ("overtime hours a month", "agency shifts"),
            ("new regulars by Christmas", "newsletter sign-ups"),
        ]
    )
    return {"what": what, "what2": what2, **life.take("name").slots("a"), "v": str(aim), "v2": str(aim + 9)}


def _street(life: Life) -> Mapping[str, str]:
    one, other = life.take("near")
    return {
        **one.slots("a"),
        **other.slots("b"),
        "v": f"{life.dice.between(3, 97)} {life.take('street')}",
        "v2": f"{life.dice.between(3, 97)} {life.take('street')}",
    }


def _study(life: Life) -> Mapping[str, str]:
    one, other = life.take("near")
    return {**one.slots("a"), **other.slots("b"), "v": life.take("subject"), "v2": life.take("subject")}


def _book(life: Life) -> Mapping[str, str]:
    return {
        **life.take("name").slots("a"),
        **life.take("name").slots("b"),
        "v": life.take("title"),
        "v2": life.take("title"),
    }


def _pet(life: Life) -> Mapping[str, str]:
    (kind, pet), (kind2, pet2) = life.take("pet"), life.take("pet")
    return {
        **life.take("name").slots("a"),
        **life.take("name").slots("b"),
        "kind": kind,
        "kind2": kind2,
        "v": pet,
        "v2": pet2,
    }


def _rent(life: Life) -> Mapping[str, str]:
    rent = life.dice.between(46, 98) * 10 + life.dice.pick([0, 5])
    return {
        **life.take("name").slots("a"),
        **life.take("name").slots("b"),
        "v": f"{life.money}{rent}",
        "v2": f"{life.money}{rent + 55}",
    }


FACTS: Sequence[Fact] = [
    Fact(
        _code,
        [
            "{The locksmith has been|New lock, old hands}, so <what> {opens with|wants} <v> from now on, and I {locked myself out twice|pinched my thumb} learning it.",
            "{Spent the lunch break|Wasted a good hour} on the lock of <what>; it's {set to|on} <v> and nobody but the two of us knows.",
        ],
        [
            "{Two of us is the right number|That is a good secret to keep small}. If somebody who has the old one still turns up now and then, tell them in person rather than by message.",
            "A drop of graphite in the mechanism will {save your thumbs|make it turn}, and it's worth {trying it|a test} ten times with the door open before you {trust it shut|let it close}.",
        ],
        [
            "<what2> is <v2>, {in case I ever ring you in a panic|before that goes out of my head too}, and yes, too many numbers in this life.",
            "{My brother|The neighbour} {wanted to know|asked for} the number for <what2>, which is <v2>, {and couldn't find a pen|and had to have it spelled out}.",
        ],
        [
            "Too many indeed, though different ones everywhere {is the safer kind of nuisance|beats one that opens everything}. A sealed envelope with someone you trust is the usual answer to the panic.",
        ],
        ["what's the number for the lock on <what> again?", "standing in front of <what>. which code was it?"],
        "<v> opens <what>.",
    ),
    Fact(
        _size,
        [
            "{Crawled about with the tape|Measured up}: <what> is <v> {wall to wall|across}, which rules out {every shelf|everything} in the catalogue and {most of my plans|two of my ideas}.",
            "I want <thing> {in|for} <what>, <v> wide and not {a hair|a whisker} more, and the {joiner|carpenter} {laughed|whistled} when I said by Friday.",
        ],
        [
            "Ask for a few millimetres of play on each side, since {old walls|plaster lines} are never parallel. Measure at the {back and the front|top and the bottom} too, and go by the smallest of them.",
            "By Friday is {brave|cheerful}. You could have the {board|timber} cut at the yard on the way home, which is {half the job|most of the work} and costs next to nothing.",
        ],
        [
            "and <what2>, for comparison, comes to <v2>, so {nothing I own fits both|they're not even twins}, of course.",
            "{Held the tape to|Also measured} <what2> while I was at it, <v2>, {not that I need it yet|for some later day}.",
        ],
        [
            "Houses do that on purpose. If you ever want one piece to serve in both places, build it for the smaller gap and {pack out|trim} the larger one with a strip."
        ],
        ["how wide is <what>? I'm in the shop", "what did I measure for <what>, across?"],
        "<v> for <what>.",
    ),
    Fact(
        _order,
        [
            "{Forty minutes of hold music|Half an hour on the phone} with <firm>, and all I have to show for it is that <what> runs under <v> {in their system|at their end}.",
            "<firm> {say|swear} <what> is on its way; {their reference is|I'm to quote} <v> if it {goes astray|doesn't turn up}, which it will.",
        ],
        [
            "Hold music is {the price of|how you pay for} a cheap quote. Next time ask for the name of {whoever answers|the person on the line} as well, because a name gets you called back and a number doesn't.",
            "It may surprise you. If it {hasn't come|isn't there} within ten working days, write rather than ring, so that there's {a date on paper|something to point at}.",
        ],
        [
            "for <what2> the same people gave me <v2>, {one digit or so from the other|just to keep me on my toes}, {naturally|because why not}.",
            "<what2> came with a slip that says <v2>, {which goes in the drawer|stuck to the fridge now} with all the others.",
        ],
        [
            "Write on each slip what it is for, {in words|with a thick pen}, before it joins the rest. In a month they'll all look the same and the shop won't {be any help|know either}."
        ],
        [
            "I have <firm> on the line. what's the reference for <what>?",
            "which order number did they give me for <what>?",
        ],
        "<v> for <what>, from <firm>.",
    ),
    Fact(
        _brand,
        [
            "<a> {wouldn't hear of anything else|got quite heated about it}: for <thing> it has to be <v>, {everything else is rubbish|all the rest falls apart}, according to <a_her>.",
            "{Compared|Talked} <thing> with <a> over {a beer|tea}; <a_she> {has used|is on} <v> for years and {won't be moved|sounds like an advert}.",
        ],
        [
            "Years of use {count for more than|beat} a page of stars from strangers. Buy the smallest {size|amount} first all the same, since your needs may differ in ways {neither|none} of you {thought of|can see yet}.",
        ],
        [
            "<b>, on the other hand, {keeps on|goes on} about <v2> for <thing2>, {with slides, nearly|at length}, and I {nodded|drank my coffee}.",
            "{Lecture|Sermon} from <b> on <thing2>: <v2> or nothing at all, {apparently|it seems}, and I'd only asked the time.",
        ],
        [
            "People with strong views on such things are {worth keeping|a resource}: you'll know whom to ask, and you may still {buy the cheap one|ignore it}. Did you need any at all?"
        ],
        [
            "which make of <thing> did <a> tell me to get?",
            "I'm about to order <thing>. what was the one <a> recommended?",
        ],
        "<v>, on the word of <a>.",
    ),
    Fact(
        _food,
        [
            "Had <a> {round|over} on {Sunday|Saturday} and {nearly poisoned|almost finished off} <a_her>: <a_she> can't have <v>, {not a crumb|not even a trace}, and I'd {put it in the starter|scattered it over everything}.",
            "{Note to both of us|Learned the hard way}: <a> {comes out in lumps|swells up} from <v>, and I had to {start the meal again|cook a second pot}.",
        ],
        [
            "That was {close|a lucky escape}. Read the small print on stock cubes and spice mixes before the next visit, because that's where {such things|surprises} hide, and cook <a_hers> part first with clean spoons.",
        ],
        [
            "<b> {is coming too|may join us} one of these days, and with <b_her> it's <v2> that {is off the table|has to stay out}, {just to keep me busy|for a change}.",
            "{A message from|Word from} <b>: no <v2> for <b_her>, please, {the doctor says so|on doctor's orders}, {at least for now|starting this week}.",
        ],
        [
            "Then a dish built from single things on single plates is easiest: people take what they can eat, and nobody has to {interview the sauce|ask about every pot}."
        ],
        ["<a> is coming to eat. what was it <a_she> can't have?", "what do I have to leave out when I cook for <a>?"],
        "<v>: <a> can't have it.",
    ),
    Fact(
        _contact,
        [
            "<firm> {have fixed|finally put right} that invoice. {A saint called|It was} <v> {in their back office|on the late desk}, who {stayed on the line|rang me back} till it was done.",
            "If ever I say <firm> are useless, remind me of <v>, who {drove over|came out} in the rain and {swapped the part|took it all back}.",
        ],
        [
            "A line to the manager there, {with the name in it|saying so}, costs you two minutes and {may get you|often buys} the same person next time. Praise is {rarer|scarcer} in that inbox than complaints.",
        ],
        [
            "at <firm2> I only ever get <v2>, who {sighs|hums} while typing and {then cuts me off|has never once called back}.",
            "<v2> from <firm2> {rang|called} {twice|again}, about nothing, {very politely|at great length}.",
        ],
        [
            "You could ask for an email address and {skip the phone|leave the telephone alone} altogether. Someone who dislikes talking may turn out to write perfectly good answers."
        ],
        ["who was it at <firm> that helped me out?", "I need to ring <firm>. who's the good one there?"],
        "<v> at <firm>.",
    ),
    Fact(
        _target,
        [
            "<a> has {sent down|announced} a new number from above: <what>, <v>, {no discussion|end of story}, {and there's a chart|with arrows}.",
            "{Meeting with|An hour with} <a>. For <what> <a_she> wants to see <v> {on the sheet|and nothing else}, I {said hm|looked out of the window}.",
        ],
        [
            "Ask what happens {if you miss it by a little|at one off}; a figure with a consequence is a target, one without is a wish. And get the {definition|counting rule} in writing before anybody starts to count.",
        ],
        [
            "on <what2> we're to be at <v2>, {says the same memo|which came in the same breath}, {don't ask me why|and nobody can tell me how}.",
        ],
        [
            "Two figures from one memo tend to pull against each other. It may help to say {early|now} which of them you'd give up first, so that the choice is {theirs|made upstairs}.",
        ],
        [
            "what was the figure <a> set us for <what>?",
            "<a> wants a report. which number were we meant to hit on <what>?",
        ],
        "<v>, set by <a> for <what>.",
    ),
    Fact(
        _street,
        [
            "<a> has {moved|got the keys}: <v>, {third floor, no lift|top bell, it sticks}, and I {carried|hauled} the {books|washing machine}.",
            "{Helped|Spent the day helping} <a> {paint|unpack} at <v>, {a lovely place|nice light}, {shame about the stairs|with pigeons on the sill}.",
        ],
        [
            "{Stairs|Top floors} keep you fit and visitors few. A loaf of bread and some salt is the old present for {a new home|new rooms}; a decent torch and a box of fuses is the {useful|modern} one.",
        ],
        [
            "<b> is at <v2> {these days|since the summer}, and {I keep mixing the two up|the post mixes them up}, {to nobody's surprise|which amuses them both}.",
        ],
        [
            "Names one letter apart are a trap for {every postman|couriers}. You could put the house number in front of the name in your phone, so the one you see first is the one you need.",
        ],
        ["what's <a>'s address? I want to send flowers", "where does <a> live now, street and number?"],
        "<v> is where <a> lives.",
    ),
    Fact(
        _study,
        [
            "<a> got <a_hers> place! It's <v>, {starting in autumn|four years of it}, and <a_hers> mother {cried on the phone|rang everyone}.",
            "{Coffee with|Bumped into} <a>, who {is reading|has gone for} <v> of all things, {quite happy|glowing}, and already {knows everything|in debt}.",
        ],
        [
            "Lovely news. {A good lamp|A second-hand bike} is the present that {gets used every day|lasts till the exams}, whatever the subject, and a promise of Sunday lunches is the one that is {remembered|missed when it stops}.",
        ],
        [
            "<b>, meanwhile, {dropped out|switched}: it's <v2> {now|this time}, and nobody dares to {ask|say a word} at table.",
        ],
        [
            "Changing early is cheaper than {finishing the wrong thing|three sad years}. If it comes up, ask what {a good day there|a week of it} looks like; people answer that more gladly than why.",
        ],
        ["what is <a> studying again?", "writing a card to <a>. what was the subject <a_she> got in for?"],
        "<v> is what <a> got in for.",
    ),
    Fact(
        _book,
        [
            '<a> {pressed a novel into my hands|has lent me something to read}, "<v>", {and wants it back|with <a_hers> pencil marks in it}, and I\'m {ten pages in|already lost}.',
            '{On the bedside table|Under my pillow now}: "<v>", {a present from|courtesy of} <a>, who {says it saved <a_hers> summer|cried over it on a train}.',
        ],
        [
            "Give it fifty pages before you judge, since most {slow|odd} openings settle by then. If it still hasn't {caught you|taken hold}, hand it back with one kind sentence about the {prose|cover}.",
        ],
        [
            '<b> won\'t stop about "<v2>", {which I have no time for|not my thing at all}, {but so it goes|though I nod}.',
        ],
        [
            "Recommendations say more about the friend than about the book. You can ask which part <b_she> liked best; nine times out of ten that's {all the conversation|as far as it goes}.",
        ],
        ["what's the book called that <a> gave me?", "which novel did I have from <a>?"],
        '"<v>", which came from <a>.',
    ),
    Fact(
        _pet,
        [
            "{Spent the evening|Sat} at <a>'s with a <kind> on my {feet|lap}. <v> {snores|farts}, {weighs a ton|has no manners}, and I {want one|was in love}.",
            "<a>'s <kind> {ate|destroyed} my {left glove|good pen}. <v>, the {beast|villain} is called, and {no one was sorry|it looked pleased}.",
        ],
        [
            "Borrowed animals are the best arrangement: all of the {charm|fun}, none of the {vet's bills|early walks}. Offer to mind that one for a {weekend|week} and see if the wish {survives|lasts}.",
        ],
        [
            "at <b>'s it's a <kind2> called <v2>, {better behaved|asleep, mostly}, and {less of a talker|slightly haunted-looking}.",
        ],
        [
            "Every {household|family} gets the animal it deserves, people say, which is unfair on somebody here. Did you {come away|get home} with all of your belongings this time?",
        ],
        ["what's <a>'s <kind> called?", "buying a treat for <a>'s <kind>. what was the name?"],
        "<v> is the <kind> at <a>'s.",
    ),
    Fact(
        _rent,
        [
            "<a> {told me|let slip} what <a_she> pays for <a_hers> room, <v> a month, {bills in|heating not included}, and I {choked|had to sit down}.",
            "{Compared rents|Talked money} with <a>: <v> a month {goes out|is what it costs}, for {a view of bins|a cupboard with a tap}.",
        ],
        [
            "Rents are a {dismal|sore} subject everywhere. If the contract is up for renewal soon, a polite letter with three {local adverts|comparable rooms} attached does {more than one thinks|sometimes work}.",
        ],
        [
            "<b> {is worse off|has it worse}, <v2> {every month|on the first of the month}, and the {ceiling drips|stairs are dark}.",
        ],
        [
            "A dripping ceiling is the landlord's to mend, and a dated photo {starts the clock|is a good beginning}. Some tenancy advice offices answer within {a day|two days} and cost nothing.",
        ],
        ["what does <a> pay for <a_hers> room a month?", "how much was <a>'s rent?"],
        "<v> a month for the room of <a>.",
    ),
]
