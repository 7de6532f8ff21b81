"""Texts that want to do harm to what draws them."""

HOSTILE = {
    "nothing": "",
    "controls": "".join(map(chr, range(32))) + "\x7f\x85\x9b",
    "surrogates": "\ud800\udfff a \udc00",
    "right to left": "\u202eabc\u202c \u200f\u05d0\u0627",
    "colours": "\x1b[31mred\x1b[0m\x1b]0;title\x07",
    "combining": "e" + "\u0301" * 500,
    "emoji": "\U0001f600\U0001f468\u200d\U0001f469 \U0010ffff",
    "breaks": "a\r\nb\rc\nd\x0be\x0cf\x1cg\x85h\u2028i\u2029j",
    "tabs": "\t" * 300,
    "a megabyte of words": "word " * 200_000,
    "a megabyte of one word": "x" * 1_000_000,
    "a megabyte of spaces": " " * 1_000_000 + "x",
    "ten thousand lines": "line\n" * 10_000,
}
