"""Wishes about being spoken to (kind ask) and about pieces of work (kind pref_apply), each said once, long ago."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from pytest_membench.data import Kind
from pytest_membench.suites.people.life import Life, Plant, Story


def _nothing(life: Life) -> Mapping[str, str]:
    return {}


@dataclass(frozen=True)
class Wish:
    """A form of wish: how it is said, what it has to hold, what is asked weeks later, and the rubric."""

    said: Sequence[str]
    reply: Sequence[str]
    holds: str
    q: Sequence[str]
    rubric: str
    draw: Callable[[Life], Mapping[str, str]] = _nothing


def wish(life: Life, kind: Kind, form: Wish) -> Story:
    """Return the story of one wish, told on one day."""
    slots = form.draw(life)
    told = life.beat(life.sessions(1)[0], form.said, form.reply, slots)
    holds = life.fill(form.holds, slots)
    plant = Plant(kind, life.ask(form.q, slots), life.fill(form.rubric, slots), [holds], [(told, [holds])])
    return Story([told], [plant])


def _nick(life: Life) -> Mapping[str, str]:
    return {**life.who.slots("me"), "nick": life.nick}


def _word(life: Life) -> Mapping[str, str]:
    word, source = life.dice.pick(
        [
            ("moin", "my years in Hamburg"),
            ("ahoy", "the boat people"),
            ("salve", "my old Latin teacher"),
            ("wotcha", "my uncle"),
            ("howdy", "a summer in Texas"),
            ("servus", "my Viennese flatmate"),
            ("hei hei", "a winter in Oslo"),
        ]
    )
    return {"word": word, "source": source}


def _night(life: Life) -> Mapping[str, str]:
    return {
        "word": life.dice.pick(["sleep like a stone", "down tools", "lanterns out", "till the kettle", "anchors down"])
    }


def _lines(life: Life) -> Mapping[str, str]:
    return {"lines": life.dice.pick(["four", "five", "six"])}


def _share(life: Life) -> Mapping[str, str]:
    share, whole = life.dice.pick([15, 20, 25, 35, 40]), life.dice.between(3, 19) * 40
    return {"share": str(share), "whole": str(whole), "value": f"{share * whole // 100}"}


def _boss(life: Life) -> Mapping[str, str]:
    return {**life.take("name").slots("a"), "lines": life.dice.pick(["four", "five", "six"])}


def _sign(life: Life) -> Mapping[str, str]:
    return {
        **life.take("name").slots("a"),
        "word": life.dice.pick(
            ["Onwards", "With salt", "Yours in haste", "Warm hands", "Ever upwards", "Mind the step"]
        ),
    }


def _food(life: Life) -> Mapping[str, str]:
    food, dish, q = life.dice.pick(
        [
            ("aubergine", "moussaka or ratatouille", "a Mediterranean dinner, three courses"),
            ("blue cheese", "Roquefort or Gorgonzola", "a cheese plate and two salads"),
            ("raisins", "raisins or sultanas", "a cake for a cold afternoon, with the recipe"),
            ("tarragon", "tarragon in the sauce", "a French supper with chicken"),
            ("anchovies", "anchovies in the dressing", "an Italian supper with a green salad"),
            ("capers", "capers or puttanesca", "pasta for six, something southern"),
            ("beetroot", "borscht or beetroot in the salad", "an eastern European lunch"),
        ]
    )
    return {"food": food, "dish": dish, "meal": q}


def _heading(life: Life) -> Mapping[str, str]:
    return {"head": life.dice.pick(["Loose ends", "Open questions", "What could bite us", "Still owed", "Watch out"])}


def _banned(life: Life) -> Mapping[str, str]:
    return {"word": life.dice.pick(["exciting", "journey", "delighted", "amazing", "cordially", "unforgettable"])}


def _early(life: Life) -> Mapping[str, str]:
    return {"hour": life.dice.pick(["nine", "ten", "half past nine"]), "goal": life.take("place_abroad")}


def _council(life: Life) -> Mapping[str, str]:
    date, full, short = life.dice.pick(
        [
            ("5 December", "Saturday 5 December 2026", "5/12"),
            ("12 December", "Saturday 12 December 2026", "12/12"),
            ("19 January", "Tuesday 19 January 2027", "19/1"),
            ("6 February", "Saturday 6 February 2027", "6/2"),
        ]
    )
    ask = life.dice.pick(
        [
            f"the skip will stand outside our door on {date}",
            f"we'd like to close the lane for a party on {date}",
            f"the hedge gets cut on {date} and a lane will be blocked for the morning",
        ]
    )
    return {"ask": ask, "full": full, "short": short}


ASKS: Sequence[Wish] = [
    Wish(
        [
            "{Before we go any further|A small thing}: <me> is for {forms and dentists|the tax office}. If you {greet me|say hello}, {make it|I'm} <nick>, {like everyone at home|as all my friends have it}.",
        ],
        [
            "{With pleasure|Understood}, <nick>. {The forms can keep|I'll leave the forms} the long one. What's on {your plate|the table} today, and {where shall we start|which part can I take off you}?",
        ],
        "<nick>",
        ["hello there", "hi", "good to see you again"],
        'Greets <me> as "<nick>". A reply that says "<me>", or uses no name at all, misses.',
        _nick,
    ),
    Wish(
        [
            '{Could you do me a favour|Silly wish}: when I come in with a hello, you say "<word>" {back|to me}. {I have it from|Blame} <source>, and I {miss hearing it|like the sound}.',
        ],
        [
            "{Gladly|That's easily done}. {Words like that|Borrowed greetings} keep {a whole year|people} alive that photographs don't. {Tell me more about it some day|Who else still says it to you}?",
        ],
        "<word>",
        ["hello! back again", "hi, me again", "hello hello"],
        'Greets with "<word>". A reply that opens with "hello", "hi" or "good morning" alone misses.',
        _word,
    ),
    Wish(
        [
            '{One more habit of mine|House custom}: when I say I\'m off to bed, {your line is|you answer with} "<word>", {as we did at home|no idea who began it}. {The rest may vary|Nothing else needed}.',
        ],
        [
            "{A fine custom|I like it}. {Families are made of|Every house has} such things, and {they're usually|most are} older than anyone {remembers|at the table}. I'll {hold to|keep} it {whatever the hour|from now on}.",
        ],
        "<word>",
        ["that's me done, off to bed", "right, bed for me"],
        'Answers with "<word>". A reply that only says "good night" or "sleep well" misses.',
        _night,
    ),
    Wish(
        [
            "{When I ask you to sum things up|Recaps}: numbered, <lines> lines at the most, {no opening sentence, no closing one|and spare me the introduction}. I read them {standing up|on the stairs}.",
        ],
        [
            "{Numbered and short it is|That I can do}. {Reading on stairs|Standing readers} should {find the point|see what matters} in {the first line|line one}, so I'd {put|set} whatever needs a decision {on top|there}.",
        ],
        "<lines> lines at the most",
        ["sum up my last few days please", "recap of the week, if you would"],
        'A numbered list ("1.", "2.") of at most <lines> lines, with no sentence before or after it. A reply with bullets, more lines or an introduction misses.',
        _lines,
    ),
    Wish(
        [
            "{If there's a sum in it|With sums}, {give me|I want} the figure first, the very first thing in {the reply|your answer}, and how you got there {after|below}. {I skim|My eyes give up early}.",
        ],
        [
            "{Figure first|So be it}. {It keeps|That also keeps} me honest, since {a number up front|what stands first} can't {hide|duck} behind a paragraph. {I'll show the working|The working comes} underneath, {briefly|in a line}.",
        ],
        "the very first thing",
        ["what's <share>% of <whole>?", "<share> per cent of <whole>, what does that make?"],
        'Begins with the figure "<value>"; the working, if any, comes after. A reply that explains before it gives the number misses.',
        _share,
    ),
    Wish(
        [
            "{Stop asking|Please don't ask} me \"anything else?\" {at the end|when we're through}. When you've {said it|answered}, {full stop|simply stop}. My {phone company|bank} does that and I {hang up|grind my teeth}.",
        ],
        [
            "{Agreed|That's fair}. {A reply|An answer} {has said enough|is done} when it {is over|has answered}, and {silence is polite too|a full stop is a courtesy}. I'd {hate|be sorry} to sound like the bank.",
        ],
        "anything else?",
        ["the delivery came and it's all there. just telling you", "all quiet here today, for your information"],
        'Takes note in a sentence or two and stops. A reply that ends with "anything else", "let me know" or another offer of help misses.',
    ),
    Wish(
        [
            "{Never give me|I can't use} both sides {at length|of everything}. When I ask this or that, {say|tell me} your pick first, {then|and after it} one reason against it. {One|A single one}. I {can weigh|do the weighing} myself.",
        ],
        [
            "{A pick and one objection|Good rule}. {It makes me choose|It stops me hiding}, which {is only right|I should like}, and leaves you the last word. {If I really can't tell|Where it's a coin toss} I'll {say so|pick anyway and admit it}.",
        ],
        "your pick first",
        ["should I take the train or the car to my sister's?", "paint the bench now or wait for spring?"],
        'Names its pick in the "first" sentence, then one reason "against" it. A reply that lists pros and cons of both, or ends undecided, misses.',
    ),
    Wish(
        [
            "{I grew up with|My head works in} Fahrenheit, {and can't help it|whatever the neighbours say}: temperatures {for me|when you talk to me} in Fahrenheit, {please|always}, {ovens as well|even for bread}.",
        ],
        [
            "{Certainly|That's no trouble}. {Ovens and weather|Bread and fevers} alike will {come|be given} your way, and if {a recipe|a label} says otherwise I'll {convert it|do the sum} before {you see it|it reaches you}.",
        ],
        "Fahrenheit",
        ["how hot should the oven be for roast potatoes?", "what temperature do I bake a plain sponge at?"],
        'Gives the temperature in "Fahrenheit" ("°F"). A reply in Celsius or gas marks alone misses.',
    ),
]

PREFS: Sequence[Wish] = [
    Wish(
        [
            "{Mails to <a> have rules|About writing to <a>}: what I want from <a_her> {goes|stands} in the first line, <lines> lines {in all|and out}. {Longer ones come back unread|<a_she> reads on a watch}.",
        ],
        [
            "{A watch is a strict editor|Clear}. {Then|So} the request {leads|opens}, the reason follows in one line, and whatever is {left|background} can go in a file {beneath|attached} that nobody has to {open|scroll}.",
        ],
        "first line",
        [
            "draft an email to <a>: I need two more people for the weekend shift",
            "write to <a> for me, please: could the invoice be signed by Thursday, the printers won't wait",
        ],
        'An email to <a> with the request in the "first line" and at most <lines> lines in all. A reply that opens with pleasantries or background, or runs longer, misses.',
        _boss,
    ),
    Wish(
        [
            '{When I write to|Letters to} <a>, they {close|end} with "<word>" {and my name|above my name}, {always have|for twenty years}, and if it were missing <a_she>\'d {think I was ill|ring the police}.',
        ],
        [
            "{Then it stays|Such endings matter}. {It's a password|A closing like that} as much as a {greeting|farewell}, and {worth more|truer} than {regards|anything printed}. {How did it start|Where does it come from}?",
        ],
        "<word>",
        [
            "write a short note to <a> to thank <a_her> for the jam",
            "a few lines to <a>, please: sorry I missed <a_hers> call, will ring on Sunday",
        ],
        'A note to <a> that closes with "<word>" and the name. A reply that closes with "best", "regards" or "love" instead misses.',
        _sign,
    ),
    Wish(
        [
            "{Nothing with <food>|Keep <food> away from me}, by the way, {not hidden, not on the side|ever}. {A childhood thing|One bad holiday and that was that}. {You'd not believe|I'm told it's a pity} {how many menus have it|at every dinner}.",
        ],
        [
            "{Everybody has one|That's allowed}. {Menus|Cooks} can {nearly always|mostly} leave it out if they hear {early|at the booking}, and {most dishes|a good kitchen} won't {notice|suffer}. I'll {work|plan} round it.",
        ],
        "<food>",
        ["plan me <meal>", "I have guests. suggest <meal>"],
        'Plans the meal with no "<food>" in it. A reply that includes <dish> misses.',
        _food,
    ),
    Wish(
        [
            "{Whenever you draft|In} a handover note for me, the last part is headed \"<head>\", {even when it's empty|with whatever isn't settled}. {We learned that the hard way|There's a story}.",
        ],
        [
            "{Hard ways teach best|A good last heading}. {An empty one|Even a blank} says something too: that {somebody looked|the question was put}. {I'd|Let's} keep it {to three points|short}, or people {stop|tire of} reading it.",
        ],
        "<head>",
        [
            "write a handover note for tomorrow's lot: keys with the porter, heating man comes at ten",
            "handover note please: all deliveries in, one pallet to go back, alarm code unchanged",
        ],
        'A handover note whose last part is headed "<head>". A reply without that heading, or with it elsewhere than at the end, misses.',
        _heading,
    ),
    Wish(
        [
            '{If you write invitations for me|Anything that invites people}: not once the word "<word>". {My aunt used it for funerals|I break out in hives}. Plain words, {where and when|date, place, food}.',
        ],
        [
            "{Struck from the dictionary|Gone}. {People come for|Guests want} the company and {the food|something hot}, and {both read better|that's best said} without {decoration|trumpets}. {Date, place, food|Where and when} in {that order|three lines}, then.",
        ],
        "<word>",
        [
            "write an invitation to a garden lunch on a Sunday, twelve people",
            "an invitation please, for drinks when the new rooms open",
        ],
        'A plain invitation that never uses the word "<word>". A reply with "<word>" or similar gush in it misses.',
        _banned,
    ),
    Wish(
        [
            "{For any trip you plan me|When it comes to travel}: nothing that leaves before <hour> in the morning, {I'm no use to anyone|I've missed three that did}, {I'd rather arrive at midnight|whatever it saves}.",
        ],
        [
            "{Sleep is part of the journey|Very sensible}. It costs a little choice, {mostly|chiefly} on Mondays, and gains you a {clear head|calm face} at the other end. I'd {look|search} from {there|that hour} on.",
        ],
        "before <hour>",
        [
            "plan me a weekend in <goal>, with departure times",
            "sketch a three-day trip to <goal> for me, there and back",
        ],
        'A plan in which nothing leaves "before <hour>" in the morning. A reply with an earlier departure, or without times, misses.',
        _early,
    ),
    Wish(
        [
            "{Shopping lists|If I ask for a shopping list}: by the way the shop is {built|laid out}, Fruit, Bread, Cold, Rest, those four headings {in that order|and no other}. I {don't turn back|walk one way only}, {on principle|like a knight}.",
        ],
        [
            "Four headings, one direction. {It saves|That spares you} ten minutes and {the second lot of biscuits|temptation}. {Frozen things|Ice} would {go|come} last of all, {under the final one|so they stay hard}.",
        ],
        "Fruit, Bread, Cold, Rest",
        [
            "shopping list for pancakes and a salad for four, please",
            "make me a shopping list: breakfast for the weekend and a soup",
        ],
        'A list under the headings "Fruit", "Bread", "Cold", "Rest", in this order. A reply without them, or in another order, misses.',
    ),
    Wish(
        [
            "{I can't run any more|The doctor was clear}, {that's over|left knee}: if you make me training plans, no running, {not even gently|no jogging either}. {Swimming, cycling, whatever|Anything else goes}.",
        ],
        [
            "{Knees|Joints} are {worth obeying|not to be argued with}. {Water|A bicycle} does {nearly all|most} of what {the road|that} did for {heart and mood|you}, and the {rest|remainder} is habit: same {days|hour}, same {bag|shoes}.",
        ],
        "no running",
        [
            "make me a training plan for four weeks, three times a week",
            "I want to get fit again, draw up a month for me",
        ],
        'A training plan with "no running" or jogging in it. A reply that has running, jogging or interval runs in it misses.',
    ),
    Wish(
        [
            "{The council wants|With the council} dates in full: {I got|there was} a form back {over it|last year}. So in {letters to them|anything official} it's weekday, day, month, year, all {in words|spelled out}, {never figures with dots|no slashes}.",
        ],
        [
            "{Officials love|An office wants} {a date nobody can misread|the long form}, and {this once|for once} they're right. {I'll check|One has to check} that the weekday {fits|agrees}, since {that's what they'd send back next|it's the likeliest slip}.",
        ],
        "weekday, day, month, year",
        ["write to the council for me: <ask>", "letter to the council please: <ask>"],
        'A letter with the date in full: "<full>" (with or without commas). A reply with "<short>", another form in figures or no weekday misses.',
        _council,
    ),
]
