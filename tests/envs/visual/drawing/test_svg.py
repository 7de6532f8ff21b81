"""The part of SVG that is read, and what is refused before it costs anything."""

import time

import pytest

from gem_ma import InvalidMove
from gem_ma.envs.visual.drawing import svg
from gem_ma.envs.visual.drawing.svg import Element


@pytest.mark.parametrize(
    ("text", "element"),
    [
        ('<rect x="1" y="2" width="3.5" height="4" fill="A"/>',
         Element("rect", "A", "", 1, (1, 2, 3.5, 4))),
        ('<rect width="3" height="4" fill="none" stroke="B" stroke-width="2"/>',
         Element("rect", "", "B", 2, (0, 0, 3, 4))),
        ("<circle cx='5' cy='6' r='7' fill='C'></circle>",
         Element("circle", "C", "", 1, (5, 6, 7))),
        ('<ellipse cx="5" cy="6" rx="7px" ry=".5" fill="D" stroke="A"/>',
         Element("ellipse", "D", "A", 1, (5, 6, 7, 0.5))),
        ('<line x1="1" y1="2" x2="-3" y2="4" stroke="A" stroke-width="3" fill="B"/>',
         Element("line", "", "A", 3, (1, 2, -3, 4))),
        ('<polyline points="1,2 3,4" stroke="A"/>', Element("lines", "", "A", 1, (1, 2, 3, 4))),
        ('<polygon points="1 2, 3 4, 5 6" fill="A"/>',
         Element("lines", "A", "", 1, (1, 2, 3, 4, 5, 6), True)),
        ('<path d="M1 2L3,4 5 6H7V8Z" fill="A"/>',
         Element("lines", "A", "", 1, (1, 2, 3, 4, 5, 6, 7, 6, 7, 8), True)),
        ('<path d="m1,2 l1-1 h2v3z" fill="A" id="p"/>',
         Element("lines", "A", "", 1, (1, 2, 2, 1, 4, 1, 4, 4), True)),
    ],
)  # fmt: skip
def test_elements(text, element):
    for whole in (
        text,
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100" width="9">{text}</svg>',
        f'Here it is:\n```xml\n<?xml version="1.0"?>\n<svg>\n<!-- one -->\n{text}</svg>\n```',
    ):
        assert svg.parse_svg(whole) == (element,)
    normal = svg.format_svg((element,))
    assert svg.parse_svg(normal) == (element,)


UNKNOWN = " ".join([f"a{n}=''" for n in range(700)])
LAUGHS = "".join([f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10)])
HOSTILE = {
    "nothing": "",
    "words": "a red circle",
    "no elements": "<svg></svg>",
    "laughs": f'<!DOCTYPE svg [<!ENTITY l0 "ha">{LAUGHS}]><svg>&l9;</svg>',
    "laughs inside": f'<svg><!DOCTYPE svg [<!ENTITY l0 "ha">{LAUGHS}]>&l9;</svg>',
    "laughs without a cut": f'<svg2 a="<svg"/><!DOCTYPE x [{LAUGHS}]></svg>',
    "a file": '<!DOCTYPE svg [<!ENTITY f SYSTEM "file:///etc/passwd">]><svg>&f;</svg>',
    "an entity in an attribute": '<svg><rect width="&f;" height="1" fill="A"/></svg>',
    "an image": '<svg><image href="http://localhost/a.png" width="9" height="9"/></svg>',
    "a link": '<svg xmlns:xlink="http://www.w3.org/1999/xlink"><use xlink:href="#a"/></svg>',
    "an instruction": '<svg><?php echo 1 ?><rect width="1" height="1" fill="A"/></svg>',
    "a script": "<svg><script>alert(1)</script></svg>",
    "text": '<svg>hello<rect width="1" height="1" fill="A"/></svg>',
    "data": '<svg><![CDATA[hello]]><rect width="1" height="1" fill="A"/></svg>',
    "style": '<svg><rect width="1" height="1" style="fill:A"/></svg>',
    "a transform": '<svg><rect width="1" height="1" fill="A" transform="scale(2)"/></svg>',
    "another box": '<svg viewBox="0 0 10 10"><rect width="1" height="1" fill="A"/></svg>',
    "a colour": '<svg><rect width="1" height="1" fill="#ff0000"/></svg>',
    "no colour": '<svg><rect width="1" height="1"/></svg>',
    "no stroke": '<svg><line x2="1" stroke="A" stroke-width="0"/></svg>',
    "no size": '<svg><rect x="1" y="1" fill="A"/></svg>',
    "less than no size": '<svg><circle r="-1" fill="A"/></svg>',
    "nan": '<svg><circle r="nan" fill="A"/></svg>',
    "infinity": '<svg><circle r="inf" fill="A"/></svg>',
    "an exponent": '<svg><circle r="1e308" fill="A"/></svg>',
    "a far number": '<svg><circle cx="1001" r="1" fill="A"/></svg>',
    "digits": f'<svg><circle r="{"9" * 5000}" fill="A"/></svg>',
    "other digits": '<svg><circle r="\u0663" fill="A"/></svg>',
    "far by steps": f'<svg><path d="M0 0{"h900" * 9}" stroke="A"/></svg>',
    "half a point": '<svg><polygon points="1 2 3" fill="A"/></svg>',
    "one point": '<svg><polygon points="1 2" fill="A"/></svg>',
    "a curve": '<svg><path d="M1 2C1 2 3 4 5 6" fill="A"/></svg>',
    "two lines": '<svg><path d="M1 2L3 4M5 6L7 8" fill="A"/></svg>',
    "after the end": '<svg><path d="M1 2L3 4Z5 6" fill="A"/></svg>',
    "no beginning": '<svg><path d="L1 2" fill="A"/></svg>',
    "numbers first": '<svg><path d="1 2" fill="A"/></svg>',
    "half a step": '<svg><path d="M1 2L3" fill="A"/></svg>',
    "depth": "<svg>" * 1100,
    "groups": f"<svg>{'<g>' * 900}</svg>",
    "inside another": '<svg><rect width="1" height="1" fill="A"><rect/></rect></svg>',
    "too many": "<svg>" + '<circle r="1" fill="A"/>' * 61 + "</svg>",
    "many points": f'<svg><polyline points="{"1 1 " * 301}" stroke="A"/></svg>',
    "many steps": f'<svg><path d="M0 0{"h1" * 400}" stroke="A"/></svg>',
    "ten megabytes": "<svg>" + '<circle r="1" fill="A"/>' * 400_000 + "</svg>",
    "comments": "<svg>" + "<!--" * 1400,
    "attributes": f"<svg><rect {UNKNOWN}/></svg>",
    "a surrogate": "<svg>\ud800</svg>",
    "a null": "<svg>\x00</svg>",
    "not closed": '<svg><rect width="1" height="1" fill="A"',
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_what_is_no_picture_is_refused_at_once(name):
    start = time.process_time()
    with pytest.raises(InvalidMove) as error:
        svg.parse_svg(HOSTILE[name])
    assert time.process_time() - start < 0.02
    assert len(str(error.value)) < 200
