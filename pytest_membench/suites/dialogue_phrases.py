"""The words of built-in dialogues: what the two talk about, and the sentences they say it with.

In a template `{a|b}` is a choice and `<name>` a slot. A plan fills `<it> <thing> <who> <other> <place> <date>
<weekday> <time> <price> <count> <counted>`; `<old>` is what a fact was before it changed. No template holds a new line.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple


class Topic(NamedTuple):
    """A plan people make: how it is called, what it draws from, and what is said about it.

    `price` and `amount` are (least, most), `counted` what the count is of; `news` opens it; `said` and `reply` go into detail.
    """

    it: str
    things: Sequence[str]
    places: Sequence[str]
    price: tuple[int, int]
    amount: tuple[int, int]
    counted: str
    hours: tuple[int, int]
    news: Sequence[str]
    said: Sequence[str]
    reply: Sequence[str]


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


NAMES = _words(
    "Abena Adele Agnes Aisha Alma Anders Anouk Arjun Astrid Axel Bridget Callum Camille Carla Casper Chiara Clara Conor "
    "Dagmar Daphne Declan Dunya Edgar Edith Elif Emil Esther Ezra Farah Felix Fergus Fleur Freya Gareth Gemma Greta "
    "Gunnar Hamish Hana Hassan Heidi Hugo Ibrahim Imogen Ines Ingrid Iris Jasper Joan Joris Judith Kamil Kavita Keiko "
    "Kenji Kofi Lars Leila Linus Lotte Lucia Mabel Maeve Magnus Malik Marcel Mariam Matteo Meera Milo Moses Nadia Niall "
    "Nils Nisha Noor Olga Omar Orla Oskar Otto Pablo Paloma Percy Petra Pia Priya Rafael Ramona Rashid Rita Rufus Ruth "
    "Saskia Selma Signe Silas Soren Stefan Sunita Sven Tamsin Tariq Tilda Tobias Tomas Ulla Umberto Ursula Viktor "
    "Vincent Wanda Wesley Xavier Yara Youssef Yuki Zadie Zeno"
)
TOWNS = _words(
    "Aarhus Bristol Cork Dundee Ghent Graz Leeds Leiden Lund Norwich Perth Rennes Stirling Trondheim Utrecht"
)
JOBS = (
    "an accountant",
    "a carpenter",
    "a nurse",
    "a physics teacher",
    "a translator",
    "a surveyor",
    "a pharmacist",
    "a sound engineer",
)
MONTHS = _words("January February March April May June July August September October November December")
WEEKDAYS = _words("Monday Tuesday Wednesday Thursday Friday Saturday Sunday")

TOPICS: Sequence[Topic] = (
    Topic(
        "the dentist appointment",
        ("a filling", "a check-up", "a crown", "a night guard", "a cleaning", "a cracked molar"),
        ("the Mill Road clinic", "the surgery on Castle Street", "the practice by the harbour", "the Elm Lane rooms"),
        (40, 390),
        (15, 75),
        "minutes",
        (8, 16),
        (
            "{I got|I finally have} a dentist slot on <date> at <time>, for <thing>.",
            "The dentist can see me about <thing> on <weekday>, <date>, at <time>.",
        ),
        (
            "The bill at <place> will be about <price>.",
            "They said it takes <count> minutes, so <who> is driving me home.",
            "I {asked for|want} <other> again because that is the only dentist who explains things.",
            "No coffee for me before <time> that day, on <other>'s orders.",
            "My insurance pays all but <price> for <thing>.",
        ),
        (
            "Leave home <count> minutes early, because parking at <place> is slow.",
            "Ask <other> whether <price> includes the X-ray.",
            "Eat something before <time>, since your mouth will be numb for a while.",
            "Shall I draft a line to <who> about the lift home?",
        ),
    ),
    Topic(
        "the trip to <thing>",
        ("Porto", "Bergen", "Lisbon", "Krakow", "Turin", "Malmo", "Seville", "Tartu", "Galway", "Basel"),
        ("Hotel Miramar", "the guest house on Canal Street", "Pension Adler", "the hostel by the station"),
        (140, 690),
        (2, 9),
        "nights",
        (6, 20),
        (
            "I {booked|reserved} <count> nights in <thing> from <date>, <price> in all.",
            "<who> and I are going to <thing> on <date>, <count> nights for <price>.",
        ),
        (
            "We are staying at <place>, and <who> has the booking.",
            "The train leaves at <time> on <weekday>, so I need to pack the night before.",
            "<other> says the market in <thing> is best before ten.",
            "I have put <price> aside and would rather not spend more.",
            "<who> wants a museum every day; I want one in all.",
        ),
        (
            "With a departure at <time> I would set two alarms and pack by eight the evening before.",
            "<place> usually holds the room until 18:00, so tell them if you run late.",
            "For <count> nights in <thing>, one bag each should do.",
            "Agree with <who> who carries the tickets.",
        ),
    ),
    Topic(
        "the kitchen job",
        ("the new worktop", "the leaking tap", "the oven door", "the wall tiles", "the extractor hood", "two shelves"),
        ("the workshop in Dale Street", "Harper and Sons", "the yard behind the mill", "the showroom on North Road"),
        (90, 2400),
        (2, 9),
        "days",
        (7, 9),
        (
            "The kitchen is happening: <who> starts on <thing> on <date>, for <price>.",
            "<who> quoted <price> for <thing> and can begin on <weekday>, <date>.",
        ),
        (
            "It will take <count> days, which means no hot meals at home.",
            "The parts come from <place>, and <other> is picking them up.",
            "I told <who> to ring the bell at <time> and not a minute earlier.",
            "I paid <other> a third of the <price> in advance.",
            "The colour is settled: grey, because <other> talked me out of green.",
        ),
        (
            "Get the <price> from <who> in writing before any work starts.",
            "For <count> days without a stove, borrow a camping ring from <other>.",
            "Take photographs of the pipes before <who> closes the wall.",
            "Ask <place> how long they take returns.",
        ),
    ),
    Topic(
        "the half marathon",
        ("the coast loop", "the river course", "the castle course", "the forest route", "the old railway path"),
        ("Victoria Park", "the town hall steps", "the rowing club", "the car park at Fell Bridge"),
        (25, 85),
        (3, 16),
        "km of training",
        (8, 11),
        (
            "I signed up for a half marathon on <date>, <thing>, entry <price>.",
            "<who> talked me into running <thing> with them on <date>.",
        ),
        (
            "We start from <place> at <time>, whatever the weather.",
            "My longest run so far is <count> km, with <who> on the bike beside me.",
            "The entry was <price>, which <other> thinks is mad.",
            "I want to finish under two hours; <who> only wants to finish.",
            "My new shoes rub on the left heel, so <other> lends me tape.",
        ),
        (
            "From <count> km, add about two a week and rest on the day after.",
            "Wear the new shoes for at least three short runs before <date>.",
            "Have breakfast about three hours before <time>.",
            "Agree on a place near <place> where <other> can hold your jacket.",
        ),
    ),
    Topic(
        "the birthday dinner",
        ("Thai food", "a seafood menu", "pizza", "a vegetarian menu", "tapas", "a Georgian feast"),
        ("the Blue Door", "Casa Lupo", "the Anchor", "a place called Fennel", "the Copper Pot"),
        (22, 68),
        (5, 17),
        "guests",
        (18, 20),
        (
            "I am planning {a birthday dinner|a dinner for <who>'s birthday} on <date>, <count> people.",
            "The table for <who>'s birthday is booked for <date> at <time>, <count> seats.",
        ),
        (
            "We agreed on <thing>, about <price> a head.",
            "The booking at <place> runs under the name of <other>.",
            "<other> cannot eat nuts, so the kitchen has to know before <weekday>.",
            "I bought <who> a print and hid it behind the wardrobe.",
            "<other> is baking the cake, with <count> candles and no cream.",
        ),
        (
            "Confirm the <count> seats at <place> two days ahead.",
            "Tell them about the nuts when you call; I would not leave that to <other>.",
            "At <price> a head it is fair to collect the money beforehand.",
            "Ask guests to be there ten minutes before <time>.",
        ),
    ),
    Topic(
        "the report for work",
        ("the stock audit", "the energy review", "the staff survey", "the budget forecast", "the safety review"),
        ("the Rotterdam office", "room 4 on the third floor", "the main office", "the annexe"),
        (200, 9500),
        (4, 60),
        "pages",
        (9, 16),
        (
            "Work wants my report on <thing> by <date>, <count> pages.",
            "<who> gave me <thing> to write up, due on <weekday>, <date>.",
        ),
        (
            "<other> owns the figures, and <price> of them do not add up.",
            "I present it at <time> in <place>, with <who> in the front row.",
            "So far I have <count> pages, half of which <other> will hate.",
            "<who> likes tables, so there will be {two|three} of them and no pie charts.",
            "The part on costs ends at <price>, which nobody expected.",
        ),
        (
            "Put the <price> on the first page; <who> will look for it.",
            "<count> pages is plenty, so I would move the method to an appendix.",
            "Ask <other> for the raw figures in writing, with a date.",
            "Try the projector in <place> the day before.",
        ),
    ),
    Topic(
        "the allotment",
        ("garlic", "broad beans", "a row of currants", "winter leeks", "early potatoes", "two apple trees"),
        ("plot 14", "the plot by the gate", "plot 31", "the shady end", "the strip along the fence"),
        (12, 140),
        (3, 40),
        "bags of compost",
        (8, 17),
        (
            "The allotment plan: I put in <thing> on <date>, at <place>.",
            "<who> and I are planting <thing> on <weekday>, <date>.",
        ),
        (
            "I paid <price> for <count> bags of compost, delivered by <other>.",
            "<who> has the key to the shed and opens it at <time>.",
            "The neighbour, <other>, lets me use the water butt on Sundays.",
            "We lost half the seedlings to slugs, and <who> blames my beer traps.",
            "The rent is due a week after <date>, as every year.",
        ),
        (
            "Water <thing> well on the first evening, then leave it for two days.",
            "<count> bags go further if you mix them with leaf mould.",
            "Copper tape works better than beer; ask <other> for a roll.",
            "Write the variety on a label at <place> before you forget it.",
        ),
    ),
    Topic(
        "the car repair",
        ("the brakes", "a new clutch", "the rear axle", "the timing belt", "a rusty sill", "the heater"),
        ("Dobson's garage", "the garage in Quay Lane", "the workshop behind the station", "Lindqvist Motors"),
        (110, 1450),
        (2, 12),
        "days",
        (8, 10),
        (
            "The car goes in for <thing> on <date>, estimate <price>.",
            "<who> looked at the car: it needs <thing>, <price>, on <weekday>, <date>.",
        ),
        (
            "I drop it off at <place> at <time> and cycle to work from there.",
            "They keep it <count> days, so <other> lends me the van.",
            "<who> found two more faults, none of them urgent.",
            "It is sixteen years old, and I still like the thing.",
            "Above <price> I would rather sell it to <other>.",
        ),
        (
            "Ask <who> to keep the old parts, so that you can see what was wrong.",
            "Have <price> confirmed by message; a figure on the phone is worth little.",
            "For <count> days, the bus might be less trouble than the van from <other>.",
            "Take your things out of the boot before <place> has it.",
        ),
    ),
    Topic(
        "the choir concert",
        ("the Requiem", "a set of sea songs", "the Christmas cantata", "four folk songs", "the Gloria", "a new mass"),
        ("St Anne's", "the old corn exchange", "the school hall", "the seamen's chapel", "the concert barn"),
        (8, 32),
        (12, 90),
        "tickets to sell",
        (18, 20),
        (
            "Our choir sings <thing> on <date>, at <place>.",
            "{Concert news|News from the choir}: <thing> is on <weekday>, <date>, at <time>.",
        ),
        (
            "Tickets are <price>, and I have <count> of them to sell.",
            "<who> has the solo, since <other> has a cold.",
            "We rehearse in <place>, where the heating has two settings, off and roaring.",
            "I moved to the second row, next to <other>, who counts aloud.",
            "Doors open half an hour before <time>, and <who> is on the till.",
        ),
        (
            "At <price> each, <count> tickets go fastest among colleagues.",
            "Warm up at home; <place> sounds cold.",
            "Let <who> know early if you cannot stay for the interval.",
            "Bring a pencil, because <other> will change the breaths again.",
        ),
    ),
    Topic(
        "the course in <thing>",
        ("Portuguese", "pottery", "first aid", "bookbinding", "sailing", "statistics", "sign language"),
        ("the evening college", "the library annexe", "the community centre", "the studio above the bank"),
        (60, 420),
        (4, 14),
        "weeks",
        (18, 20),
        (
            "I enrolled in a course in <thing>, first evening <date>, <price>.",
            "The course in <thing> begins on <weekday>, <date>, at <time>.",
        ),
        (
            "It runs for <count> weeks at <place>.",
            "<who> teaches it and gives homework, which I secretly like.",
            "<other> joined too, so we share the drive.",
            "I got 17 of 20 in the first test, and <who> was kind about it.",
            "The book is extra, unless <other> lends me a copy.",
        ),
        (
            "Over <count> weeks, twenty minutes a day beats two hours on Sunday.",
            "Ask <who> which chapters matter before you buy the book.",
            "<place> has a quiet corner where you could do the homework.",
            "Share the fuel with <other>, about a tenth of the <price> each month.",
        ),
    ),
    Topic(
        "the move of the study",
        ("the oak desk", "the filing cabinet", "the bookcase", "the piano", "the plan chest", "the daybed"),
        ("the back bedroom", "the attic", "the room over the garage", "the basement", "the north room"),
        (35, 310),
        (2, 30),
        "boxes",
        (8, 17),
        (
            "I am moving my study on <date>, starting with <thing>.",
            "<who> helps me carry <thing> into <place> on <weekday>, <date>.",
        ),
        (
            "There are <count> boxes, and <other> labelled every one of them wrong.",
            "The van costs <price> and comes at <time>.",
            "<thing> does not fit through the door, says <who>, who measured it twice.",
            "I am giving the old lamp to <other>.",
            "<place> needs paint first, two coats of white.",
        ),
        (
            "Measure the stairs as well as the door of <place>.",
            "Number the <count> boxes and keep the list on your phone.",
            "Ask <other> for the blankets before the van comes at <time>.",
            "Empty <thing> first; <who>'s back will thank you.",
        ),
    ),
    Topic(
        "the vet visit",
        ("Biscuit's paw", "a vaccination for Moss", "Pepper's ear", "a check-up for Figaro", "Olive's teeth"),
        ("the Harbour practice", "the vet on Lime Grove", "the animal hospital", "Dr Quist's rooms"),
        (30, 280),
        (2, 14),
        "tablets a day",
        (8, 17),
        (
            "I have to take {the cat|the dog} to the vet on <date>: <thing>, about <price>.",
            "The vet will look at <thing> on <weekday>, <date>, at <time>.",
        ),
        (
            "<who> at <place> wants to see us again a week after <date>.",
            "The tablets are <count> a day, wrapped in ham, or nothing happens.",
            "<other> looks after the house while I am at <place>.",
            "The estimate is <price>, more than my own doctor costs.",
            "The carrier is at <other>'s, so I need it back by <weekday>.",
        ),
        (
            "Write down the dose: <count> a day, and when you gave the last one.",
            "Fetch the carrier from <other> the evening before.",
            "Ask <who> for a written estimate if it will pass <price>.",
            "Try to be at <place> a little before <time>; the waiting room is calmer then.",
        ),
    ),
    Topic(
        "the visit from <thing>",
        ("my aunt", "my cousins", "my brother", "an old flatmate", "my godmother", "two friends from school"),
        ("the sofa bed", "the guest room", "the inn at the corner", "a flat on Weaver Street"),
        (30, 260),
        (2, 8),
        "days",
        (10, 20),
        (
            "{I have a visit coming|There will be guests}: <thing>, from <date>, for <count> days.",
            "On <date> I have <thing> here, arriving at <time> on <weekday>.",
        ),
        (
            "They get <place>, and <who> brings the linen.",
            "I promised a boat tour, <price> for all of us.",
            "<other> cooks on the second evening, something without onions.",
            "They want to see the lighthouse, and <other> has a boat.",
            "<who> meets them at the station at <time>, since I am at work until five.",
        ),
        (
            "For <count> days, plan one thing a day and leave the evenings open.",
            "Book the boat before <weekday>, and ask whether <price> covers the return.",
            "Remind <other> about the onions.",
            "Send <who> the number of the train and a picture of your guests.",
        ),
    ),
    Topic(
        "the phone contract",
        ("a 20 GB plan", "the family plan", "a prepaid card", "the plan with roaming", "a fibre bundle"),
        ("the shop on High Street", "the online portal", "the branch at the mall", "the kiosk in the station"),
        (9, 58),
        (2, 24),
        "months",
        (9, 18),
        (
            "My phone contract ends on <date>, and I am thinking of <thing> for <price>.",
            "I am changing to <thing> on <date>, <price> a month for <count> months.",
        ),
        (
            "<who> from <place> promised to waive the fee if I sign by <weekday>.",
            "<other> pays <price> for the same and has no reception in the kitchen.",
            "I hung on for half an hour before anybody picked up.",
            "They ring me back at <time>, or so <who> says.",
            "I want to keep my old number, even if that takes until <date>.",
        ),
        (
            "Get the waived fee from <who> in an email.",
            "<count> months is long, so ask what leaving early would cost.",
            "<price> is fair if roaming is included.",
            "Keep the old card until the number has moved, a day after <date>.",
        ),
    ),
    Topic(
        "the book club",
        ("a novel about a lighthouse", "a book on bees", "a spy story", "the memoir of a judge", "a family saga"),
        ("<other>'s flat", "the wine bar", "the back room of the bookshop", "the reading room", "the tea house"),
        (7, 28),
        (3, 12),
        "people",
        (18, 20),
        (
            "The book club meets on <date> about <thing>, and I have to lead.",
            "Next in the book club is <thing>, on <weekday>, <date>, at <time>.",
        ),
        (
            "I am halfway through and do not trust the narrator.",
            "We are <count> this time, because <who> is bringing a friend.",
            "The paperback was <price>, and I lent it to <other> already.",
            "<who> found it too long; I would not cut a page.",
            "I bring cheese, <other> brings the arguments.",
        ),
        (
            "With <count> people, three good questions fill an evening.",
            "Open with the narrator, since <who> seems to have a view.",
            "Note the pages you want to read aloud before <date>.",
            "Ask <other> to bring your copy back.",
        ),
    ),
    Topic(
        "the bike order",
        ("a touring bike", "a folding bike", "a cargo bike", "a second-hand racer", "a child's bike"),
        ("Wheelhouse", "the bike shop at the bridge", "Spoke and Sons", "the cooperative in Field Street"),
        (180, 2900),
        (2, 10),
        "weeks of waiting",
        (17, 19),
        (
            "I ordered <thing> for <price>, ready on <date>.",
            "<who> at <place> has <thing> for me, pick-up on <weekday>, <date>.",
        ),
        (
            "The wait is <count> weeks, because the frame comes from Taiwan.",
            "I left a deposit with <who> and have the receipt in the blue folder.",
            "<other> is buying my old one, in cash, on <date>.",
            "I want eleven gears and mudguards, and no bell that plays a tune.",
            "The shop closes at <time>, which is tight after work.",
        ),
        (
            "Ask <place> for a free check after the first 300 km.",
            "Note the frame number and keep it with the receipt.",
            "<price> is worth insuring; <other> may know a cheap policy.",
            "Ring <who> before <date>, so that you do not go for nothing.",
        ),
    ),
)

TASTES: Mapping[str, Sequence[str]] = {
    "breakfast": ("porridge", "rye bread with cheese", "two boiled eggs", "yoghurt and plums", "only black coffee"),
    "long train rides": ("a window seat", "an aisle seat", "the quiet coach", "a table seat"),
    "working hours": ("piano music", "silence", "the radio", "rain sounds", "old jazz"),
    "your answers": ("short lists", "full sentences", "one clear recommendation", "numbers first", "no small talk"),
    "lunch": ("soup", "a big salad", "leftovers from dinner", "a cheese roll", "lentils"),
    "evening walks": ("the canal path", "the park", "the hill behind the church", "the harbour wall"),
    "presents": ("books", "plants", "good chocolate", "tickets for something", "tools"),
    "hot drinks": ("mint tea", "strong black tea", "cocoa", "coffee with oat milk", "ginger tea"),
    "weekends": ("sleeping in", "an early swim", "the flea market", "a long bike ride", "gardening"),
    "films": ("documentaries", "old comedies", "crime stories", "anything with subtitles", "animated films"),
}
TASTE_SAID = (
    "By the way, for <subject> I prefer <new>.",
    "For <subject> it is still <new> with me, as <who> can confirm.",
    "When it comes to <subject>, please assume <new>.",
)
TASTE_CHANGED = (
    "I changed my mind about <subject>: no longer <old>, from now on <new>.",
    "For <subject> I want <new> now instead of <old>; <who> convinced me.",
)
TASTE_ACK = (
    "For <subject>, I have you down for <new>.",
    "<new>, then, for <subject>, as of <today>.",
    "I noted <new> for <subject>.",
)

LOGS: Sequence[tuple[str, str]] = (
    ("I {ran|cycled} <n> km on <today>, in <m> minutes.", "<n> km in <m> minutes, logged for <today>."),
    ("On <today> I spent <pounds> at the market with <who>.", "I added the <pounds> from <today> to your spending."),
    ("I slept <n> hours and woke at <clock> on <today>.", "Awake at <clock> after <n> hours: noted for <today>."),
    ("<who> owes me <pounds> since <today>.", "I wrote down that <who> owes you <pounds>."),
    ("I owe <who> <pounds> for the theatre, since <today>.", "You owe <who> <pounds>; I will bring it up again."),
    ("<today>: <n> pages read, <m> to go, says my bookmark.", "<n> pages done and <m> left, as of <today>."),
    ("The heating used <m> units this week, read on <today>.", "<m> units, read on <today>: I keep the series."),
    ("I met <who> at <clock>, who now lives at number <m>.", "So <who> lives at number <m> now."),
    ("<who>'s new number ends in <m>, since <today>.", "I updated <who>: the number ends in <m>."),
    ("Parcel <m>-<n> for <who> came on <today>.", "Parcel <m>-<n> for <who> is ticked off."),
    ("I planted <m> bulbs on <today>, and <who> counted.", "<m> bulbs on <today>: noted."),
    ("<who> rang at <clock> on <today> and talked for <m> minutes.", "<who>, <clock>, <m> minutes: noted."),
)

OPENING = (
    "Hello, I am <me>, <job> in <town>, and I have <n> things on my list.",
    "Hi, this is <me> from <town>; I work as <job> and live at number <m>.",
)
OPENING_ACK = (
    "Hello <me>, nice to meet you; <town> it is.",
    "Welcome, <me>. I noted <town> and your work as <job>.",
)

UPDATE = (
    "{Quick update on|About} <it>: still <date> at <time>, with <who>.",
    "<it> stands: <weekday>, <date>, and <price> as agreed.",
    "{Back to|A word on} <it> on <date>, which <other> asked about.",
)
UPDATE_ACK = (
    "Good, <it> stays on <date> at <time>.",
    "<it> is unchanged then: <weekday>, <date>, <price>.",
    "I have <it> down for <date>, with <who>.",
)
NEWS_ACK = (
    "Noted: <it>, <weekday>, <date>, at <time>.",
    "I put <it> on <date>, with <price> against it.",
    "<it> on <date> is in your calendar, <who> included.",
)
CHANGED: Mapping[str, Sequence[str]] = {
    "date": (
        "{Change of plan|It moved}: <it> is on <date>, not <old>.",
        "<it> moves from <old> to <weekday>, <date>.",
    ),
    "time": ("<it> is at <time> now instead of <old>, same day, <date>.", "New time for <it>: <time>, not <old>."),
    "price": (
        "The price for <it> {went|changed} from <old> to <price>.",
        "<it> costs <price> now; <old> was {wrong|the old figure}.",
    ),
    "count": (
        "I said <old> <counted> for <it>; make that <count>.",
        "For <it> it is <count> <counted> now, not <old>.",
    ),
    "place": ("For <it>, read <place> instead of <old>.", "<it>: no longer <old>, but <place>."),
    "who": (
        "<old> is out of <it>; I deal with <who> now.",
        "For <it> on <date> it is <who> now, not <old>.",
    ),
}
CHANGED_ACK: Mapping[str, Sequence[str]] = {
    "date": ("<it> moved from <old> to <date>; I changed the entry.", "<date> instead of <old>, all right."),
    "time": ("<time> instead of <old> on <date>, noted.", "I set <it> to <time>; <old> is gone."),
    "price": ("<price> then, and no longer <old>, for <it>.", "I replaced <old> by <price> for <it>."),
    "count": ("I corrected <old> <counted> to <count> for <it>.", "<count> <counted> for <it>, not <old>."),
    "place": ("I replaced <old> by <place> for <it>.", "<place> it is on <date>, not <old>."),
    "who": ("<who> takes the place of <old> for <it>.", "From now on <who>, not <old>, for <it>."),
}
DONE = (
    "<it> is behind me: <price> in the end, on <date>.",
    "<it> went well on <date>; <who> was a great help.",
    "Done with <it>, and the final bill was <price>.",
)
DONE_ACK = (
    "Glad to hear it; I closed <it> at <price>.",
    "<it> is ticked off as of <date>. Well done, and thanks to <who>.",
)
RECAP = (
    "<it> is next on <date> at <time>.",
    "Do not forget <it> on <weekday>, <date>, with <who>.",
    "For <it> I still have <price> and <place>.",
)
OVERDUE = (
    "You have not told me yet how <it> went on <date>.",
    "<it> was due on <date>; is <price> paid?",
)

FILLERS: Mapping[str, Sequence[str]] = {
    "u": (
        "Anyway.",
        "More soon.",
        "That is all.",
        "Just so you know.",
        "Please remember that for me.",
        "I will tell you more tomorrow.",
        "That is how things stand at the moment.",
        "What would you do first if you were me?",
        "I wanted to write it down before I forget it.",
        "Tell me if something in there does not add up for you.",
        "It has been a long week, so bear with me if I repeat myself.",
    ),
    "a": (
        "Noted.",
        "Got it.",
        "Fair enough.",
        "That makes sense.",
        "I will keep that.",
        "Tell me if it changes.",
        "I can remind you the day before.",
        "Is there anything else I should write down?",
        "I will bring it up again when the time comes.",
        "Say the word and I will draft a short message about it.",
        "None of this looks urgent today, so take it one step at a time.",
    ),
}
"""Short sentences that bring a turn to its length, from about two tokens upward."""
