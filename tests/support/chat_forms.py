"""The forms of a whole conversation: all functions `to_NAME(messages, ...)` of `gem_ma.chat`."""

import inspect

from gem_ma.chat import messages

CHAT_FORMS = [
    function
    for name, function in vars(messages).items()
    if name.startswith("to_") and next(iter(inspect.signature(function).parameters)) == "messages"
]
