"""Phone: the screen of a telephone, with a status bar and a list of settings."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Phone:
    """The screen of a telephone; what is unknown is None.

    Attributes:
        rows: (label, value) of each setting: a text, or whether a switch is on.
        signal: The strength of the signal, from 0 to 4 bars.
        network: The kind of network, such as "5G"; "" for none.
        battery: The charge of the battery in percent.
        airplane: Whether the status bar has the sign of airplane mode in place of the signal.
        icons: Words of other signs in the status bar.
    """

    rows: tuple[tuple[str, str | bool | None], ...]
    signal: int | None = None
    network: str = ""
    battery: int | None = None
    airplane: bool = False
    icons: tuple[str, ...] = ()
