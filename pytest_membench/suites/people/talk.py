"""Small talk: the ordinary traffic of a chat, which no probe asks about."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from pytest_membench.suites.people.life import Life
from pytest_membench.suites.people.phrases import date_of, weekday_of

Draw = Callable[[Life, int], Mapping[str, str]]


@dataclass(frozen=True)
class Topic:
    """Something people ask an assistant: what is drawn for a day, what is said, what is answered."""

    draw: Draw
    said: Sequence[str]
    reply: Sequence[str]


def _rows(names: str, *rows: str) -> Draw:
    """Return a draw from a table: column names, and rows whose cells are parted by `|`."""
    columns = names.split()
    cells = [row.split("|") for row in rows]

    def draw(life: Life, day: int) -> Mapping[str, str]:
        return dict(zip(columns, life.dice.pick(cells), strict=True))

    return draw


def _cross(**lists: str) -> Draw:
    """Return a draw that takes one from each list, whose entries are parted by `|`."""
    options = {name: entries.split("|") for name, entries in lists.items()}

    def draw(life: Life, day: int) -> Mapping[str, str]:
        return {name: life.dice.pick(entries) for name, entries in options.items()}

    return draw


def _amount(pence: int) -> str:
    return f"{pence // 100:,}" if pence % 100 == 0 else f"{pence // 100:,}.{pence % 100:02}"


def _discount(life: Life, day: int) -> Mapping[str, str]:
    price, share = life.dice.between(18, 420), life.dice.pick([5, 10, 12, 15, 20, 30, 35])
    thing = life.dice.pick(
        [
            "a winter coat",
            "boots",
            "a lamp",
            "a suitcase",
            "a blender",
            "headphones",
            "a garden bench",
            "a tent",
            "a printer",
            "a raincoat",
            "a kettle",
        ]
    )
    return {
        "p": str(price),
        "s": str(share),
        "thing": thing,
        "v": _amount(price * (100 - share)),
        "off": _amount(price * share),
    }


def _split(life: Life, day: int) -> Mapping[str, str]:
    heads = life.dice.between(3, 9)
    each = life.dice.between(900, 4200)
    return {"n": str(heads), "bill": _amount(each * heads), "v": _amount(each), "tip": _amount(each * heads // 10)}


def _days_until(life: Life, day: int) -> Mapping[str, str]:
    ahead = life.dice.between(9, 140)
    what = life.dice.pick(
        [
            "the clocks and the calendar",
            "a card I have to post",
            "the end of the lease on the printer",
            "the visitors from Leeds",
            "the school fair",
            "the last day for returns",
            "the concert",
            "the car's next service",
        ]
    )
    return {
        "d": date_of(day + ahead),
        "w": weekday_of(day + ahead),
        "n": str(ahead),
        "weeks": str(ahead // 7),
        "rest": str(ahead % 7),
        "what": what,
    }


def _pounds(life: Life, day: int) -> Mapping[str, str]:
    pounds = life.dice.between(2, 60)
    what = life.dice.pick(
        ["flour", "sugar", "clay", "chestnuts", "wool", "nails", "coal", "butter", "grain", "plaster"]
    )
    return {"n": str(pounds), "what": what, "v": _amount(pounds * 4536 // 100), "half": _amount(pounds * 2268 // 100)}


def _scaled(life: Life, day: int) -> Mapping[str, str]:
    heads = life.dice.pick([2, 3, 5, 6, 7, 9, 10, 11, 14])
    grams = life.dice.between(8, 40) * 20
    what = life.dice.pick(
        [
            "rice",
            "lentils",
            "pasta",
            "potatoes",
            "minced meat",
            "chickpeas",
            "couscous",
            "carrots",
            "mushrooms",
            "dumpling dough",
        ]
    )
    return {
        "n": str(heads),
        "g": str(grams),
        "what": what,
        "v": _amount(grams * heads * 25),
        "one": _amount(grams * 25),
    }


def _wage(life: Life, day: int) -> Mapping[str, str]:
    hours, rate = life.dice.between(5, 38), life.dice.between(1150, 2490)
    who = life.dice.pick(
        ["the student", "the Saturday help", "the temp", "the gardener", "the cleaner", "the new driver"]
    )
    return {"h": str(hours), "r": _amount(rate), "v": _amount(hours * rate), "who": who}


_COMPUTED = [
    Topic(
        _discount,
        [
            "{Saw|There's} <thing> at <cur><p>, {today|this week} <s> per cent off. {What do I pay|What's that at the till}?",
            "<s>% off <cur><p> for <thing>, {is that worth the walk|what does it come to}? {I'm outside the shop|They close in ten minutes}.",
            "{quick sum please|do this for me}: <cur><p> less <s> per cent. It's <thing>, {and I don't need it|for my sister}.",
        ],
        [
            "<cur><v>: the reduction is <cur><off>. {If you'd have bought <thing> anyway|Provided <thing> was on your list before you saw the sign}, that's {money kept|a fair catch}; otherwise it's <cur><v> {spent|gone}.",
            "<cur><v>, which is <cur><off> less than before. {Check|Ask} whether <thing> can go back {within a month|once it's opened}, {as|since} reduced goods {often can't|sometimes may not}.",
        ],
    ),
    Topic(
        _split,
        [
            "<n> of us, one bill, <cur><bill>, {nobody can count|three phones out}. {What's each|Per head}?",
            "{we're|There are} <n> round the table and the bill {says|is} <cur><bill>. {What does everyone put in|Share, please}? {Before the tip|Without tip}.",
        ],
        [
            "<cur><v> each for <n>. {A tenth on top|Ten per cent for the waiter} would be <cur><tip> for the whole table, {if you were content|should the service deserve it}, {best|simplest} left in coins.",
            "<cur><v> a head. {Let|Have} one person pay the <cur><bill> and the others send their part {on the spot|before coats}, {or|otherwise} it {drags on|is never quite} for weeks.",
        ],
    ),
    Topic(
        _days_until,
        [
            "how {many days|long} {till|until} <d>? It's about <what>, {and I've lost all sense of time|my calendar is in the other room}.",
            "<d>, {which weekday is that|is that a weekend}, and how far off? {Asking because of|Need it for} <what>.",
        ],
        [
            "<n> days: <d> is a <w>, so <weeks> weeks and <rest> days {from today|to go}. {For <what>|With <what>}, {a reminder|an alarm} some days before {would be|is} {cheap insurance|worth setting}.",
            "<n> days from now, on a <w>. {If <what> needs a shop or an office|Should anybody be needed for <what>}, {count|reckon with} {working days only|two fewer for weekends}, which {leaves|makes it} rather less.",
        ],
    ),
    Topic(
        _pounds,
        [
            "<n> pounds of <what>, {what's that in kilos|how much is it in real money}? {The label is American|Old recipe book, old measures}.",
            "{convert for me|metric please}: <n> lb of <what>, {I have to carry it|for the order form}.",
        ],
        [
            "<v> kg, at 453.6 grams to the pound. {Two bags|Two trips} of about <half> kg each {are kinder to|would spare} your {arms|back}, {whatever|however soft} <what> {may look|feels} at first.",
            "<v> kg of <what>. {For a rough idea|In your head} {halve|take half of} the pounds and take off a tenth {of that|again}: {it's never far out|close enough for most purposes}.",
        ],
    ),
    Topic(
        _scaled,
        [
            "{recipe says|it's} <g> g of <what> for four. {We are|I've got} <n>, {so how much|what do I weigh out}? {Hungry people|Hands are wet, be quick}.",
            "scale this {for me|please}: four servings take <g> grams of <what>, I {cook for|need} <n>. {Thanks|Ta}.",
        ],
        [
            "<v> g of <what> for <n>, at <one> g a head. {Salt and spice|Seasoning} {grow|go up} a little {slower than that|less}, so {add|put in} {two thirds|a part} first and {taste|try}.",
            "<v> g. That's <one> g of <what> for each {person|plate}; {for big eaters|for people off a long walk} {add|allow} a tenth, {for children|with small ones} take {off a third|a third away}.",
        ],
    ),
    Topic(
        _wage,
        [
            "<who> did <h> hours {this month|in all} at <cur><r>. {What do I owe|What's the total}, {before deductions|gross}?",
            "<h> hours times <cur><r> please, {it's for|that's} <who>, and {my calculator is dead|I've added it three ways}.",
        ],
        [
            "<cur><v> for <h> hours. {Put the hours on the slip as well as|Write down the hours next to} the sum, so <who> {can check it|needn't ask}, {and keep a copy|with the dates beneath}.",
            "<cur><v>, gross. {Was any of it|Were any hours} at night or on a Sunday? {Then|If so} <who> may {be due|have a claim to} a supplement on {those|that part of the <h>}.",
        ],
    ),
]

_TABLES = [
    Topic(
        _rows(
            "have dish tip",
            "half a cauliflower and some cream|a baked gratin|roast the florets dry before any cream goes on",
            "two leeks and a potato|a plain soup|sweat them slowly under a lid, no colour",
            "yesterday's rice|fried rice with egg|the rice has to be cold and the pan very hot",
            "a bag of spinach and feta|a tart|squeeze the leaves till no drop comes",
            "chicken wings|sticky oven wings|dry them well, or the skin will stay limp",
            "a tin of white beans and sausages|a quick bean pot|crush a few of the beans to thicken it",
            "stale bread and tomatoes|a bread salad|let it stand a quarter of an hour before eating",
            "a jar of chickpeas|crisp chickpeas with yoghurt|rub off the loose skins first",
            "six eggs and an onion|a thick omelette|cook the onion far longer than seems right",
            "red cabbage and an apple|braised cabbage|a spoon of vinegar keeps the colour",
            "mushrooms past their best|mushrooms on toast|don't crowd them, or they'll stew",
            "salmon that has to go today|salmon with lemon and dill|take it out while the middle still looks raw",
            "a pumpkin the neighbour gave me|roast pumpkin wedges|leave the peel on, it softens",
            "pears gone soft|a pear crumble|add oats to the topping for bite",
            "mince and a courgette|stuffed courgettes|salt the hollowed halves and let them drip",
            "a carton of buttermilk|thin pancakes|rest the batter for twenty minutes",
        ),
        [
            "{In the fridge|All I have}: <have>, and {no ideas|half an hour}. {What's for dinner|What can it be}? {Nothing clever|I'm starving}.",
            "what do I {make|do} with <have>? {No shopping|Shops are shut} and {two to feed|one pan, the other is at the neighbour's}.",
            "<have>, {hungry|tired} {cook|head of household}. {Suggest something|Your move}, {please|nothing with seventeen steps}.",
        ],
        [
            "{I'd go for|Make} <dish>. {The one thing that matters|What makes the difference}: <tip>. {Bread and something green beside it|A salad on the side}, and {you're eating|it's on the table} in {half an hour|forty minutes}.",
            "With <have>, <dish>. {Mind one thing|A hint}: <tip>. {Taste before you serve|Salt at the end}, and {keep a portion|save some} for {tomorrow's lunch|the box you take along}.",
            "<dish>, without {a doubt|question}. {Remember|Only}: <tip>. {If there's lemon in the house|Should you own a lemon}, a few drops {right at the end|over the top} {wake it up|do no harm}.",
        ],
    ),
    Topic(
        _rows(
            "word mean use",
            "perfunctory|done as a duty, with little care|a perfunctory nod",
            "to table a motion|in Britain to put it forward, in America to put it off|we tabled the motion",
            "bimonthly|twice a month or every two months, so best avoided|a bimonthly letter",
            "disinterested|without a stake in the matter, rather than bored|a disinterested judge",
            "fulsome|excessive, close to insincere|fulsome praise",
            "moot|open to debate, or no longer of consequence|a moot point",
            "to sanction|to allow, or to punish|they sanctioned the deal",
            "nonplussed|so surprised that one doesn't know what to do|a nonplussed waiter",
            "peruse|to read closely, though many use it for skimming|she perused the lease",
            "quite good|faint praise from a Briton, real praise from an American|the soup is quite good",
            "egregious|bad in a way that stands out|an egregious error",
            "laconic|using few words|a laconic reply",
            "ostensibly|as it is made to seem|ostensibly a holiday",
            "sardonic|mocking with a hard edge|a sardonic smile",
            "tacit|understood without being said|tacit consent",
            "ubiquitous|found everywhere at once|the ubiquitous grey van",
        ),
        [
            '{somebody wrote|it says here} "<word>" {in a mail to me|in the minutes}. {Compliment or insult|What does that mean exactly}?',
            'what\'s "<word>" {again|supposed to mean}? I {nodded|said of course} and {now I have to answer|hope I was right}.',
            'can I {use|write} "<word>" {in a formal letter|to a customer} {without sounding odd|or will they frown}?',
        ],
        [
            '"<word>" {means|is}: <mean>. {As in|Typical use}: "<use>". {In doubt|When it has to be safe}, {say it in plainer words|take the longer way round}, {and|so that} nobody has to {look it up|guess}.',
            "{It stands for|The sense is} this: <mean>. {You'd find|One meets} \"<use>\" {in print|in good papers}. {I'd keep it for|It suits} {writing|readers you know}, {less|not so much} for {a quick message|talk}.",
        ],
    ),
    Topic(
        _rows(
            "plant ill help",
            "the lemon tree|yellow leaves with green veins|that's iron; a feed for citrus and softer water put it right",
            "the basil|black stems|too wet and too cold; water from below, on the sill that gets noon sun",
            "the fern|brown tips|dry air; a tray of wet gravel under the pot helps more than spraying",
            "the orchid|wrinkled leaves|the roots can't drink; look whether they're grey or mushy, then repot in bark",
            "the tomato in the tub|black patches at the base of the fruit|uneven watering; a little every day, never a flood",
            "the lavender|bare wood in the middle|prune by a third after flowering and never into old wood",
            "the box hedge|webs and bald spots|that's the moth; pick the caterpillars at dusk and treat within the week",
            "the rubber plant|leaves dropping one by one|it was moved or chilled; leave it in one place and water less",
            "the geranium|lots of leaf, no flower|too much nitrogen; a bloom feed and as much sun as there is",
            "the peace lily|it droops by evening|thirst, nothing worse; soak the pot for ten minutes and it stands up",
            "the rose by the gate|black spots|rake up fallen leaves, water the soil alone, thin out the middle",
            "the mint|orange dust under the leaves|rust; cut it to the ground and it will grow back clean",
            "the cactus|soft at the bottom|rot; cut above it, let the cut dry for a week, root it in sand",
        ),
        [
            "<plant> {looks unwell|is sulking}: <ill>. {Water it or leave it|What is it now}? {I talk to it daily|I don't want it to die}.",
            "what does it mean when <plant> has <ill>, {asking for a green friend|it was fine last week}? {Honestly|I did nothing}.",
        ],
        [
            "{With <plant>|For <plant>}: <help>. {Give it|Allow} {three weeks|a month} before you {judge|try anything else}, since {plants answer slowly|roots take their time}.",
            "{Easily read|A classic}: <help>. {Turn|Look at} <plant> {every week|once a week} {and|to} {catch the next thing early|see what the back is doing}.",
        ],
    ),
    Topic(
        _cross(
            whom="the plumber|the caretaker|my accountant|the parking office|the removal firm|the window cleaner|the printer|the caterer|the garage|the glazier|the print shop|the upholsterer|the landlady next door|the courier depot",
            matter="the bill has the wrong date|nobody came on the agreed day|we need one more week|the key is with the neighbour|there's a bit missing from the box|the noise before seven has to stop|the estimate never arrived|I'd like to come an hour earlier|the receipt is needed twice|the gate must stay shut|the old one was left on the pavement|I paid twice by mistake",
            tone="friendly|firm|short and sweet|polite but cool|warm",
        ),
        [
            "{two lines|a message} to <whom>, <tone>: <matter>. {I've rewritten it five times|I get too angry to type}.",
            "{write|word} this for me to <whom>, {would you|please}: <matter>, {and make it|in a tone that's} <tone>.",
            "<whom> again. <matter>. {Say it nicely|How do I put it}, {they hold my phone number|I need them next month}? <tone>, if possible.",
        ],
        [
            "\"{Hello|Good day}, {a short word|just a note}: <matter>. {Could you tell me by tomorrow how we solve it|Please let us know how you'd like to proceed}? {Many thanks|With thanks}.\" {That's <tone>|<tone>} {enough for <whom>, I think|without being sour}.",
            "{How about|Try}: \"{I'm writing for one reason|To keep you posted}: <matter>. {I'm sure there's a simple explanation|It can surely be put right this week}. {Thank you for seeing to it|Thanks in advance}.\" For <whom> {I'd leave it there|more would be too much}.",
        ],
    ),
    Topic(
        _rows(
            "stain cloth cure",
            "red wine|the tablecloth|blot it, then salt and cold water; never hot, which sets it",
            "candle wax|the wool rug|scrape what you can, then brown paper and a cool iron",
            "grass|white trousers|dab with spirit vinegar, leave ten minutes, wash as usual",
            "coffee|a silk blouse|lukewarm water with a drop of glycerine, and don't rub",
            "ink|a shirt pocket|milk first, then alcohol on cotton wool, working from the edge",
            "blood|the pillowcase|cold water and salt at once; warm water fixes it",
            "tar|the car seat|butter to loosen it, washing-up liquid to take off the butter",
            "turmeric|a wooden board|lemon juice and a morning in the sun fade most of it",
            "lipstick|a linen napkin|bread crumb to lift it, then soap worked in dry",
            "mud|a suede shoe|let it dry fully, brush, then a pencil eraser",
            "egg|a good fork|rub with salt or wrap in foil in hot soda water",
            "rust|a cotton apron|lemon and salt, in the sun, rinse well",
            "oil|a cotton jumper|talcum overnight, brush off, then washing-up liquid",
        ),
        [
            "<stain> on <cloth>, {fresh|an hour old}. {What now|Can it be saved}? {I'm holding it over the sink|Nobody has noticed yet}.",
            "how do I get <stain> out of <cloth>, {without making it worse|before anybody sees it}? {Guests in an hour|Be quick}.",
        ],
        [
            "For <stain>: <cure>. {Test it|Try it} {on a hidden spot|in a corner} of <cloth> {first|before you go all in}, {as|because} {dyes|colours} {vary|have moods}.",
            "{Don't panic|There's hope}: <cure>. {Repeat once|Do it twice} rather than {scrub|press} harder, and {keep <cloth> out of the dryer|air-dry <cloth>} until {you're sure|no shadow is left}.",
        ],
    ),
    Topic(
        _rows(
            "gear fault fix",
            "the printer|it says offline and it isn't|delete the queue, switch it off at the wall, add it again by its address",
            "my laptop|the fan howls as if it wanted to fly|look which program eats the processor; nine times of ten it's one browser tab",
            "the router|it drops out every evening|the neighbours share your channel; choose another in its settings",
            "the dishwasher|it stops with water in it|clean the sieve and look for a kink in the hose before you call anyone",
            "my phone|the battery is gone by noon|check which app works in the background and take away its right to",
            "the tablet|it won't turn the picture|the lock in the control menu is on; tap the little arrow",
            "the radio|it crackles on one station alone|move it from the lamp, whose dimmer is the likely culprit",
            "the tumble dryer|everything comes out damp|wash the filter under the tap, then the condenser behind the flap",
            "the scanner|a line down every page|there's a speck on the narrow glass strip, not on the large pane",
            "the headset|people hear me twice|two programs use the microphone; mute it in one of them",
            "the cash register|it beeps and prints blanks|the roll is in the wrong way round",
            "the doorbell|it rings by itself|damp in the push button; open it and let it dry",
            "the oven light|dead although the bulb is new|clean the contact in the socket, power off",
        ),
        [
            "<gear>: <fault>. {I've turned it off and on|Kicked it already}. {What else|Next idea}?",
            "{help|technical question}, <gear> is {at it again|possessed}: <fault>. {In simple words please|Before I buy a new one}.",
        ],
        [
            "{With <gear>|In the case of <gear>} try this: <fix>. If {it's the same afterwards|that changes nothing}, {write down|photograph} what the {display|light} says and {we go on from there|I'll have more to work with}.",
            "{Most likely simple|I have a suspicion}: <fix>. {It takes|That's} five minutes, {needs no tools|costs nothing}, and <gear> {may well behave|should come round} after it.",
        ],
    ),
    Topic(
        _cross(
            whom="my godson, nine|a colleague who retires|our postwoman|my mother-in-law|the neighbour who feeds the cat|a friend with a new garden|an old teacher|the trainee|the couple upstairs|my cousin in hospital|the babysitter|a friend who has everything",
            likes="trains|birds|black coffee|crosswords|old maps|detective stories|baking|stargazing|knitting|cycling|puns|gardening gloves and nothing else|jazz|chess",
            budget="15|20|25|30|40",
        ),
        [
            "present for <whom>, {likes|mad about} <likes>, <cur><budget> {at most|or so}. {Ideas|Save me from another candle}?",
            "<whom>, <likes>, <cur><budget>. {What would you wrap|Think of something}, {I'm blank|I've until tomorrow}.",
        ],
        [
            "{Something to use up|Something to do}: for <whom> I'd take {a good|a small} {book|box} of things around <likes>, and {put|spend} the rest of the <cur><budget> on {fine paper|a card worth keeping}.",
            "{For <whom>|With <cur><budget>} {an hour|an outing} may beat an object: {a voucher in your hand|a ticket} for {something|an afternoon} with <likes>, {plus cake|you included}. {Nobody dusts it|It takes no shelf}.",
            "With <likes> {in mind|as the theme}, a {subscription for three months|starter kit} fits <cur><budget>, {keeps arriving|lasts longer than flowers} and {tells|shows} <whom> that {somebody listened|you paid attention}.",
        ],
    ),
    Topic(
        _rows(
            "q a",
            "why is the sky red some evenings|the low sun's light crosses more air, which scatters the blue away",
            "why do onions make us cry|cutting them frees a gas that turns to a weak acid on the eye",
            "do goldfish really forget in seconds|no, they can be trained and remember for months",
            "how do planes stay level in fog|by gyroscopes and radio beams; pilots trust the dials over their ears",
            "why does bread go stale faster in the fridge|starch recrystallises quickest just above freezing",
            "who invented the zip|Whitcomb Judson had the idea, Gideon Sundback made one that worked",
            "why do cats purr|the throat muscles flutter at a steady beat, for comfort and perhaps for healing",
            "is glass a slow liquid|no, old panes were uneven from the day they were made",
            "why is it called a grandfather clock|after an American song about one that stopped when its owner died",
            "do we only use a tenth of our brain|no, all of it is at work over a day",
            "why do leaves turn red|the green goes first, and some trees make a red pigment as a sunscreen",
            "how old is the fork|as an eating tool in Europe about a thousand years, and long thought affected",
            "what makes popcorn pop|a little water in the kernel turns to steam until the hull gives way",
            "why are manhole covers round|a round lid can't fall through its own hole",
            "can you see the Great Wall from the moon|no, it's far too narrow",
            "why does the moon look bigger on the horizon|it doesn't; the brain compares it with houses and trees",
        ),
        [
            "{pub question|argument at table}: <q>? {There's a beer on it|I said I'd find out}.",
            "<q>, {do you know|tell me}? {The child asked|It came up at breakfast} and {I made something up|we were all silent}.",
            "{stupid question perhaps|since you know everything}: <q>? {Short version|In a sentence}, please.",
        ],
        [
            "{In short|The short answer}: <a>. {There's more to it|The long version is longer}, {naturally|as ever}, but {that part is settled|so much is certain}, {and it'll do for the table|if anyone doubts it}.",
            "{As far as it's known|Going by what is known}: <a>. {Whoever said otherwise|The other side} {is in good company|isn't alone}, {since|for} the wrong story {is the more popular one|is prettier}.",
        ],
    ),
    Topic(
        _cross(
            sky="fog so thick that the lamps are on at noon|sideways rain|the first frost on the windscreens|a sky like wet slate|ridiculous sunshine|hail the size of peas|wind that takes the bins for a walk|drizzle, the fine kind|thunder since four|mist in the valley",
            plan="walk to the ridge|mend the fence|take the long way home|wash the windows|hang out the sheets|cycle to the market|sit on the bench with a thermos|cut back the brambles|clean the car|fly the kite with the kids",
            mood="my knees predicted it|everyone's in a mood|I'm oddly cheerful|the dog next door won't go out|typical|it smells of school",
        ),
        [
            "<sky> {here|since I got up}, and I {meant|wanted} to <plan>. {Do it anyway|Sensible or not}? <mood>, {by the way|I may add}.",
            "<sky>! <mood>. {I could <plan>|The plan was to <plan>}, {or stay in with toast|or not}. {Decide for me|Votes}?",
        ],
        [
            "{If it's for pleasure|Where nobody is waiting}, {toast wins|stay in}; if {it nags at you|you'd regret it}, <plan> {in the best hour|after lunch} and {be proud|have the toast then}. {With <sky>|<sky>}, {ninety minutes is plenty|an hour will do}.",
            "{<plan>, but a shorter one|Halve it}: {half the distance|half the work} {with <sky>|in such weather} {counts double|is still more than none}, and {dry socks|hot drinks} afterwards {are half the point|taste of victory}.",
        ],
    ),
    Topic(
        _cross(
            who="a man from two doors down|a regular|somebody's aunt|a woman with three dogs|a student|a chap in a bow tie|the tall one from the council|a delivery driver|a lady of about ninety|a very small boy",
            what="wanted his money back for something we don't sell|explained my own job to me|waited twenty minutes to say thanks|asked whether I was the manager or just tall|left an umbrella and took another|told me a joke I can't repeat|cried, then laughed, then bought nothing|brought a cake with one slice gone|complained about the music, which was next door's|corrected the sign in red pen",
            where="at the counter|in the yard|by the door|on the stairs|in the car park",
        ),
        [
            "{today|just now} <who> <what>, <where>. {I love this job|I need a chair}. {What would you have said|How does one answer that}?",
            "<who> <what>. {Right|Here,} <where>, {in front of everybody|with a straight face}. {I was speechless|I kept my dignity}.",
        ],
        [
            "{Nothing at all|As little as possible}: with <who> {a nod|a calm 'I see'} {buys time|does most of the work}, and {whatever comes after|the rest} {sounds wiser|is already half forgotten}. {Did the others see it|Who else was} <where>?",
            "{That's one for the book|Write that down}. {When somebody <what>|If <who> <what>}, {there's no right reply|any answer is the wrong one}, {so|and so} {politeness|a smile} {wins by default|is the only exit}.",
        ],
    ),
    Topic(
        _rows(
            "line lang there",
            "the bill, please|Italian|il conto, per favore",
            "no hurry|Spanish|sin prisa",
            "is this seat free?|German|ist hier noch frei?",
            "I'm just looking|French|je regarde seulement",
            "keep the change|German|stimmt so",
            "get well soon|Dutch|beterschap",
            "see you on Monday|Portuguese|até segunda",
            "where does this bus go?|Spanish|¿adónde va este autobús?",
            "congratulations on the baby|Swedish|grattis till bebisen",
            "thank you for everything|Polish|dziękuję za wszystko",
            "we're closed today|French|nous sommes fermés aujourd'hui",
            "it was delicious|Italian|era buonissimo",
            "happy birthday|Norwegian|gratulerer med dagen",
            "one moment, please|Danish|et øjeblik, tak",
            "enjoy your meal|Dutch|eet smakelijk",
        ),
        [
            'how do you say "<line>" in <lang>? {A customer is staring at me|It\'s for a card}.',
            '"<line>", in <lang>, {please|quickly}, {and how it\'s pronounced|I only know swear words}.',
        ],
        [
            "\"<there>\". {That's the everyday form|It's what people really say}, {fit for|right with} strangers {and friends alike|as well}; {said with a smile|spoken slowly}, even {clumsy|halting} <lang> {opens doors|is taken as a compliment}.",
            'In <lang>: "<there>". {Stress it like a shrug|Don\'t worry about the melody}; {for "<line>"|with that phrase} {context does the rest|anyone will understand}, {and|while} {an answer|the reply} will come {far too fast|as a flood}.',
        ],
    ),
    Topic(
        _cross(
            body="my neck|the left knee|my lower back|my right shoulder|my jaw|one eyelid, it twitches|the old ankle",
            since="since the weekend|since I sat on that chair|since yesterday|after all the lifting|since the long drive|after one night on a sofa|on and off this week",
            wish="sleep|sit still|carry anything|look over my shoulder|type without swearing|climb the stairs like a person",
        ),
        [
            "<body> {hurts|complains}, <since>. {Doctor or patience|What can I do}? I'd {like|love} to <wish> {again|by Friday}.",
            "<since> it's <body>. {Nothing dramatic|I'm not ill}, but I {can't|can hardly} <wish>. {Tips|Old wives' cures welcome}?",
        ],
        [
            "{Warmth, movement, time|Heat and gentle motion}, in this order, {for two or three days|till Thursday or so}. If <body> {gets worse|is numb} or {wakes you at night|swells}, {see somebody|have it looked at} {at once|rather than ask me}; otherwise you should {manage to|be able to} <wish> {soon enough|by then}.",
            "{Change position every half hour|Set a timer and get up}, {as|because} bodies {dislike|resent} {sameness|stillness} more than work. {With <body>|For <body>} {a rolled towel|small circles}, {twice a day|morning and evening}, {may do good|can help}, and {in a week|soon} you {can|should} <wish> {as before|again}.",
        ],
    ),
    Topic(
        _cross(
            show="the one with the lighthouse|that Danish thing|the series about the bakery war|the old black and white one|a documentary on eels|the detective who can't swim|a cooking show where all cry|the space opera my nephew loves|the quiz with the rude host|a western without horses",
            verdict="I slept through the end|we shouted at the screen|best in years|not a single joke|I'd watch it twice|far too many dreams in it|the music saved it",
            wish="something lighter|something with hills in it|something short|a proper puzzle|anything without murders|an old comedy",
        ),
        [
            "{watched|we saw} <show>, <verdict>. {Next time|For the weekend} I want <wish>. {What is there|Any kind, just name the sort}?",
            "<verdict>: <show>. {Now I need|I'm after} <wish>, {ninety minutes, no more|the sofa is booked}.",
        ],
        [
            "After <show> {I'd go|go} {back some decades|to the library shelf}: {films of the fifties|radio comedies turned into films} {are good for|often give you} <wish>, {and end on time|at eighty minutes}.",
            "For <wish> {ask for|look under} {travel films|stage recordings}, {oddly enough|where nobody looks}. {<show> set the bar|After <show>} {anything feels calm|you've earned it}, {popcorn included|with the phone in the hall}.",
        ],
    ),
    Topic(
        _cross(
            thing="the drawer with all the cables|my inbox|the freezer|the shelf of half-used paint|the coat rack|the photos on my phone|the toolbox|the spice rack|the pile on the chair|the boot of the car|the medicine cabinet|the desk",
            state="hasn't been touched since spring|has its own climate|frightens visitors|can't be closed any more|holds things I've never owned|is an archaeological site",
            time="ten minutes|half an hour|one album|a pot of tea|the length of a podcast|till the washing's done",
        ),
        [
            "<thing> <state>. I have <time>. {Where do I begin|Give me a method}, {no philosophy|and no joy-sparking}.",
            "{motivate me|push me}: <thing>, which <state>, and <time> {to do it in|is all I've got}.",
        ],
        [
            "{Take everything out of one corner|One corner} only. {In <time>|With <time>} {<thing> can't be finished|you won't finish <thing>}, {but|yet} {a clean corner|an empty hand's breadth} {spreads by itself|makes the rest look bad}, {which is the trick|and that's your method}.",
            "{Three heaps|Three bags}: keep, give, {no idea|decide later}. {Close the third|Tie up the third} with a date on it. {<thing> needs|For <thing>} {speed, not wisdom|a fast hand}, and <time> is {plenty for a first pass|more than most people give it}.",
        ],
    ),
    Topic(
        _cross(
            who="the new one|the quiet one|our oldest hand|the one who hums|the part-timer|the loud one|my deputy|the trainee|the one from upstairs|the weekend crew",
            act="leaves the lights on every evening|takes the last coffee and makes no more|answers all mails to everybody|has not had a day off in ages|keeps moving my things|is brilliant and late|never says when something is wrong|wants to change the rota again|does everybody's work twice|talks only in questions",
            risk="I'm not their mother|I hate such talks|it's petty and I know it|nobody else says anything|I want to be fair",
        ),
        [
            "<who> <act>. {How do I bring it up|Do I say something}? <risk>.",
            "<risk>, but <who> <act>, {still|again this week}. {Words, please|How would you open}?",
        ],
        [
            '{Alone, early, in one sentence|Over a coffee, just you two}: "I\'ve {noticed|seen} {something small|a thing} and {wondered how you see it|would like your view}." {With <who>|Then wait}: {silence|the pause} {does more|brings out more} than {reasons|a list}, and {the reason may be a dull one|there may well be a good reason}.',
            "{Say what you saw|Start with what you saw}, {what it costs|then what it does}, {what you'd like instead|and what would be better}: three short sentences. {If <who> <act> after that|Should nothing change}, {you've been fair|at least you were clear} and can {be firmer|go further}.",
        ],
    ),
    Topic(
        _cross(
            line="the seven-forty|the number nine|my usual tram|the express|the ferry bus|the last train|the shuttle",
            woe="stood in a field for half an hour|was so full that I got to know a stranger's rucksack|left two minutes early|smelled of fried onions|had a choir on it|was replaced by one taxi|broke down at the foot of the hill|turned round because of a swan",
            mood="and I still made it|so I walked the rest|and the whole car laughed|and I finished my sandwich by eight|and no one said a word|which I took personally",
        ),
        [
            "<line> <woe>, <mood>. {I'd like that hour back.|And how are you?} {Tell me something nice|Say something soothing}.",
            "{commuting news|public transport, part ninety}: <line> <woe>, <mood>.",
        ],
        [
            "{Somewhere|In some other town} {a driver|a timetable planner} is telling the same story {from the other side|about you}. {<line> owes you one|You're owed by <line>}; {take the window seat|bring earplugs} and {collect|claim it} {tomorrow|next time}.",
            "{When <line> <woe>|If <line> <woe>}, {the day can only get better|all that follows is a bonus}. {Something nice|Here you are}: {the kettle|your own door} {asks no questions|is never delayed}, {and|while} {tonight|later on} you {needn't go anywhere|may stay put}.",
        ],
    ),
    Topic(
        _cross(
            what="the neighbour's kitten|a sourdough starter|my new bicycle|the office printer|a rubber tree|the robot hoover|a band of four dads|our quiz team|the walking group|a very old car|the wireless network|a hedgehog in the yard",
            style="something dignified|a pun, the worse the better|something short|a name with history|something nobody's uncle has|two syllables",
        ),
        [
            "{name needed|think of a name} for <what>: <style>. {Three suggestions|Give me a few}, {democracy follows|we vote at lunch}.",
            "<what> has no name {yet|and it shows}. {We want|They'd like} <style>. {Go|Off you go}.",
        ],
        [
            '{For <what>|As to <what>}: {Barnaby|Clementine|Professor Plum|Ottoline}, {Sir Crumbs|Doughlores|Brunhilde|Spinderella}, or {Gus|Mo-Mo|Attila|Pim}. {The second is|The last one\'s} {closest to|my idea of} "<style>", {but|though} {say each aloud in a crowd|call it across a yard} {first|before you vote}.',
            "{Percival|Duchess|Old Faithful|Lady Bracknell}, {Bramble|Ketchup|Columbo|Tuppence} or {Zip|Bob|Nimbus|Fig}. {If you want <style>|For <style>}, {take|I'd back} the first; {<what> won't mind|with <what> anything sticks} {either way|after a week}.",
        ],
    ),
    Topic(
        _cross(
            task="the order for next week|the cleaning list|the post|the petty cash|the window display|the shared calendar|the lost property box|the fuse box labels|the first aid kit|the noticeboard|the spare keys|the recycling",
            state="three people have done it, differently|it was nobody's job again|half of it is crossed out|I found it under a pizza box|it's perfect, suspiciously so|there's a note on it that says why",
            next="do it myself|make a rule|hand it to the youngest|leave it for tomorrow|ask who it was",
        ),
        [
            "<task>: <state>. {Do I <next>|I could <next>}, or {breathe|is there a better way}?",
            "{guess|picture this}: <task>, <state>. {My instinct is to <next>|I'll <next>}, {stop me|if you agree}.",
        ],
        [
            "{One owner, one day|A name and a weekday} on <task>, {written where it hangs|in thick pen}. {To <next> helps today|If you <next>, that helps once}; a name {helps in March|solves it for good}, {even the wrong one|whoever it is}.",
            "{Breathe, then <next>|First breathe}. {Afterwards|And then} {ask|find out} {why <task> drifts|what makes <task> nobody's}: {things nobody owns|jobs like that} {go wrong in the same way|drift} {in every house|everywhere}, {so it isn't you|which is a comfort}.",
        ],
    ),
]

TOPICS: Sequence[Topic] = [*_COMPUTED, *_TABLES]


def chatter(life: Life, day: int) -> tuple[str, str]:
    """Return something said and its answer, neither yet counted as said; "" where a topic is worn out."""
    topic = life.dice.pick(TOPICS)
    slots = {"cur": life.money, "town": life.town, "place": life.trade.place, **topic.draw(life, day)}
    said = life.phrases.draft(life.opened(topic.said), slots, from_person=True)
    reply = life.phrases.draft(topic.reply, slots, from_person=False)
    return said, reply
