"""Tasks with the clock of a phone: alarms, and a timer."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gem_ma.envs.screens.families.family import Step, joined, make_sentence, pick
from gem_ma.envs.screens.phones.home import WEEKDAYS
from gem_ma.envs.screens.phones.page import PhonePage
from gem_ma.envs.screens.phones.phone_family import (
    FIRST,
    PhoneFamily,
    PhoneTask,
    read_field,
    set_field,
    split_id,
)
from gem_ma.envs.screens.ui import Event, Ui

Days = tuple[int, ...]  # 0 is Monday


class AlarmEntry(NamedTuple):
    hour: int
    minute: int
    days: Days
    on: bool = True

    @property
    def time(self) -> str:
        return f"{self.hour}:{self.minute:02d}"


def name_days(days: Days) -> str:
    """Return days in short: "Mon, Fri"."""
    if not days:
        return "Once"
    return "Every day" if len(days) == 7 else ", ".join(WEEKDAYS[day][:3] for day in days)


class PhoneAlarms(PhoneFamily["PhoneAlarms.Data"]):
    """Tasks to set alarms, turn them on or off, and delete them."""

    apps = ("Clock",)

    class Data(NamedTuple):
        alarms: tuple[AlarmEntry, ...]  # by time

    def make(self, rng: np.random.Generator, difficulty: int) -> PhoneTask[Data]:
        times = [(int(h), 5 * int(m)) for h in range(5, 24) for m in range(12)]
        some = pick(rng, times, 3 + difficulty)
        alarms = [
            AlarmEntry(h, m, self._sample_days(rng), bool(rng.random() < 0.6)) for h, m in some
        ]
        count, clauses = 1 + difficulty // 3, []
        wanted = list(alarms)
        for alarm in pick(rng, alarms, count - 1 if difficulty % 3 else count // 2):
            wanted.remove(alarm)
            if rng.random() < 0.5:
                clauses.append(f"delete the alarm at {alarm.time}")
            else:
                wanted.append(alarm._replace(on=not alarm.on))
                clauses.append(f"turn {'off' if alarm.on else 'on'} the alarm at {alarm.time}")
        for hour, minute in pick(rng, [one for one in times if one not in some], count):
            days = self._sample_days(rng)[: 1 + difficulty // 3] if difficulty > 1 else ()
            wanted.append(AlarmEntry(hour, minute, days))
            when = f" on {joined(WEEKDAYS[day] for day in days)}" if days else ""
            clauses.append(f"set an alarm for {wanted[-1].time}{when}")
        return PhoneTask(
            self.Data(tuple(sorted(alarms))), self.Data(tuple(sorted(wanted))),
            make_sentence(joined(clauses)),
        )  # fmt: skip

    def _sample_days(self, rng: np.random.Generator) -> Days:
        return tuple(sorted(pick(rng, range(7), int(rng.integers(1, 5)))))

    def draw_app(self, page: PhonePage, name: str, task: PhoneTask[Data], ui: Ui) -> None:
        if name == "edit":
            self._draw_edit(page, task)
            return
        page.tabs((("alarm", "Alarm"), ("clock", "World"), ("timer", "Timer")), "Alarm")
        page.bar("Alarm", back=False)
        with page.scroll():
            with page.card():
                for number, alarm in enumerate(task.data.alarms):
                    self._draw_alarm(page, number, alarm)
            page.y += 60
        page.put_floating("add", "add", "Add an alarm")

    def _draw_alarm(self, page: PhonePage, number: int, alarm: AlarmEntry) -> None:
        x, w = page.find_line()
        high = page.style.row + 12
        page.put_row(f"alarm#{number}", x, page.y, w - 70, high, alarm.time,
                     name_days(alarm.days), type=24)  # fmt: skip
        page.put("check", f"on#{number}", x + w - 76, page.y, 76, high, "", alarm.on,
                 tone=page.style.accent, type=16)  # fmt: skip
        page.y += high

    def _draw_edit(self, page: PhonePage, task: PhoneTask[Data]) -> None:
        number, hour, minute, days = task.chosen
        page.bar("Edit alarm" if number >= 0 else "New alarm")
        top, half = page.y + 6, page.w // 2 - 12
        page.y = top
        page.field("hour", "Hour", hour, w=half, is_number=True)
        page.write(":", page.x + page.w // 2 - 4, top + 12, 24, "bold")
        page.y = top
        right = page.x + page.w - half
        page.field("minute", "Minute", minute, w=half, x=right, is_number=True)
        page.section("Repeat", page.x + 4)
        each = page.w // 7
        for day in range(7):
            page.put("cell", f"day#{day}", page.x + each * day, page.y, each - 4, 46,
                     WEEKDAYS[day][:3], day in days or None, tone=page.style.accent)  # fmt: skip
        page.y += 64
        page.button("save", "Save")
        if number >= 0:
            page.button("delete", "Delete", "soft")

    def update_app(self, task: PhoneTask[Data], event: Event, ui: Ui) -> PhoneTask[Data]:
        name, number = split_id(event.id)
        alarms = task.data.alarms
        if event.kind == "change" and name == "on":
            return self._keep(task, number, alarms[number]._replace(on=bool(event.value)))
        if not event.is_click:
            return task
        match name:
            case "add":
                return task.push("edit")._replace(chosen=(-1, "", "", ()))
            case "alarm":
                one = alarms[number]
                chosen = (number, str(one.hour), f"{one.minute:02d}", one.days)
                return task.push("edit")._replace(chosen=chosen)
            case "day":
                *rest, days = task.chosen
                return task._replace(chosen=(*rest, tuple(sorted({*days} ^ {number}))))
            case "delete":
                return self._keep(task, task.chosen[0], None).pop()
            case "save":
                place, hour, minute, days = task.chosen
                hour = read_field(task, ui, "hour", hour)
                minute = read_field(task, ui, "minute", minute)
                if not (hour.isdecimal() and minute.isdecimal()):
                    return task
                if int(hour) > 23 or int(minute) > 59:
                    return task
                on = alarms[place].on if place >= 0 else True
                return self._keep(task, place, AlarmEntry(int(hour), int(minute), days, on)).pop()
        return task

    def _keep(self, task: PhoneTask[Data], place: int, alarm: AlarmEntry | None) -> PhoneTask[Data]:
        """Return the task with an alarm in place of another; -1: in place of none."""
        rest = [one for number, one in enumerate(task.data.alarms) if number != place]
        return task.hold(alarms=tuple(sorted([*rest, *([alarm] if alarm else [])])))

    def plan_app(self, task: PhoneTask[Data], ui: Ui) -> Step:
        alarms, wanted = task.data.alarms, task.wanted.alarms
        times = {one[:2]: one for one in wanted}
        if task.front == FIRST:
            for number, one in enumerate(alarms):
                if one[:2] not in times:
                    return "click", f"alarm#{number}"
                if one.on != times[one[:2]].on:
                    return "click", f"on#{number}"
            return "click", "add"
        number, hour, minute, days = task.chosen
        if number >= 0:
            return "click", "delete"
        new = next(one for one in wanted if one not in alarms)
        for day in range(7):
            if (day in days) != (day in new.days):
                return "click", f"day#{day}"
        step = set_field(task, ui, "hour", str(new.hour), hour)
        step = step or set_field(task, ui, "minute", f"{new.minute:02d}", minute)
        return step or ("click", "save")
