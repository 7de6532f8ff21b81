"""MiniWoB++'s pages in a browser, used like gem_ma's own screens: seen, clicked and typed into."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import threading
import time
import weakref
from collections.abc import Iterator
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, SupportsFloat, SupportsIndex

import gymnasium

from gem_ma.envs.bridges.describing import ForeignEnv, Space, Teller, pixels
from gem_ma.envs.bridges.gymnasium import AGENT, GymEnv, Gymnasium
from gem_ma.envs.bridges.live import Listed, Output
from gem_ma.envs.registry import MissingRequirement
from gem_ma.envs.screen_actions import ActionReader, ScreenAction
from gem_ma.game import InvalidMove
from gem_ma.scene import Pixels
from gem_ma.validation.extras import require_extra
from gem_ma.validation.json_types import JSONMapping, JSONObject

if TYPE_CHECKING:
    from selenium.webdriver.remote.webdriver import WebDriver

_BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
SIZE = 160, 210  # pixels of a page, and of its picture by default
_ENDLESS = 2**31 - 1  # milliseconds; a page's own time limit, which is never reached
_LOADING_ATTEMPTS, _LOADING_PAUSE = 40, 0.1  # seconds between two attempts to observe a page
_ROLES = {
    "a": "link", "input_text": "textbox", "input_password": "textbox (password)",
    "textarea": "textbox (lines)", "input_checkbox": "checkbox", "input_radio": "radio",
    "select": "combobox", "input_range": "slider", "input_button": "button",
    "input_submit": "button", "input_date": "date", "option": "option", "button": "button",
}  # fmt: skip
_TEXTS = ("t", "span", "div", "p", "label", "td", "th", "li", "h1", "h2", "h3", "tspan", "text")
_ARROWS = {"Left": "ArrowLeft", "Right": "ArrowRight", "Up": "ArrowUp", "Down": "ArrowDown"}
_HELD = {"ctrl": "C-", "shift": "S-", "alt": "A-"}
HOW = (
    "You use a page in a browser, one action at a time: click(x, y), double_click(x, y), "
    'right_click(x, y), drag(x1, y1, x2, y2), scroll(x, y, dy), type("text"), key("Enter") or '
    "another key, with ctrl+ or shift+ before it, hover(x, y), wait(). Coordinates are pixels of "
    "the page, which is {} wide and {} high, from the top left. An element's ref stands for its "
    "middle: click(e3)."
)


class Element(NamedTuple):
    """The visible properties of an element of a page."""

    ref: str
    words: str
    middle: tuple[int, int]
    focused: bool


class Page(Teller):
    """The text descriptions of a page."""

    renders = False  # each observation already has a screenshot

    def about(self, env: Any) -> str:
        return (
            HOW.format(*measure_page(env.observation_space))
            + " Done as asked it pays 1, and done wrong it costs 1."
        )

    def how(self, agent: str) -> str:
        return ""

    def task(self, env: Any) -> str:
        return env.asked

    def words(self, env: ForeignEnv, agent: str, observation: Any) -> str:
        if not observation["dom_elements"]:
            return "The page is closed."
        return "\n".join(
            f"[{element.ref}] {element.words}{', focused' * element.focused} at {element.middle}"
            for element in elements(observation)
        )

    def action(self, env: ForeignEnv, agent: str, move: ScreenAction) -> ScreenAction:
        return move

    def scene(self, env: ForeignEnv, agent: str, observation: Any) -> Pixels:
        return pixels(observation["screenshot"])


class MiniWob(Gymnasium):
    """A page of MiniWoB++, in a browser without a window.

    Args:
        id: the id of a page, such as "miniwob/click-test-2-v1".
        env_kwargs: arguments of MiniWoB++ itself; None: none. Time is not counted: a page waits as
            long as an agent thinks.
    """

    told_by = Page
    names_points = True
    env_defaults = MappingProxyType({"image_size": SIZE})

    def __init__(self, id: str, env_kwargs: JSONMapping | None = None):
        super().__init__(id, env_kwargs)
        self.listed = True

    def settle(self, env, teller, title, limit):
        super().settle(env, teller, title, limit)
        self.spare = Idle()

    def make(self, **kwargs: Any) -> Browser:
        where()
        with require_extra("miniwob", self.id):
            from miniwob.reward import get_raw_reward
        options = {"reward_processor": get_raw_reward, **kwargs, **self.env_kwargs}
        return Browser(gymnasium.make(self.id, disable_env_checker=True, **options))

    def put_away(self, env):
        self.spare.append(env)

    def read(self, text, view, agent):
        """Parse a reply as an action on the page."""
        screen = view.output.seen[agent]
        return ActionReader(self._place, lambda: dict(screen.places)).read(text)

    def skip(self, view, agent):
        return ScreenAction("wait")

    def _place(self, x, y):
        width, height = measure_page(self.teller.observations[AGENT])
        if not (0 <= x <= width and 0 <= y <= height):
            raise InvalidMove(
                f"({x:g}, {y:g}) is not on the page, which is {width} wide and {height} high"
            )
        return min(int(x), width - 1), min(int(y), height - 1)

    def start(self, rng, options):
        state = super().start(rng, options)
        return Listed(state.output, state.line, 0, state.luck, state.frame)

    def _output(self, live):
        observation, *_ = live.last
        output = super()._output(live)
        page_elements = list(elements(observation))
        screen = output.seen[AGENT]._replace(
            places=tuple((element.ref, element.middle) for element in page_elements)
        )
        legal = [f"click({element.ref})" for element in page_elements]
        if any(element.focused for element in page_elements):
            words = {word.strip('".,:?!') for word in live.env.asked.split()}
            legal += [f'type("{word}")' for word in sorted(words)]
        legal += ['key("Tab")', 'key("Enter")']
        is_over = not output.to_act
        return Output(
            output.to_act, output.returns, {AGENT: screen},
            {AGENT: () if is_over else tuple(legal)}, report=output.report,
        )  # fmt: skip


class Idle(list[Any]):
    """Browsers kept for the next episode of a page: the newest two of a process."""

    waiting: ClassVar[list[tuple[weakref.ref[Idle], weakref.ref[Browser]]]] = []
    lock = threading.RLock()  # garbage collection may call `append` while it is held

    def append(self, browser: Browser) -> None:
        with self.lock:
            super().append(browser)
            self.waiting.append((weakref.ref(self), weakref.ref(browser)))
            if len(self.waiting) < 3:
                return
            place, waits = self.waiting.pop(0)
            idle, oldest = place(), waits()
            if idle is not None and oldest is not None:
                idle.remove(oldest)
        if oldest is not None:
            oldest.close()

    def pop(self, *place: SupportsIndex) -> Browser:
        with self.lock:
            browser: Browser = super().pop(*place)
            self.waiting[:] = [one for one in self.waiting if one[1]() not in (None, browser)]
        return browser


class Browser(gymnasium.Wrapper):
    """A MiniWoB++ environment without a time limit that takes gem_ma's screen actions."""

    def __init__(self, env: GymEnv):
        super().__init__(env)
        self.asked = ""
        self._fits: object = None  # the driver whose window has the size of the page
        # Garbage collection closes the browser, too.
        self._close = weakref.finalize(self, env.close)

    def close(self) -> None:
        self._close()

    def reset(self, **kwargs: Any) -> tuple[JSONObject, JSONObject]:
        if self._driver is None:
            self.env.reset(**kwargs)  # starts another browser
        if self._driver is not self._fits:
            width, height = measure_page(self.observation_space)
            self._driver.set_window_size(max(width, 800), max(height, 600))
            self._fits = self._driver
        self._driver.get(self._page.url)  # reloading clears the last episode
        self._driver.execute_script(f"core.EPISODE_MAX_TIME = {_ENDLESS};")
        observation, info = self.env.reset(**kwargs)
        self.asked = observation["utterance"]
        return observation, info

    def step(
        self, action: ScreenAction
    ) -> tuple[JSONObject, SupportsFloat, bool, bool, JSONObject]:
        from selenium.common.exceptions import JavascriptException

        self._do(action)
        for _ in range(_LOADING_ATTEMPTS):
            with contextlib.suppress(JavascriptException):  # the page is just left
                return self.env.step(None)  # None only observes
            time.sleep(_LOADING_PAUSE)
        return self.env.step(None)

    @property
    def _page(self) -> Any:
        env: Any = self.env.unwrapped
        return env.instance

    @property
    def _driver(self) -> Any:
        return None if self._page is None or self._page.died else self._page.driver

    def _do(self, action: ScreenAction) -> None:
        """Perform an action: no single MiniWoB++ step drags, holds keys or scrolls exactly."""
        if action.kind == "wait":
            return
        from miniwob import selenium_actions as by

        driver = self._driver
        if action.kind == "type":
            by.execute_type_text(action.text.replace("\n", "\ue006"), driver)
        elif action.kind == "key":
            by.execute_press_key(_key(action.text), driver)
        elif action.kind == "scroll":
            by.execute_scroll_coords(*action.at, action.to[1], 0, driver)
        else:
            _point(action, driver)


