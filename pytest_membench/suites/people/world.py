"""What lives are made of: names, towns, trades and the things that people deal with."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple


class Somebody(NamedTuple):
    """A name with its pronouns: she/her/her or he/him/his."""

    name: str
    she: str
    her: str
    hers: str

    def slots(self, letter: str) -> dict[str, str]:
        """Return the slots of a template that speaks of this person as `letter`."""
        return {
            letter: self.name,
            f"{letter}_she": self.she,
            f"{letter}_her": self.her,
            f"{letter}_hers": self.hers,
        }


class Trade(NamedTuple):
    """A trade: what it is called, how it is told, and its projects, papers and mishaps.

    A project is (full name, other name); a paper is (full name, other name, one part, other part).
    """

    job: str
    place: str
    told: str
    projects: Sequence[tuple[str, str]]
    papers: Sequence[tuple[str, str, str, str]]
    mishaps: Sequence[str]


def _women(names: str) -> list[Somebody]:
    return [Somebody(name, "she", "her", "her") for name in names.split()]


def _men(names: str) -> list[Somebody]:
    return [Somebody(name, "he", "him", "his") for name in names.split()]


MAINS: Sequence[tuple[Somebody, str]] = [
    *zip(
        _women(
            "Beatrice Carolina Dorothea Eleanor Frances Gabriela Harriet Isabel Josephine Katarina Leonora Margaret "
            "Natalia Philippa Rosalind Susannah Theodora Veronica Winifred Zofia"
        ),
        [
            "Bea",
            "Caro",
            "Dot",
            "Nell",
            "Frankie",
            "Gabs",
            "Hattie",
            "Izzy",
            "Jo",
            "Kat",
            "Leo",
            "Mags",
            "Tally",
            "Pip",
            "Roz",
            "Suki",
            "Teddy",
            "Vee",
            "Win",
            "Zo",
        ],
        strict=True,
    ),
    *zip(
        _men(
            "Alexander Bartholomew Christopher Dominic Emmanuel Frederick Gregory Henrik Ignacio Jeremiah Konstantin "
            "Lawrence Maximilian Nathaniel Oswald Patrick Reginald Sebastian Theobald Valentin"
        ),
        [
            "Sandy",
            "Bart",
            "Kit",
            "Dom",
            "Manny",
            "Fritz",
            "Greg",
            "Rik",
            "Nacho",
            "Jem",
            "Kosta",
            "Laz",
            "Max",
            "Nat",
            "Oz",
            "Paddy",
            "Reg",
            "Seb",
            "Theo",
            "Val",
        ],
        strict=True,
    ),
]
"""The people who write, each with what friends call them."""

_NAMES = [
    *_women(
        "Abena Adele Agnes Aisha Alma Amina Anouk Astrid Aurelia Babette Bridget Camille Chiara Cleo Dagmar Daphne "
        "Delia Dunya Edith Effie Elif Esther Farah Fenna Fleur Freya Gemma Ginevra Greta Gwen Hana Heidi Hilde Imogen "
        "Ines Ingrid Iris Jasmin Joan Judith Kaisa Kavita Keiko Lavinia Leila Linnea Lotte Lucia Mabel Maeve Mariam "
        "Meera Mina Nadia Nerys Nisha Noor Odette Olga Orla Paloma Petra Pia Priya Ramona Rhiannon Rita Ruth Saskia "
        "Selma Shirin Signe Sunita Tabitha Tamsin Tilda Ulla Ursula Violet Wanda Xenia Yara Yuki Zadie"
    ),
    *_men(
        "Aaron Abdul Adnan Alasdair Ambrose Anders Arjun Axel Basil Bjorn Boris Callum Casper Cedric Cormac Cyril "
        "Dario Declan Dimitri Duncan Edgar Emil Enzo Ezra Fabian Farid Felix Fergus Finlay Gareth Giles Gunnar Hamish "
        "Hassan Hugo Ibrahim Igor Ivo Jaden Jasper Joris Kamil Kenji Kofi Lachlan Lars Linus Lorenzo Magnus Malik "
        "Marcel Matteo Milo Moses Murray Neville Niall Nils Olaf Omar Oskar Otto Pablo Percy Piet Quentin Rafael Rashid "
        "Rufus Rupert Silas Soren Stefan Sven Tariq Tobias Tomas Umberto Viktor Vincent Wesley Xavier Yannick Youssef Zeno"
    ),
]

NEARLY_ALIKE = [
    (a, b)
    for a, b in zip(
        _women("Marika Leona Johanna Karin Elsa Annika Danuta Sylvie Nora Paula Carla Milena"),
        _women("Marijke Leonie Joanna Karen Elise Anneke Danica Sylvia Norma Pauline Carol Melina"),
        strict=True,
    )
] + [
    (a, b)
    for a, b in zip(
        _men("Marek Stephan Jonas Martin Erik Andrew Simon Phil Brendan Goran"),
        _men("Mark Steven Jonah Marvin Eric Andre Simeon Bill Brandon Zoran"),
        strict=True,
    )
]

TRADES: Sequence[Trade] = [
    Trade(
        "baker",
        "the bakery",
        "I run a small bakery in <town>, five of us and two deck ovens",
        [
            ("the oven changeover", "swapping the two decks"),
            ("the shop repaint", "the decorators coming in"),
            ("the hygiene inspection", "the visit from the council"),
            ("the stall at the autumn fair", "our pitch on the green"),
        ],
        [
            ("the allergen sheet", "the table of who can't eat what", "the breads", "the cakes"),
            ("the wholesale price list", "the tariff for cafés", "the loaves", "the pastries"),
            ("the night shift rota", "who bakes when", "October", "November"),
        ],
        [
            "a rack trolley rolled off the ramp and missed the flour boy by a hand",
            "somebody left the mixer guard up with the hook still turning",
            "a tray of boiling sugar slid to the very edge and stopped there",
            "the proofer door swung into a full trolley, no one behind it for once",
            "a wet floor by the walk-in put the new lad on his back, only pride hurt",
            "the gas tap was found open with no flame under it",
        ],
    ),
    Trade(
        "vet",
        "the practice",
        "I'm a vet in <town>, small animals mostly, the odd alpaca",
        [
            ("the X-ray upgrade", "the new plate machine going in"),
            ("the open day", "letting the public loose in the back rooms"),
            ("the accreditation visit", "the people with clipboards"),
            ("the move to the new records system", "saying goodbye to paper cards"),
        ],
        [
            ("the anaesthesia protocol", "how we put them under", "cats", "rabbits"),
            ("the puppy leaflet", "the folded thing for new owners", "feeding", "vaccinations"),
            ("the on-call plan", "who sleeps by the phone", "weekdays", "weekends"),
        ],
        [
            "a collie slipped its lead and got as far as the road before we had it",
            "the wrong syringe was on the tray and got noticed at the last second",
            "a cat took a swing at a nurse's eye and got her glasses",
            "the oxygen alarm had been muted since who knows when",
            "a kennel latch gave way with the mastiff behind it, luckily asleep",
            "two labels were swapped on the bloods and caught at the door",
        ],
    ),
    Trade(
        "theatre technician",
        "the theatre",
        "I'm head of lights at a repertory theatre in <town>",
        [
            ("the technical rehearsal", "the long day with all the cues"),
            ("the dimmer replacement", "ripping out the old racks"),
            ("the safety curtain test", "dropping the iron"),
            ("the get-in for the winter show", "the lorries at the dock door"),
        ],
        [
            ("the lighting plan", "the drawing of the rig", "the front of house bars", "the stage bars"),
            ("the risk assessment for the tour", "the paper on what could hurt us", "loading", "working at height"),
            ("the spares list", "what we hold in the cupboard", "lamps", "cables"),
        ],
        [
            "a shackle came down from the grid and landed a metre from the desk",
            "somebody walked under a moving bar with headphones on",
            "the trap was open and unlit when the choir came through",
            "a lantern was hung without its chain and we only saw it at focus",
            "the tallescope was pushed with a person still up in it",
            "a haze machine tripped the alarm with the fire doors wedged shut",
        ],
    ),
    Trade(
        "site manager",
        "the site",
        "I manage a building site on the edge of <town>, eleven terraced houses",
        [
            ("the first floor pour", "concrete on the upper deck"),
            ("the scaffold strike", "getting the poles down"),
            ("the window delivery", "glass arriving"),
            ("the handover of the show house", "giving over number one"),
        ],
        [
            ("the snag list", "everything that's still crooked", "plot one", "plot two"),
            ("the traffic plan", "how the wagons come and go", "the school run", "the weekends"),
            ("the drainage record", "the map of what's buried", "foul", "surface water"),
        ],
        [
            "a bolt fell from the second lift and bounced off the netting",
            "a dumper reversed with nobody watching its back",
            "two lads were in the trench before the box went in",
            "the telehandler clipped the fence where the children walk",
            "a board had been taken out of the walkway and not put back",
            "someone drilled a hand's width from a live cable",
        ],
    ),
    Trade(
        "head of a nursery school",
        "the nursery",
        "I'm head of a nursery in <town>, sixty-two children and one guinea pig",
        [
            ("the parents' evening", "the night of tiny chairs"),
            ("the harvest picnic", "everybody on blankets with squash"),
            ("the playground resurfacing", "the soft floor being laid outside"),
            ("the inspectors' visit", "being looked at for two days"),
        ],
        [
            ("the settling-in guide", "the booklet for nervous families", "the first day", "naps and meals"),
            ("the staffing plan", "who is in which room", "mornings", "afternoons"),
            ("the trip letter", "the note about the bus and packed lunch", "permissions", "what to bring"),
        ],
        [
            "the side gate was found unlatched at home time",
            "a grape went down the wrong way and came up again",
            "somebody's peanut bar turned up in a lunch box in the blue room",
            "the climbing frame had lost a bolt and a child found it, in his hand",
            "hot coffee was put down at exactly the height of a three-year-old",
            "we counted seventeen on to the bus and sixteen off, then found her asleep",
        ],
    ),
    Trade(
        "brewer",
        "the brewery",
        "I brew beer in <town>, small kettles, big opinions",
        [
            ("the canning day", "the mobile line turning up"),
            ("the tank inspection", "having the pressure vessels signed off"),
            ("the harvest ale launch", "pouring the first green-hop pints"),
            ("the boiler service", "the steam man's visit"),
        ],
        [
            ("the export label text", "the text for the back of the bottle", "the stout", "the pale"),
            ("the cleaning schedule", "what gets caustic and when", "the tanks", "the lines"),
            ("the duty return", "the reckoning for the tax people", "August", "September"),
        ],
        [
            "a hose under pressure came off and whipped past two ankles",
            "the gas meter in the cold room was reading high with the door shut",
            "a keg toppled off the stillage on to the spot where I'd been standing",
            "caustic went into the wrong bucket and was caught by its smell",
            "the forklift ran on with nobody at the wheel, two metres, into malt",
            "a sight glass cracked while it was still hot",
        ],
    ),
    Trade(
        "librarian",
        "the library",
        "I run the branch library in <town>, which is also where people come to be warm",
        [
            ("the reading festival", "four days of authors"),
            ("the roof repair", "the scaffolders over the children's corner"),
            ("the catalogue switch", "the new software for loans"),
            ("the stocktake", "counting every single spine"),
        ],
        [
            ("the grant application", "the begging letter to the foundation", "the budget", "the case for support"),
            ("the volunteers' handbook", "the booklet for our helpers", "opening up", "closing down"),
            ("the school visits plan", "which class comes when", "infants", "juniors"),
        ],
        [
            "a whole bay of shelving leaned out and was caught by two students",
            "the book lift stopped between floors with its door open",
            "a toddler was found behind the closing shutters",
            "the kettle shorted and took the emergency lights with it",
            "the ladder on the gallery came off its rail, with me on the lowest step",
            "a radiator let go over the atlases, no one under it",
        ],
    ),
    Trade(
        "orchard manager",
        "the orchard",
        "I look after forty hectares of apples and pears outside <town>",
        [
            ("the start of the main pick", "ladders into the late rows"),
            ("the cold store test", "cooling the empty rooms down"),
            ("the certification audit", "the organic people coming round"),
            ("the cider pressing", "hauling the drops to the mill"),
        ],
        [
            ("the spray record", "the book of what went on which row", "the apples", "the pears"),
            ("the pickers' contract", "the deal for the seasonal crew", "pay", "housing"),
            ("the planting map", "the sketch of next year's rows", "the north field", "the south field"),
        ],
        [
            "a ladder foot sank and the picker hung on to a branch till we got there",
            "the tractor started to roll on the slope with its brake half on",
            "somebody opened the low-oxygen store without a meter",
            "a bin slid off the forks at head height, to the empty side",
            "a drone from the surveyors came down among the crew",
            "the sprayer was filled next to the well, nothing spilled",
        ],
    ),
    Trade(
        "orchestra manager",
        "the orchestra",
        "I manage a chamber orchestra in <town>: thirty players, one van",
        [
            ("the recording session", "the microphones day"),
            ("the audition for second horn", "listening behind the screen"),
            ("the season brochure going to print", "the booklet leaving for the printers"),
            ("the gala", "the evening with the donors"),
        ],
        [
            ("the tour budget", "the reckoning for going on the road", "travel", "hotels"),
            ("the hire agreement", "the paper for the hall", "the rehearsals", "the concert"),
            ("the programme notes", "the writing for the leaflet", "the Haydn", "the new piece"),
        ],
        [
            "a double bass went down the stage steps on its own",
            "a riser was left unlocked under the timpani",
            "the van door flew open on the ring road with the harp in it",
            "a light stand fell into the violas, who had just stood up",
            "the fire exit behind the choir turned out to be chained",
            "the piano was moved on two wheels out of three",
        ],
    ),
    Trade(
        "bike shop owner",
        "the workshop",
        "I have a bike repair shop in <town>, three stands and a cat",
        [
            ("the stand at the cargo bike show", "our weekend in the exhibition hall"),
            ("the compressor replacement", "getting a quieter air machine"),
            ("the winter stocktake", "counting every last spoke"),
            ("the mechanics' course", "teaching beginners to true a wheel"),
        ],
        [
            ("the service menu", "the board with what we charge", "brakes", "gears"),
            ("the warranty claim", "the complaint about the cracked frames", "the photos", "the serial numbers"),
            ("the hire terms", "the small print for the rentals", "deposits", "damage"),
        ],
        [
            "a repair stand folded with a forty-kilo cargo bike in it",
            "a battery got too hot to hold on the charger",
            "someone test-rode a bike whose brakes were still in a box",
            "a tyre blew off the rim next to a customer's ear",
            "solvent was standing open beside the grinder",
            "the front shutter dropped by itself, just after the school run",
        ],
    ),
    Trade(
        "ward sister",
        "the ward",
        "I'm the sister on a twenty-four-bed ward at the hospital in <town>",
        [
            ("the move to the third floor", "wheeling everyone upstairs"),
            ("the infection audit", "the swab people's visit"),
            ("the new drug trolley rollout", "the lockers on wheels going live"),
            ("the students' first day", "the new intake arriving"),
        ],
        [
            ("the falls action plan", "what we do about people slipping", "nights", "days"),
            ("the holiday rota", "who is off when", "October", "half-term"),
            ("the handover template", "the form we pass at shift change", "drains and lines", "family contacts"),
        ],
        [
            "two patients of the same surname were one bed apart with one chart",
            "a bed rail had been left down beside somebody confused",
            "the wrong strength was drawn up and caught at the second check",
            "a pump was running on battery and nobody knew since when",
            "a visitor wheeled her father out without his oxygen",
            "the crash trolley was found without its paddles",
        ],
    ),
    Trade(
        "translator",
        "the office",
        "I translate for a living in <town>, contracts by day and cookery books when I'm lucky",
        [
            ("the deadline for the museum guide", "handing in the catalogue of the collection"),
            ("the notary appointment", "having my stamp renewed"),
            ("the conference booth job", "two days in the glass box"),
            ("the interpreters' dinner", "the yearly meal with the colleagues"),
        ],
        [
            ("the glossary", "the word list", "legal terms", "kitchen terms"),
            ("the sample chapter", "the piece to show what I can do", "the text", "the footnotes"),
            ("the quote for the annual report", "my offer for the long dull thing", "the figures", "the letter"),
        ],
        [
            "I nearly sent one client's contract to another client's lawyer",
            "a 'not' went missing from a dosage instruction and the proofreader saw it",
            "the back-up had been copying an empty folder",
            "I'd booked two booths for the same day, in two cities",
            "the machine filled in a name that was in nobody's text",
            "a decimal comma became a thousand in a price table, found before print",
        ],
    ),
    Trade(
        "lab manager",
        "the lab",
        "I run a water testing lab in <town>, nine people and a great many bottles",
        [
            ("the spectrometer installation", "craning the big box in"),
            ("the ring trial", "the blind samples from the institute"),
            ("the accreditation audit", "our turn to be examined"),
            ("the fume hood service", "the airflow man's day"),
        ],
        [
            ("the sampling procedure", "how to fill a bottle properly", "rivers", "taps"),
            ("the quarterly report", "the long table for the utility", "metals", "bacteria"),
            ("the waste plan", "where the nasty stuff goes", "solvents", "acids"),
        ],
        [
            "acid was poured into the drum marked for bleach and someone smelt it in time",
            "a centrifuge was started with one tube missing and walked across the bench",
            "the eyewash turned out to be dry",
            "a gas bottle stood unchained by the lift",
            "a sample label came off in the ice and was matched by handwriting",
            "the fridge alarm had gone to a phone that left with its owner",
        ],
    ),
    Trade(
        "campsite owner",
        "the campsite",
        "we have a campsite by the river near <town>, eighty pitches and too many ducks",
        [
            ("the shower block opening", "the first hot water in the new hut"),
            ("the end of season party", "the last bonfire"),
            ("the electrical check", "the man who tests every post"),
            ("the tree surgeon's visit", "having the old willows looked at"),
        ],
        [
            ("the fire plan", "where everybody runs", "the top field", "the river field"),
            ("the price list for next season", "what a night will cost", "tents", "vans"),
            ("the flood letter", "the warning for people by the water", "who to ring", "where to go"),
        ],
        [
            "a branch came down on a pitch that had been left an hour before",
            "two children were out past the buoys on a mattress",
            "a gas stove was burning inside a zipped awning",
            "a power post was standing in a puddle, live",
            "a van rolled back to the water's edge with its owner asleep",
            "embers from a barbecue reached the dry hedge before the hose did",
        ],
    ),
]

TOWNS = [
    "Aldermoor",
    "Bramwick",
    "Castleford",
    "Dunholme",
    "Eastleigh",
    "Farnby",
    "Glenross",
    "Harwick",
    "Ilminster",
    "Kelby",
    "Lowestone",
    "Marston",
    "Netherby",
    "Oakham",
    "Penhallow",
    "Ravensworth",
    "Saltburn",
    "Thornaby",
    "Ulverton",
    "Wexcombe",
]

OPENERS = [
    "Kettle on.",
    "Short one.",
    "Back at my desk.",
    "Between two calls.",
    "Feet up.",
    "On the bus.",
    "Quick update.",
    "Me again.",
    "Sitting down at last.",
    "Sandwich in hand.",
    "From the car park.",
    "Rain again.",
    "Typing with one thumb.",
    "Ten minutes to spare.",
    "Before I forget.",
    "Hello again.",
    "In the queue.",
    "Sun's out.",
    "Deep breath.",
    "Shoes still on.",
    "Coat still on.",
]

POOLS: Mapping[str, Sequence[Any]] = {
    "name": _NAMES,
    "near": NEARLY_ALIKE,
    "paper": [
        ("the wedding speech", "the text for the toast", "the jokes", "the thanks"),
        ("the photo album", "the book of pictures", "Norway", "the lake"),
        ("the family tree", "the chart of who begat whom", "Mum's side", "Dad's side"),
        ("the recipe booklet", "the collection of what Gran cooked", "soups", "puddings"),
        ("the references", "the kind letter for the agency", "the flat", "the job"),
        ("the house manual", "the booklet on how it all works here", "heating", "bins"),
    ],
    "firm": [
        "Fenwick & Sons",
        "Harlow Supplies",
        "Brightwater",
        "Tolland Brothers",
        "Castell Works",
        "Orrin & Pike",
        "Silverlock",
        "Marlow Freight",
        "Dunmore Timber",
        "Kestrel Print",
        "Abbott & Lyle",
        "Northgate Glass",
        "Quayside Hire",
        "Pemberton's",
        "Velden & Co",
        "Lark Lane Joinery",
        "Hartnell Electrical",
        "Stonebridge Tools",
        "Wrenfield",
        "Oakhurst Metals",
        "Rosco Linen",
        "Tideway Pumps",
        "Ashdown Cooling",
        "Birch & Vale",
    ],
    "code_place": [
        ("the shed", "the bike cellar"),
        ("the side gate", "the letter box at Dad's"),
        ("the key safe", "the lock on the skip"),
        ("the gym locker", "the lock on the boat"),
        ("the stockroom", "the staff loo"),
        ("the garage", "the cash tin"),
        ("the allotment gate", "the roof box"),
        ("the archive door", "the suitcase"),
    ],
    "measured": [
        ("the alcove in the hall", "the window seat", "a shelf"),
        ("the gap beside the fridge", "the gap over the door", "a bottle rack"),
        ("the niche on the landing", "the sill in the bathroom", "a lamp"),
        ("the space under the stairs", "the top of the wardrobe", "a chest"),
        ("the recess in the study", "the ledge by the bath", "a desk"),
        ("the slot by the washing machine", "the kitchen worktop", "a drying rack"),
    ],
    "ordered": [
        ("the pump", "the fan"),
        ("the standing desk", "the filing cabinet"),
        ("the replacement door", "the skylight blind"),
        ("the outdoor lamp", "the doorbell"),
        ("the mattress", "the bed frame"),
        ("the spare keyboard", "the monitor arm"),
        ("the roof window", "the gutter guard"),
        ("the coffee grinder", "the milk jug"),
    ],
    "brand": [
        ("wood glue", "Kessler"),
        ("running socks", "Tarn & Fell"),
        ("floor oil", "Osmerin"),
        ("olive oil", "Monte Bravo"),
        ("bike lights", "Lumeno"),
        ("hand cream", "Sallow"),
        ("waterproof trousers", "Drumlin"),
        ("tile grout", "Fugal"),
        ("kitchen knives", "Ishida"),
        ("mosquito nets", "Zanzi"),
    ],
    "unfood": ["sesame", "celery", "shellfish", "kiwi", "mustard", "fennel", "lupin", "soya", "buckwheat", "mango"],
    "home_project": [
        ("the boiler swap", "the heating men"),
        ("the piano delivery", "four strangers and a Bechstein"),
        ("the kitchen fitting", "the new units going in"),
        ("the loft insulation", "the wool for under the roof"),
        ("the chimney sweep's visit", "having the flue done"),
        ("the garden wall rebuild", "the bricklayer's week with us"),
        ("the hip operation for Mum", "her date with the surgeon"),
        ("the christening", "wetting the baby's head"),
        ("the school reunion", "seeing all those faces again"),
        ("the house clearance at my aunt's", "emptying her rooms"),
        ("the eye test for Dad", "his turn at the optician"),
        ("the dentist check-up", "my hour in the chair"),
    ],
    "purchase": [
        ("the second-hand van", "that old Transit"),
        ("the woodstove", "the little cast-iron thing"),
        ("the garden room", "that cabin for the lawn"),
        ("the awning", "the shade for the terrace"),
        ("the boundary hedge", "the row of hornbeam"),
        ("the bathroom tiling", "the wall of green squares"),
        ("the solar roof", "that kit of panels"),
        ("the new front door", "that slab of oak"),
    ],
    "role": [
        ("the youth team", "the under-twelves"),
        ("the first aid training", "the bandage people"),
        ("the newsletter", "our monthly sheet"),
        ("the lift committee", "the group about the shaft"),
        ("the quiz night", "the evening of silly questions"),
        ("the choir's music library", "the cupboard of scores"),
        ("the street party", "the do in our road"),
        ("the fire drills", "the evacuation business"),
    ],
    "slot": [
        ("the team meeting", "the weekly sit-down"),
        ("my Spanish lesson", "the hour with the subjunctive"),
        ("choir practice", "the singing"),
        ("the call with head office", "ringing the people upstairs"),
        ("physio", "the hour of bending"),
        ("the cleaner's visit", "the mop brigade"),
        ("band practice", "making noise with the lads"),
        ("the stock call", "going through the shelves by phone"),
    ],
    "venue_for": [
        ("my fortieth", "the big birthday"),
        ("the leaving do", "our send-off for the old hand"),
        ("my parents' golden wedding", "their fifty years"),
        ("the Christmas meal", "the festive feed"),
        ("the book club supper", "the meal with the readers"),
        ("the cousins' weekend", "the gathering of the clan"),
    ],
    "venue": [
        "the Old Granary",
        "the Lime Tree",
        "Hotel Metropol",
        "the Boathouse",
        "Casa Mirella",
        "the Cooper's Arms",
        "the Glass House",
        "Villa Rosa",
        "the Wharf Room",
        "the Red Lantern",
        "Abbey Barn",
        "the Signal Box",
        "Café Lisboa",
        "the Long Table",
        "Mill Cottage",
        "the Pavilion",
        "Seven Stars",
        "the Oyster Shed",
        "the Tithe Hall",
        "Osteria Nina",
        "the Fig House",
    ],
    "paint_for": [
        ("the hallway", "the bit by the front door"),
        ("the spare room", "where guests sleep"),
        ("the shop front", "the street side"),
        ("the kitchen cupboards", "those doors by the cooker"),
        ("the garden fence", "the slats out the back"),
        ("the bathroom ceiling", "overhead where the steam goes"),
    ],
    "paint": [
        "Oyster White",
        "Slate Harbour",
        "Sage Smoke",
        "Burnt Umber",
        "Wren Blue",
        "Lichen",
        "Pale Clay",
        "Ink Well",
        "Butter Milk",
        "Rook Grey",
        "Fern Hollow",
        "Rosehip",
        "Chalk Down",
        "Juniper",
        "Saffron Bun",
        "Moss Bank",
        "Drift",
        "Heron",
        "Plum Jam",
        "Quince",
    ],
    "guests_for": [
        ("the housewarming", "the do at ours"),
        ("the summer lunch", "the long table outside"),
        ("the anniversary dinner", "the sit-down for the two of them"),
        ("the naming day", "the little ceremony"),
        ("the works outing", "the coach trip"),
        ("the reading", "the evening with the author"),
    ],
    "delivery": [
        ("the sofa", "unwrapped it"),
        ("the dishwasher", "plumbed it in"),
        ("the bookcase", "stood it against the wall"),
        ("the rug", "rolled it out"),
        ("the spare part for the car", "had it fitted"),
        ("the wardrobe", "got it up the stairs"),
        ("the freezer", "plugged it in"),
        ("the greenhouse kit", "counted the panes"),
    ],
    "ailment": [
        "a broken wrist",
        "a slipped disc",
        "pneumonia",
        "a torn ligament",
        "shingles",
        "a hernia",
        "a burst appendix",
        "two cracked ribs",
        "a nasty chest infection",
        "gallstones",
    ],
    "chore": [
        ("the tyre change", "the winter rubber is on"),
        ("the gutter clean", "the leaves are out from along the roof edge"),
        ("the tax return", "the revenue have my figures"),
        ("the smear of creosote on the fence", "the posts are black and stinking"),
        ("the flu jab", "my arm is sore where the nurse stuck it"),
        ("the passport photos", "I have four copies of me looking like a convict"),
        ("the will", "we've signed at the solicitor's who gets what"),
        ("the piano tuning", "the low notes have stopped wobbling"),
        ("the septic tank", "the big hose has been and gone"),
        ("the blood test", "three vials of me are off to the hospital"),
    ],
    "query": [
        ("the insurance", "the claim for the roof", "the loss adjuster"),
        ("the council", "my query about the skip", "the licence people"),
        ("the pension office", "the form about the missing year", "the pensions lot"),
        ("the landlord", "my letter about the damp", "the man who owns our walls"),
        ("the bank", "the dispute over the double charge", "the card people"),
        ("the school", "my note about the bus", "the head's office"),
        ("the architect", "my question about the beam", "the man with the drawings"),
        ("the tax office", "my objection", "the revenue"),
    ],
    "place_abroad": [
        "Crete",
        "Madeira",
        "Ljubljana",
        "Bergen",
        "Lecce",
        "Tallinn",
        "Porto",
        "Gdansk",
        "Split",
        "Valencia",
        "Brittany",
        "Corsica",
        "Zeeland",
        "Galway",
        "Sardinia",
        "Cadiz",
        "Bologna",
        "Malta",
        "Riga",
        "Utrecht",
    ],
    "pet": [
        ("dog", "Biscuit"),
        ("dog", "Pretzel"),
        ("cat", "Marmite"),
        ("cat", "Sputnik"),
        ("dog", "Waffle"),
        ("parrot", "Admiral"),
        ("cat", "Pudding"),
        ("tortoise", "Turbo"),
        ("dog", "Hobnob"),
        ("rabbit", "Clover"),
        ("dog", "Tinker"),
    ],
    "street": [
        "Tanner Street",
        "Orchard Row",
        "Mill Lane",
        "Quarry Road",
        "Bishop's Walk",
        "Canal Street",
        "Larch Avenue",
        "Station Road",
        "Fuller's Yard",
        "Priory Close",
        "Hop Lane",
        "Weavers Court",
        "Saddler Street",
        "Pump Lane",
        "Harbour View",
        "Cross Keys Lane",
        "Glebe Road",
        "Ropewalk",
    ],
    "title": [
        "The Salt Road",
        "A Winter Ledger",
        "Small Gods of the Harbour",
        "The Beekeeper's Daughter",
        "Nine Rooms",
        "The Last Ferry",
        "Ashes and Oranges",
        "The Clock at Noon",
        "Paper Boats",
        "Letters from the Dam",
        "The Quiet Engine",
        "Under a Tin Sky",
        "The Cartographer's Wife",
        "Cold Harbour",
        "A Field of Crows",
        "The Glass Orchard",
    ],
    "school": [
        "St Brannock's",
        "Highfield",
        "the Friary School",
        "Castle Street Primary",
        "Longmeadow",
        "Beechwood",
        "the Quay Academy",
        "Trinity College",
        "Park House",
        "Ferndale",
    ],
    "subject": [
        "marine biology",
        "law",
        "dentistry",
        "civil engineering",
        "history of art",
        "nursing",
        "physics",
        "philosophy",
        "Portuguese",
        "agronomy",
    ],
}


def proper_words() -> frozenset[str]:
    """Return every capitalised word of the lists: what keeps its capital whoever types it."""
    found: set[str] = {"Mum", "Dad", *TOWNS}
    found |= {"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday", "Spanish", "Christmas"}

    def walk(thing: Any) -> None:
        if isinstance(thing, str):
            found.update(word.split("'")[0] for word in thing.split() if word[0].isupper())
        elif not isinstance(thing, Mapping):
            for part in thing:
                walk(part)

    for name, pool in POOLS.items():
        if name not in ("title", "paint", "code_place"):
            walk(pool)
    walk([main for main, _ in MAINS])
    return frozenset(found)
