"""The words of generated shops: kinds of products, their attributes, options and texts."""

from __future__ import annotations

from typing import NamedTuple


class ProductKind(NamedTuple):
    """A kind of product.

    Attributes:
        name: What it is called, which is also what one searches for.
        path: Its categories, the widest first.
        figure: The name of its drawing.
        prices: The lowest and the highest price.
        attributes: A key of ATTRIBUTES.
        options: Names of OPTIONS, the most important first.
    """

    name: str
    path: tuple[str, ...]
    figure: str
    prices: tuple[int, int]
    attributes: str
    options: tuple[str, ...]


# For each attribute, what somebody says who does not know its name: "a thing that ...".
ATTRIBUTES = {
    "wear": {
        "machine washable": "can go into the laundry with everything else",
        "water resistant": "keeps me dry in the rain",
        "quick drying": "is not damp for hours after a shower of rain",
        "made of organic cotton": "comes from fields without pesticides",
        "moisture wicking": "carries sweat away from the skin",
        "reflective trim": "makes me visible to cars at night",
        "wrinkle free": "never needs an iron",
        "stretchable fabric": "gives way when i bend",
        "padded lining": "feels cushioned on the inside",
        "anti odor": "does not smell after sport",
    },
    "care": {
        "cruelty free": "was not tested on animals",
        "paraben free": "has none of those preservatives from the news",
        "for sensitive skin": "does not irritate me, since i react to many things",
        "alcohol free": "does not sting on small cuts",
        "plant based": "is made from herbs instead of oil",
        "travel size": "fits into cabin luggage",
        "dermatologist tested": "was checked by a skin doctor",
        "refillable": "comes in a container that i can top up again",
        "non greasy": "leaves no film on my fingers",
        "long lasting": "still works in the evening",
    },
    "food": {
        "gluten free": "somebody with coeliac disease may eat",
        "sugar free": "is safe for my teeth and my diabetes",
        "keto friendly": "has hardly any carbohydrates",
        "fair trade": "pays its farmers properly",
        "non gmo": "comes from unmodified plants",
        "nut free": "i can bring to a school with allergies",
        "low sodium": "has very little salt",
        "caffeine free": "will not keep me awake",
        "resealable pouch": "can be closed again after opening",
        "high fiber": "is good for digestion",
    },
    "home": {
        "easy to assemble": "i can put together without tools",
        "scratch resistant": "survives the claws of a cat",
        "stain resistant": "does not mind spilled coffee",
        "space saving": "fits into a tiny room",
        "solid wood": "is not made of particle board",
        "height adjustable": "can be raised and lowered",
        "foldable": "can be collapsed and put behind a door",
        "non slip": "stays where it is on smooth floors",
        "anti static": "gives no small shocks in winter",
        "recycled materials": "does little harm to the planet",
    },
    "tech": {
        "fast charging": "is full again within half an hour",
        "noise cancelling": "silences the train around me",
        "shockproof": "survives a fall from the table",
        "waterproof": "may fall into the pool",
        "voice controlled": "does what i say",
        "plug and play": "works at once without a driver",
        "energy efficient": "uses hardly any electricity",
        "dust proof": "works on a building site",
        "touch sensitive": "reacts to a tap of the finger",
        "ultra lightweight": "i do not notice in a pocket",
    },
}
OPTIONS = {
    "color": ("red", "orange", "yellow", "green", "blue", "purple", "brown", "black", "gray",
              "white"),
    "size": ("s", "m", "l", "xl", "2xl", "3xl"),
    "shoe size": ("6", "7", "8", "9", "10", "11", "12"),
    "fit": ("regular", "relaxed", "athletic"),
    "flavor": ("vanilla", "berry", "lemon", "honey", "ginger", "peach"),
    "pack": ("single", "double", "dozen"),
    "scent": ("rose", "lavender", "coconut", "citrus", "unscented"),
    "volume": ("mini", "standard", "jumbo"),
    "finish": ("oak", "walnut", "bamboo", "pine"),
    "area": ("2x3 ft", "4x6 ft", "5x8 ft"),
    "plug": ("us", "eu", "uk"),
    "cable": ("short", "medium", "long"),
}  # fmt: skip
WEAR = ("Clothing", "Outdoor Wear")
KINDS = tuple(
    ProductKind(*row)
    for row in (
        ("t shirt", (*WEAR, "Shirts"), "shirt", (12, 45), "wear", ("color", "size", "fit")),
        ("hoodie", (*WEAR, "Sweaters"), "shirt", (25, 90), "wear", ("color", "size", "fit")),
        ("rain jacket", (*WEAR, "Jackets"), "shirt", (40, 180), "wear", ("color", "size", "fit")),
        ("running shoes", ("Clothing", "Shoes", "Sport"), "shoe", (35, 160), "wear",
         ("color", "shoe size", "fit")),
        ("hiking boots", ("Clothing", "Shoes", "Outdoor"), "shoe", (50, 220), "wear",
         ("color", "shoe size", "fit")),
        ("backpack", ("Clothing", "Luggage", "Bags"), "bag", (20, 140), "wear",
         ("color", "size", "fit")),
        ("face cream", ("Beauty", "Skin Care", "Face"), "jar", (8, 70), "care",
         ("scent", "volume", "pack")),
        ("body lotion", ("Beauty", "Skin Care", "Body"), "bottle", (6, 40), "care",
         ("scent", "volume", "pack")),
        ("shampoo", ("Beauty", "Hair Care", "Washing"), "bottle", (5, 35), "care",
         ("scent", "volume", "pack")),
        ("herbal tea", ("Grocery", "Drinks", "Tea"), "box", (4, 30), "food",
         ("flavor", "pack")),
        ("protein bars", ("Grocery", "Snacks", "Bars"), "box", (8, 50), "food",
         ("flavor", "pack")),
        ("trail mix", ("Grocery", "Snacks", "Nuts"), "bag", (5, 35), "food",
         ("flavor", "pack")),
        ("desk lamp", ("Home", "Lighting", "Lamps"), "lamp", (15, 110), "home",
         ("color", "plug", "cable")),
        ("dining chair", ("Home", "Furniture", "Chairs"), "chair", (40, 210), "home",
         ("color", "finish", "pack")),
        ("coffee table", ("Home", "Furniture", "Tables"), "table", (60, 290), "home",
         ("color", "finish")),
        ("area rug", ("Home", "Textiles", "Rugs"), "rug", (25, 240), "home", ("color", "area")),
        ("headphones", ("Electronics", "Audio", "Head Sets"), "headphones", (20, 260), "tech",
         ("color", "plug", "cable")),
        ("keyboard", ("Electronics", "Computers", "Input"), "keyboard", (18, 150), "tech",
         ("color", "plug", "cable")),
        ("security camera", ("Electronics", "Cameras", "Video"), "camera", (25, 200), "tech",
         ("color", "plug", "cable")),
        ("power bank", ("Electronics", "Power", "Batteries"), "phone", (12, 90), "tech",
         ("color", "plug", "pack")),
    )
)  # fmt: skip
BRANDS = (
    "Aldermoor Brightwell Cassoway Dunvale Eastmere Fennick Galdora Hartsome Ivorne Juniperra "
    "Kestrow Lindqua Marbeck Norvale Oakhame Pellington Quillane Rowanby Selmare Tarnwick Umbrio "
    "Vantara Wexcombe Yarrowell Zephane"
)
SERIES = ("Classic", "Nova", "Prime", "Pure", "Studio", "Trail", "Urban", "Vista", "Alba", "Core")
AUDIENCES = ("men", "women", "kids", "teens", "families", "students", "travelers", "seniors")
PLACES = ("every day", "weekends", "holidays", "the office", "the garden", "school", "a gift")
FEATURE_LINES = (
    "{}: tested for two years before it reached our shelves",
    "{}: the reason why customers come back",
    "{}, as the label confirms",
    "{}, without a higher price",
)
PLAIN_FEATURES = (
    "Comes with a two year guarantee",
    "Packed in recycled cardboard",
    "Designed by a small family company",
    "Friendly customer service by mail",
    "Ships within one working day",
)
DESCRIPTIONS = (
    "{series} {kind} by {brand}, made for {place}.",
    "{brand} has made {kind} for {audience} since 1987. This is the {series} line.",
    "A present for {audience}: {series} {kind} by {brand}, for {place}.",
)
DESCRIBED_ATTRIBUTES = ("Worth knowing: {}.", "Our customers praise one thing: {}.", "Also: {}.")
REVIEWS = (
    ("As described", 5, "Arrived on time and looks like the picture."),
    ("Good value", 4, "I would buy it again at this price."),
    ("Not for me", 2, "I had expected something else and sent it back."),
    ("Nice present", 5, "My sister was delighted."),
    ("Late", 3, "The parcel took ten days, the thing itself is fine."),
)
REQUESTS = (
    "i am looking for {thing}",
    "i need {thing}",
    "find me {thing}",
    "please order {thing}",
    "i would like to buy {thing}",
)
