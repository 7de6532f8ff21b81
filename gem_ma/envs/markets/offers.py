"""Parsing of replies in talks over offers: answers, proposals and messages."""

from gem_ma.game import InvalidMove, parse_choice

LONGEST = 500  # characters in a message
TO_OFFERS = ("accept", "reject")


def read(text, view, answers, proposed):
    """Return an answer, the parsed proposal, or the message unchanged.

    Args:
        text: the reply.
        view: the state that the seat sees; accept and reject need a proposal of the other seat.
        answers: the words that count as answers, not messages.
        proposed: parses what follows "propose".
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