def _point(action: ScreenAction, driver: WebDriver) -> None:
    from selenium.webdriver.common.action_chains import ActionChains

    chain = ActionChains(driver, duration=0)
    pointer = chain.w3c_actions.pointer_action
    pointer.move_to_location(*action.at)
    if action.kind == "drag":
        pointer.click_and_hold()
        halfway = [(one + other) // 2 for one, other in zip(action.at, action.to, strict=True)]
        pointer.move_to_location(*halfway)  # some pages need more than one movement
        pointer.move_to_location(*action.to)
        pointer.release()
    elif action.kind == "right":
        pointer.context_click()
    else:
        for _ in range({"hover": 0, "click": 1, "double": 2, "triple": 3}[action.kind]):
            pointer.click()
    chain.w3c_actions.perform()


def _key(name: str) -> str:
    """Return MiniWoB++'s name of a key, such as `C-a` or `<Enter>`."""
    *modifiers, last = name.split("+") if name != "+" else [name]
    last = _ARROWS.get(last, last)
    return "".join(_HELD[modifier] for modifier in modifiers) + (
        last if len(last) == 1 else f"<{last}>"
    )


def measure_page(space: Space) -> tuple[int, int]:
    """Return the width and height of an environment's pages, in pixels of their screenshots."""
    assert isinstance(space, gymnasium.spaces.Dict)
    shape = space["screenshot"].shape
    assert shape is not None
    height, width, _ = shape
    return width, height


def elements(observation: JSONMapping) -> Iterator[Element]:
    """Yield the visible elements of a page: texts, and elements that take input."""
    height, width, _ = observation["screenshot"].shape
    number = 0
    for node in observation["dom_elements"]:
        leaf = bool(node["flags"][3])
        if not leaf and node["tag"] not in _ROLES:
            continue
        wide, high = node["width"][0], node["height"][0]
        x, y = float(node["left"][0] + wide / 2), float(node["top"][0] + high / 2)
        if not (0 <= x < width and 0 <= y < height) or min(wide, high) <= 0:
            continue
        if node["tag"] in _TEXTS and not (node["text"].strip() or node["id"] or node["classes"]):
            continue
        number += 1
        yield Element(f"e{number}", _said(node), (int(x), int(y)), bool(node["flags"][0]))


def _said(one: JSONMapping) -> str:
    tag, text, value = one["tag"], one["text"].strip(), one["value"]
    role = _ROLES.get(tag, "text" if tag in _TEXTS and text else tag)
    parts = [f'{role} "{text}"' if text else role]
    if tag in ("input_checkbox", "input_radio"):
        parts.append("checked" if value == "True" else "not checked")
    elif tag in ("input_text", "textarea", "select", "input_range", "input_date"):
        parts.append(f"holds {value!r}")
    elif tag == "input_password":
        parts.append(f"holds {len(value)} letters")
    if not text and tag not in _ROLES:
        parts += filter(None, [one["id"], one["classes"]])
    return ", ".join(parts)


def where() -> None:
    """Set the paths of the browser and its driver for MiniWoB++, or raise MissingRequirement."""
    if "MINIWOB_CHROMEDRIVER" in os.environ:
        return
    driver = shutil.which("chromedriver")
    browser = next(filter(None, map(shutil.which, _BROWSERS)), None)
    if driver is None or browser is None:
        raise MissingRequirement(
            "MiniWoB++ needs Chromium and its driver: apt install chromium-driver, or set "
            "MINIWOB_CHROME_BINARY and MINIWOB_CHROMEDRIVER to their paths"
        )
    os.environ.update(MINIWOB_CHROMEDRIVER=driver, MINIWOB_CHROME_BINARY=find_program(browser))


def find_program(path: str) -> str:
    """Return the program that a wrapper script runs, or the path itself if it is no such script.

    A driver ends only the process that it has started. If that is a script (as Debian's
    chromium-headless-shell), the browser would run for ever.
    """
    with open(path, "rb") as file:
        text = file.read(1 << 12)
    runs = re.search(rb'^(/\S+) "\$@"$', text, re.M) if text.startswith(b"#!") else None
    return runs[1].decode() if runs else path
