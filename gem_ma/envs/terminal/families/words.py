"""Words of which the tasks are made."""

from gem_ma.envs.terminal.problem import Draw

_WORDS = (
    "amber anchor apple arrow autumn bamboo basil beacon berry birch bottle bridge button cabin "
    "camel candle canyon carbon castle cedar cherry cinder clover cobalt copper coral cotton "
    "cricket crystal daisy delta desert dragon eagle ember falcon feather fennel forest garden "
    "ginger glacier granite harbor hazel heron indigo island ivory jasmine juniper kettle lagoon "
    "lantern lemon lilac lotus maple marble meadow mint mirror nectar nickel olive onyx orchid "
    "otter paper pebble pepper pine planet pollen quartz raven ribbon river saddle saffron sierra "
    "silver spruce summit sunset thistle thunder timber topaz tulip tunnel valley velvet violet "
    "walnut willow winter"
)
WORDS = _WORDS.split()
_NAMES = "ada ben cleo dora emil fay gus hana ivo june kai lena milo nora otto pia"
NAMES = _NAMES.split()
_CITIES = "Berlin Cairo Dublin Lima Lyon Oslo Porto Quito Rome Sofia Turin Vienna"
CITIES = _CITIES.split()


def sentence(draw: Draw, count: int) -> str:
    """Return random words as one line."""
    return " ".join(draw.one(WORDS) for _ in range(count))


def text(draw: Draw, count: int) -> str:
    """Return some lines of random words."""
    return "".join(f"{sentence(draw, draw.number(3, 7))}\n" for _ in range(count))


def folders(draw: Draw, top: str, count: int) -> list[str]:
    """Return the paths of folders below `top`, some inside others, the first of them `top`."""
    found = [top]
    for name in draw.some(WORDS, count):
        found.append(f"{draw.one(found)}/{name}")
    return found
