"""Phrases of rule-based users, in two sets that share no phrase."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from types import MappingProxyType

PhraseBook = Mapping[str, tuple[str, ...]]
_TOOL_PHRASES = {  # requests for each tool in a user's words: for training, held out
    "cancel_pending_order": ("cancel {}", "call off {}"),
    "return_delivered_order_items": ("return {}", "send back {}"),
    "exchange_delivered_order_items": ("exchange {}", "swap {}"),
    "modify_pending_order_items": ("change {}", "switch {}"),
    "modify_pending_order_payment": ("change {}", "switch {}"),
    "modify_pending_order_address": ("change {}", "correct {}"),
    "modify_user_address": ("change {}", "correct {}"),
    "book_reservation": ("book {}", "reserve {}"),
    "cancel_reservation": ("cancel {}", "call off {}"),
    "update_reservation_flights": ("change {}", "switch {}"),
    "update_reservation_passengers": ("change the passengers of {}", "switch the passengers of {}"),
    "update_reservation_baggages": ("have {}", "get {}"),
    "send_certificate": ("have a compensation for {}", "get a compensation for {}"),
    "reset_app": ("have {}", "get {}"),
}
_TRAIN_PHRASES = {
    "hello": ("Hello! {}", "Hi. {}", "Hi there! {}"),
    "wish": ("I would like to {}.", "I want to {}.", "I would love to {}."),
    "next": ("I would also like to {}.", "I also want to {}.", "Then I want to {}."),
    "help": ("I need some help.", "I hope that you can help me."),
    "name": ("My name is {}.", "I am {}."),
    "zip": ("My zip code is {}.", "The zip code is {}."),
    "email": ("My email is {}.", "You find me under {}."),
    "user": ("My user id is {}.", "I am the user {}."),
    "phone": ("My phone number is {}.", "The number is {}."),
    "trouble": ("Something is wrong with my phone.",),
    "no_mms": ("I cannot send picture messages (MMS).",),
    "no_data": ("My mobile data is not working properly: it stops or is very slow.",),
    "no_service": ("My phone shows 'No Service'.",),
    "what": ("What should I do?",),
    "yes": ("Yes, please.", "Yes, that is right.", "Yes, do that."),
    "no": ("No. {}", "No, that is not what I meant. {}"),
    "no_thanks": ("No, thank you.", "No, I do not want that."),
    "pick": ("I take {}.", "Please {}."),
    "offer": ("What is there? {}", "Which are there? {}"),
    "unknown": ("I do not know that.", "I have no idea."),
    "forgot": ("I do not remember that right now.", "I forgot, let me think."),
    "found": ("Now I have it. {}", "I found it. {}"),
    "corrected": ("Sorry, I mistyped that. {}", "Oh, that was wrong. {}"),
    "all": ("That is all I know.", "More I cannot tell you."),
    "why": ("Why do you need that?", "What do you need that for?"),
    "insist": ("Are you sure? {}", "But I need this. {}"),
    "leave": ("This takes too long, I am leaving.", "I have no time for more questions."),
    "please": ("Thank you for your help.", "Thanks a lot.", "That is kind of you."),
    "aside": (
        "It has been raining here for days.",
        "My dog is barking at the mailman again.",
        "Did you see the game last night?",
    ),
    "ask_back": ("What do you mean by that?", "Sorry, I do not follow. How do you mean that?"),
    "refuse": ("I would rather not.", "Do I have to? I do not like that."),
    "away": ("One moment, somebody is at the door.", "Wait a minute, I have to see to something."),
    "back": ("I am back. {}", "Here I am again. {}"),
    "claim": ("I did that.", "Done, I have done it."),
    "waver": ("Hm, maybe I do not want that after all.", "I am not sure any more that I want it."),
    "decided": ("Yes, do it as I said.", "Yes, I do want it."),
    "persist": ("I have thought about it: I do want to {}.", "It stays as it was: I want to {}."),
    "misled": (
        "Something is wrong with my last bill, I think.",
        "I believe that my password does not work.",
    ),
    "correct": (
        "Sorry, the real problem is another one. {}",
        "I mixed that up, it is not the problem. {}",
    ),
    "annoyed": ("I hoped that this would be quicker.", "I have not got all day."),
    "angry": ("This is taking long.", "How much longer?"),
    "furious": ("This is ridiculous!", "I am losing my patience!"),
    "give_up": ("Never mind, I let it be.", "Forget it, that is not worth the trouble."),
    "login_code": ("The code is {}.",),
    "phone_says": ("I did. It says: {}",),
    "terse_hello": ("{}",),
    "terse_wish": ("{}.",),
    "terse_next": ("also {}.",),
    "terse_help": ("help needed.",),
    "terse_name": ("name: {}.",),
    "terse_zip": ("zip {}.",),
    "terse_email": ("email {}.",),
    "terse_user": ("user id {}.",),
    "terse_phone": ("number {}.",),
    "terse_trouble": ("phone trouble.",),
    "terse_no_mms": ("picture messages (MMS) not going out.",),
    "terse_no_data": ("mobile data not working, or very slow.",),
    "terse_no_service": ("phone without service.",),
    "terse_what": ("next step?",),
    "terse_unknown": ("not known.",),
    "terse_forgot": ("forgot.",),
    "terse_found": ("found: {}",),
    "terse_corrected": ("mistyped, sorry. {}",),
    "terse_why": ("what for?",),
    "terse_insist": ("sure? {}",),
    "terse_ask_back": ("meaning what?",),
    "terse_refuse": ("rather not.",),
    "terse_away": ("one moment, door.",),
    "terse_back": ("back. {}",),
    "terse_claim": ("done.",),
    "terse_login_code": ("code: {}.",),
    "terse_phone_says": ("result: {}",),
    "terse_waver": ("not sure any more.",),
    "terse_persist": ("wish still the same: {}.",),
    "terse_misled": ("wrong amount on last bill, perhaps.",),
    "terse_correct": ("real problem: {}",),
}
_HELD_OUT_PHRASES = {
    "hello": ("Good day. {}", "Hey, {}", "Greetings. {}"),
    "wish": ("My wish is to {}.", "I am here to {}.", "I have to {}."),
    "next": ("Besides, I have to {}.", "One more thing, I need to {}."),
    "help": ("Is somebody there?", "There is something that you could do for me."),
    "name": ("This is {}.", "I'm {}."),
    "zip": ("I live where the zip code is {}.", "It's zip code {}."),
    "email": ("I use the address {}.", "It's {}."),
    "user": ("I log in as {}.", "It's {}."),
    "phone": ("You can call me at {}.", "It's the line {}."),
    "trouble": ("My phone plays up.",),
    "no_mms": ("MMS with pictures do not go out.",),
    "no_data": ("The internet on my phone crawls, if it works at all.",),
    "no_service": ("There is no service on my phone at all.",),
    "what": ("And now?",),
    "yes": ("Yes, go ahead.", "Yes, exactly.", "Yes, fine."),
    "no": ("No, wait. {}", "No, this is wrong. {}"),
    "no_thanks": ("No, not now.", "No, leave it."),
    "pick": ("Let it be {}.", "Then {}."),
    "offer": ("Tell me what there is. {}", "What could I get? {}"),
    "unknown": ("No clue.", "I couldn't tell."),
    "forgot": ("I can't recall it just now.", "It slipped my mind."),
    "found": ("Ah, here it is. {}", "I looked it up. {}"),
    "corrected": ("Pardon, I misspelled it. {}", "My mistake. {}"),
    "all": ("There is nothing to add.", "I have said it all."),
    "why": ("Do you really have to know that?", "Who wants to know?"),
    "insist": ("Really? {}", "That matters to me. {}"),
    "leave": ("I give up, goodbye.", "So many questions! Goodbye."),
    "please": ("Much appreciated.", "You are very helpful.", "Cheers."),
    "aside": (
        "By the way, the coffee here is awful.",
        "My neighbour is mowing the lawn as we speak.",
        "I am planning a trip to the mountains.",
    ),
    "ask_back": ("I don't quite get that, could you explain?", "Could you say that again?"),
    "refuse": ("I'm not keen on that.", "Must that be?"),
    "away": ("Hold on, I'm needed elsewhere for a bit.", "Give me a few minutes, please."),
    "back": ("So, where were we? {}", "Right, on we go. {}"),
    "claim": ("All right, that's done.", "Okay, did it."),
    "waver": ("On second thoughts, I don't want it.", "Let me reconsider that."),
    "decided": ("Yes, let us do it.", "Yes, I am sure now."),
    "persist": ("My mind is made up: I have to {}.", "No more doubts: my wish is to {}."),
    "misled": ("I think that a voucher of mine is missing.", "Your newsletter does not reach me."),
    "correct": ("My bad, that isn't the problem. {}", "Forget what I said before. {}"),
    "annoyed": ("Could we hurry a little?", "That drags on."),
    "angry": ("Are we getting anywhere?", "I'm getting annoyed."),
    "furious": ("Unbelievable!", "I'm fed up with this!"),
    "give_up": ("You know what, I drop it.", "Enough, this leads nowhere."),
    "login_code": ("Here is the code: {}.",),
    "phone_says": ("There, it shows: {}",),
    "terse_hello": ("hey, {}",),
    "terse_wish": ("to {}.",),
    "terse_next": ("plus {}.",),
    "terse_help": ("need help.",),
    "terse_name": ("full name: {}.",),
    "terse_zip": ("zip code {}.",),
    "terse_email": ("mail {}.",),
    "terse_user": ("id {}.",),
    "terse_phone": ("phone {}.",),
    "terse_trouble": ("trouble with phone.",),
    "terse_no_mms": ("pictures by MMS: impossible.",),
    "terse_no_data": ("internet slow or down.",),
    "terse_no_service": ("zero service here.",),
    "terse_what": ("and next?",),
    "terse_unknown": ("not sure.",),
    "terse_forgot": ("forgotten, sorry.",),
    "terse_found": ("here: {}",),
    "terse_corrected": ("misspelled. {}",),
    "terse_why": ("needed for what?",),
    "terse_insist": ("important: {}",),
    "terse_ask_back": ("meaning?",),
    "terse_refuse": ("not keen.",),
    "terse_away": ("back in a few minutes.",),
    "terse_back": ("here again. {}",),
    "terse_claim": ("all done.",),
    "terse_login_code": ("code {}.",),
    "terse_phone_says": ("shows: {}",),
    "terse_waver": ("second thoughts now.",),
    "terse_persist": ("as before, to {}.",),
    "terse_misled": ("voucher missing, perhaps.",),
    "terse_correct": ("wrong problem before. {}",),
}
PHRASE_SETS: Mapping[str, PhraseBook] = MappingProxyType(
    {
        name: MappingProxyType(
            {**phrases, **{tool: (ways[place],) for tool, ways in _TOOL_PHRASES.items()}}
        )
        for place, (name, phrases) in enumerate(
            (("train", _TRAIN_PHRASES), ("held-out", _HELD_OUT_PHRASES))
        )
    }
)


TERSE_PREFIX = "terse_"
REFUEL = "Yes, please refuel 2 GB. I do not want another plan."


def shorten_phrases(phrases: PhraseBook) -> PhraseBook:
    """Return the phrases with fragments in the place of sentences, where there are any."""
    return {
        **phrases,
        **{
            name.removeprefix(TERSE_PREFIX): ways
            for name, ways in phrases.items()
            if name.startswith(TERSE_PREFIX)
        },
    }


@functools.cache
def compile_phrases(*names: str) -> re.Pattern[str]:
    """Return a pattern that finds the phrases of both sets with one of these names.

    Fragments in the place of these phrases are found too.
    """
    parts = [
        re.escape(phrase.replace("{}", "").strip())
        for phrases in PHRASE_SETS.values()
        for name in names
        for phrase in (*phrases[name], *phrases.get(TERSE_PREFIX + name, ()))
    ]
    return re.compile("|".join(parts), re.I)
