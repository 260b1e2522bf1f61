"""Things nearly said: somebody's fact is told, the one asked about never is. Probes of kind abstain."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from pytest_membench.suites.people.life import Life, Plant, Story


@dataclass(frozen=True)
class Nearly:
    """A form of near miss: `a` has the fact `v`, `b` is only mentioned. `never` holds words that stand with `b` nowhere."""

    draw: Callable[[Life], Mapping[str, str]]
    said: Sequence[str]
    reply: Sequence[str]
    beside: Sequence[str]
    beside_reply: Sequence[str]
    q: Sequence[str]
    gold: str
    holds: Sequence[str]
    never: Sequence[str]


def abstain(life: Life, form: Nearly) -> Story:
    """Return the story of a fact of one person and the mention of another, whose fact is never told."""
    slots = form.draw(life)
    first, second = life.sessions(2)
    told = life.beat(first, form.said, form.reply, slots)
    beside = life.beat(second, form.beside, form.beside_reply, slots)
    never = [[slots["b"], life.fill(word, slots)] for word in form.never]
    holds = [(told, [life.fill(phrase, slots) for phrase in form.holds])]
    gold = life.fill(form.gold, slots)
    return Story([told, beside], [Plant("abstain", life.ask(form.q, slots), gold, holds=holds, never=never)])


def _two(pool: str) -> Callable[[Life], Mapping[str, str]]:
    def draw(life: Life) -> Mapping[str, str]:
        return {**life.take("name").slots("a"), **life.take("name").slots("b"), "v": life.take(pool)}

    return draw


def _pet(life: Life) -> Mapping[str, str]:
    kind, pet = life.take("pet")
    return {**life.take("name").slots("a"), **life.take("name").slots("b"), "kind": kind, "v": pet}


def _birthday(life: Life) -> Mapping[str, str]:
    return {**life.take("name").slots("a"), **life.take("name").slots("b"), "v": str(life.dice.between(31, 69))}


def _firms(life: Life) -> Mapping[str, str]:
    return {
        "a": life.take("firm"),
        "b": life.take("firm"),
        "v": f"{life.money}{life.dice.between(12, 96) * 10}",
        "weeks": str(life.dice.between(3, 11)),
        "thing": life.dice.pick(
            ["a lift", "the racking", "new blinds", "a cold room door", "the flooring", "a canopy"]
        ),
    }


def _extension(life: Life) -> Mapping[str, str]:
    return {
        **life.take("name").slots("a"),
        **life.take("name").slots("b"),
        "v": str(life.dice.between(211, 989)),
        "v2": str(life.dice.between(2, 9)),
    }


NEARLY: Sequence[Nearly] = [
    Nearly(
        _two("place_abroad"),
        [
            "<a> is {off on holiday|taking <a_hers> holiday} {soon|next month}: <v>, two weeks, {with the in-laws|no laptop}.",
        ],
        [
            "Two weeks {without a laptop|away} is worth some planning: have <a_her> write down what's open and who decides on it, on {one page|one sheet}, and read it together before <a_she> {leaves|goes}.",
        ],
        [
            "<b> {looks|seems} {worn out|dead on <b_hers> feet}. I {took <b_hers> late shift|sent <b_her> home at three} and {felt noble|had the place to myself}.",
        ],
        [
            "Kindly done. Ask <b_her> in a quiet corner how things are, {with time for the answer|not between two doors}, since tiredness that shows usually began some weeks before.",
        ],
        ["where is <b> going for <b_hers> holiday?", "which country did <b> say <b_she> was going on holiday to?"],
        "It never came up: only the holiday of <a> (<v>) was mentioned, nothing of the kind for <b>.",
        ["holiday", "<v>"],
        ["holiday", "holidays", "<v>", "leave", "fortnight"],
    ),
    Nearly(
        _birthday,
        [
            "{Cake|Candles} at <place> today, <a> turned <v>, {sang along|made a speech} and {cut it into tiny squares|ate most of it}. Birthday {crown|hat} and all.",
        ],
        [
            "Tiny squares are {the mark of a manager|how you feed a crowd}. Write the date {into next year's calendar|down somewhere} while you think of it, so that nobody has to improvise a card at nine in the morning.",
        ],
        [
            "<b> {has started|is} learning the {ukulele|accordion} and {plays|practises} in the {yard|stairwell}, {the same four bars|with great courage}.",
        ],
        [
            "Four bars are a beginning. A kind question about a second {tune|song} might move things along, and a closed door is {cheaper|gentler} than a complaint.",
        ],
        ["how old is <b> now?", "when's <b>'s birthday?"],
        "It never came up: only <a> turning <v> was mentioned, not the age or birthday of <b>.",
        ["<v>", "Birthday"],
        ["birthday", "turned", "years old", "born"],
    ),
    Nearly(
        _pet,
        [
            "<a> brought {the|<a_hers>} <kind> {in|along} today, <v>, {under one arm|in a basket}, and {no work was done till noon|everyone went soft}.",
        ],
        [
            "An hour of {softness|cuddling} buys more goodwill than most {team events|bonuses}. Put a bowl of water by the door and let it be {a custom|a monthly thing}, if nobody sneezes.",
        ],
        [
            "<b> {took|has taken} the {morning|day} off to {wait for a plumber|get <b_hers> car through its test}, so I {answered|picked up} every single call.",
        ],
        [
            "Every single one sounds like {a long morning|a lot}. Keep a tally of what they were about; if half are the same question, {a notice|a recorded line} could answer it for you.",
        ],
        ["what's <b>'s <kind> called?", "what was the name of <b>'s <kind>?"],
        "It never came up: only the <kind> of <a>, <v>, was mentioned, none of <b>'s.",
        ["<kind>", "<v>"],
        ["<kind>", "<v>", "pet"],
    ),
    Nearly(
        _firms,
        [
            "<a> {want|are asking} <v> for <thing>, {fitted|all in}, and {I laughed|my eyebrows went up}, {but politely|then I sat down}.",
        ],
        [
            "Ask them to split it into {parts and labour|goods and fitting} before you {laugh again|answer}. One of the two is usually padded, and it is easier to talk about {half a sum|one line} than about the whole.",
        ],
        [
            "<b> could {deliver|come} in <weeks> weeks {at the earliest|if we sign now}, says a {cheery|bored} voice, {for the very same thing|for the same job}.",
        ],
        [
            "Have that said again in an email, {with a date|in black and white}, before it counts for anything. A {cheery|bored} voice on the phone has never yet been {late|held to its word}.",
        ],
        ["what did <b> want for <thing>?", "how much was the offer from <b>?"],
        "It never came up: only <a> named a price (<v>); from <b> there was just a delivery time (<weeks> weeks).",
        ["<v>"],
        ["price", "quote", "offer", "want", "asking", "cost", "<v>"],
    ),
    Nearly(
        _extension,
        [
            "{New phones|They've changed the phones} at <place>, and {nothing works|the buttons are tiny}. <a> is on extension <v>, that much I {know|found out}.",
        ],
        [
            "A printed list {beside|next to} each handset is {dull and perfect|the old cure}. Let everybody write in their own line on one sheet by the {kettle|door}, then copy it tomorrow.",
        ],
        [
            "<b> {has swapped desks|moved over to the window}, {row|bank} <v2>, {with|and took} the {good chair|plant}, and {there's been muttering|no one dared object}.",
        ],
        [
            "Good chairs start more wars than {money|parking} does. You could {declare it shared|order one more}, and tell everyone on the same day why.",
        ],
        ["what's <b>'s extension?", "which extension do I dial for <b>?"],
        "It never came up: only the extension of <a> (<v>) was mentioned, none for <b>.",
        ["extension <v>"],
        ["extension", "phone", "dial"],
    ),
    Nearly(
        _two("street"),
        [
            "{Dinner with|Went to see} <a> in <v>, {soup, then more soup|five flights up}, {wonderful|and a balcony}, {home by eleven|walked back along the river}.",
        ],
        [
            "That sounds like a {proper|good} evening. Invite back within the month, {before it turns into a debt|while the taste lasts}, and keep it as simple as {theirs|it was there}.",
        ],
        [
            "<b> {gave me a lift|drove me back} {again|after work}, {heater on full|singing}, and {wouldn't take anything for petrol|talked about knees}.",
        ],
        [
            "Someone who won't take petrol money may take {a cake|eggs}. Leave it on the passenger seat and get out {fast|quickly}: that's the accepted method.",
        ],
        ["which street does <b> live in?", "what was <b>'s address?"],
        "It never came up: only <a>'s street (<v>) was mentioned, not where <b> lives.",
        ["<v>"],
        ["<v>", "lives", "street", "address"],
    ),
    Nearly(
        _two("school"),
        [
            "<a>'s {girl|boy} {starts|has started} at <v>, {in a blazer two sizes up|with a bag as big as a fridge}, {says <a_she>, wiping an eye|and <a_she> is a wreck}.",
        ],
        [
            "First weeks are harder on {parents|the grown-ups}. Ask how it's going about day ten, when everyone else has {stopped asking|forgotten}, and the true stories {start|come out}.",
        ],
        [
            "<b> {showed me|has} pictures of the twins on <b_hers> phone, {two hundred of them|in order}, {mud in every one|all grinning}.",
        ],
        [
            "Two hundred is {restrained|modest} for twins. The safe comment is that they look {entirely different|like trouble}, said {warmly|with a smile}, since one of those will be true.",
        ],
        ["which school do <b>'s twins go to?", "what's the name of the school that <b>'s twins are at?"],
        "It never came up: only the school of <a>'s child (<v>) was mentioned, not that of <b>'s twins.",
        ["<v>"],
        ["school", "<v>", "class", "teacher"],
    ),
    Nearly(
        _two("subject"),
        [
            "<a> is {thinking of going back|going back} to college for <v>, {at <a_hers> age, <a_she> says|evenings only}, and I {cheered|said do it}.",
        ],
        [
            "Cheering is right. The evenings {wear thin|get long} around week six, so that is when to {offer help|bring soup}: {covering a shift|taking a duty} then is worth ten good wishes today.",
        ],
        [
            "<b>'s eldest {passed|got through} the {driving test|exams} and {ran out of words|has hugged everyone}, {the whole street knows|there was fizz}.",
        ],
        [
            "Then congratulations are due to the {nerves of the parents|whole family}. A short card, {by hand|on paper}, arrives when the {noise is over|fizz is gone} and gets kept.",
        ],
        ["what is <b>'s eldest going to study?", "which subject has <b>'s eldest picked at college?"],
        "It never came up: only <a> going back for <v> was mentioned, nothing on what <b>'s eldest will study.",
        ["<v>"],
        ["study", "studying", "<v>", "college", "degree"],
    ),
]
