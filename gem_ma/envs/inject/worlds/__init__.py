"""The worlds of `inject:`: what is in them, their tools, tasks and goals of attacks.

`WORLDS` has them by name; each has a file.
"""

from __future__ import annotations

from collections.abc import Mapping

from gem_ma.envs.inject.contents import InjectionWorld
from gem_ma.envs.inject.worlds.bank import BANK
from gem_ma.envs.inject.worlds.calendar import CALENDAR
from gem_ma.envs.inject.worlds.drive import DRIVE
from gem_ma.envs.inject.worlds.mail import MAIL
from gem_ma.envs.inject.worlds.store import STORE

WORLDS: Mapping[str, InjectionWorld] = {
    one.name: one for one in (MAIL, CALENDAR, DRIVE, STORE, BANK)
}
