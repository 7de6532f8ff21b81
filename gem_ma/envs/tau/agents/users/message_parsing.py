"""Parsing of an assistant's message: what it asks the user for."""

from __future__ import annotations

import re

IDENTITY_PATTERNS = {  # questions about the user's identity
    "email": re.compile(r"\be-?mail", re.I),
    "zip": re.compile(r"\bzip\b|postal code|postcode", re.I),
    "name": re.compile(
        r"\byour (?:full |first |last )?name|\bname and (?:your )?zip|first name", re.I
    ),
    "user": re.compile(r"\buser[ _-]?id|customer id|profile id|account id", re.I),
    "phone": re.compile(r"phone number", re.I),
    "birthday": re.compile(r"your (?:date of birth|birth ?da)", re.I),
}
DETAIL_PATTERNS = {  # questions about a wish
    "order": re.compile(
        r"\b(?:order|reservation|confirmation|booking)s? ?(?:number|id|code)\b|"
        r"\b(?:which|what) (?:of your )?(?:order|reservation|trip|booking|flight is it)",
        re.I,
    ),
    "items": re.compile(
        r"\bwhich (?:\w+ )?(?:items?|ones?|products?|of them)|\bwhat (?:items?|products?)", re.I
    ),
    "options": re.compile(
        r"\boptions?|specification|variant|new item|replacement|instead|what (?:color|size|type)",
        re.I,
    ),
    "payment": re.compile(
        r"\bpayment|\bpay\b|refund(?:ed)? (?:to|go)|gift card|credit card|certificate", re.I
    ),
    "reason": re.compile(r"\breason|\bwhy\b", re.I),
    "address": re.compile(r"\baddress", re.I),
    "cabin": re.compile(r"\bcabin|\bclass\b", re.I),
    "date": re.compile(r"\bdates?\b|which day|\bwhen\b", re.I),
    "route": re.compile(r"\bfrom where|\bwhere (?:do|to)|origin|destination|\broute", re.I),
    "flights": re.compile(
        r"\bwhich (?:of these )?(?:flights?|connection)|flights? (?:do|would)", re.I
    ),
    "passengers": re.compile(r"\bpassengers?|\btravell?ers?|who (?:is|will|else)", re.I),
    "bags": re.compile(r"\bbags?\b|\bbaggage|luggage|suitcase", re.I),
    "insurance": re.compile(r"\binsurance", re.I),
}
CONFIRM_PATTERN = re.compile(
    r"\bconfirm\b|\(yes|yes/no|\byes or no|shall i\b|should i\b|\bproceed\b|go ahead"
    r"|is (?:that|this|everything|it) (?:right|correct|okay|ok)\b|would you like me to"
    r"|do you want me to|\bagree\b",
    re.I,
)
ELSE_PATTERN = re.compile(
    r"anything else|something else|what else|(?:any )?other (?:request|question)", re.I
)
DONE_PATTERN = re.compile(
    r"(?:is|are|was|were) (?:now )?(?:done|cancel|return|exchang|chang|modif|updat|book)\w{0,6}"
    r"|(?:has|have) been|successfully|\bi(?:'ve| have) (?:now )?\w{2,12}ed\b",
    re.I,
)
REFUSAL_PATTERN = re.compile(
    r"\b(?:cannot|can't|can not|unable|not possible|impossible|not able|not allowed|sorry"
    r"|unfortunately|not eligible|do(?:es)? not (?:find|exist)|no (?:such )?(?:user|order))\b",
    re.I,
)
HANDOVER_PATTERN = re.compile(r"transferr?(?:ed|ing)|human agent", re.I)
_REQUEST = re.compile(  # asks for more than yes or no
    r"\b(?:provide|tell me|give me|share|what|which|how many|who|let me know|i need your|may i have"
    r"|need (?:the|your)|specify)\b",
    re.I,
)
_SENTENCE_BREAK = re.compile(r"(?<=[.!?])\s+|\n+")
FLIGHT_PATTERN = re.compile(r"\bHAT\d{3}\b")


class AssistantMessage:
    """One message of an assistant, and what it asks for."""

    def __init__(self, text: str):
        self.text = text
        asks = [
            one
            for one in _SENTENCE_BREAK.split(text)
            if "?" in one
            or "(yes" in one.lower()
            or _REQUEST.search(one)
            or "please" in one.lower()
        ]
        self.asking = " ".join(asks)
        self.question = "?" in self.asking
        open_ones = " ".join(
            one
            for one in asks
            if not ELSE_PATTERN.search(one)
            and (_REQUEST.search(one) or not CONFIRM_PATTERN.search(one))
        )
        self.who = [name for name, way in IDENTITY_PATTERNS.items() if way.search(self.asking)]
        self.about = [name for name, way in DETAIL_PATTERNS.items() if way.search(open_ones)]
        self.confirms = any(
            CONFIRM_PATTERN.search(one) and not _REQUEST.search(one) for one in asks
        )
        self.more = bool(ELSE_PATTERN.search(self.asking))
        self.done = bool(DONE_PATTERN.search(text))
        self.refused = bool(REFUSAL_PATTERN.search(text))
        self.handed = bool(HANDOVER_PATTERN.search(text))
        self.flights = FLIGHT_PATTERN.findall(text)

    @property
    def requests(self) -> set[str]:
        """The names of the facts that the message asks for."""
        return {*self.who, *self.about}
