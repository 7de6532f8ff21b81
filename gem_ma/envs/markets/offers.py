"""Talks over offers: what a reply is that may answer one, make one or only say something."""

from gem_ma.engine.action_parsing import parse_choice
from gem_ma.game import InvalidMove

LONGEST = 500  # characters of a message
TO_OFFERS = ("accept", "reject")


def read(text, view, answers, proposed):
    """Return an answer, what is proposed, or the message as it stands.

    Args:
        answers: words that are no messages; some of them go with a proposal of the other's only.
        proposed: reads what follows "propose".
    """
    try:
        answer = parse_choice(text, answers)
    except InvalidMove:
        pass
    else:
        if answer in TO_OFFERS and view.proposer != 1 - view.turn:
            raise InvalidMove(f"there is no proposal of the other's to {answer}")
        return answer
    if text.casefold().startswith("propose"):
        return proposed(text[len("propose") :])
    if not text.strip():
        raise InvalidMove("the message is empty")
    if len(text) > LONGEST:
        raise InvalidMove(f"a message has at most {LONGEST} characters, this one {len(text)}")
    return text
