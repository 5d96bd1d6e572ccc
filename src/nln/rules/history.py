"""The history of a program: who changed which rule, when and why."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal, get_args

Action = Literal["add", "drop", "change"]
ACTIONS: tuple[Action, ...] = get_args(Action)


@dataclass(frozen=True, slots=True)
class Edit:
    """One change of one rule.

    Parameters
    ----------
    action : {"add", "drop", "change"}
        What was done.
    rule : int
        The rule's number, counted from 1, at that time.
    before, after : str or None
        The rule's text before and after the change; None for an added or a dropped rule.
    author : str
        Who did it; empty if unknown.
    time : str
        When, in ISO form with an offset from UTC; it is kept in UTC, to the second.
    reason : str, default=""
        Why; empty if unknown.

    Examples
    --------
    >>> print(Edit("drop", 3, "IF x < 3 THEN y = 1 (weight 0.9)", None, "Ada", "2026-01-02T10:00:00+01:00", "too old"))
    2026-01-02T09:00:00Z Ada: drop rule 3 (too old)
      - IF x < 3 THEN y = 1 (weight 0.9)
    """

    action: Action
    rule: int
    before: str | None
    after: str | None
    author: str
    time: str
    reason: str = ""

    def __post_init__(self) -> None:
        if self.action not in ACTIONS:
            raise ValueError(f"An edit's action must be one of {', '.join(map(repr, ACTIONS))}, not {self.action!r}.")
        if isinstance(self.rule, bool) or not isinstance(self.rule, int) or self.rule < 1:
            raise ValueError(f"An edit's rule must be a whole number of at least 1, not {self.rule!r}.")
        for name in ("author", "reason"):
            if not isinstance(getattr(self, name), str):
                raise TypeError(f"An edit's {name} must be text, not {getattr(self, name)!r}.")
        for name, absent in (("before", self.action == "add"), ("after", self.action == "drop")):
            text = getattr(self, name)
            if text is not None if absent else not (isinstance(text, str) and text):
                allowed = "None" if absent else "the rule's text"
                raise ValueError(f"An edit with the action {self.action!r} takes {allowed} as {name!r}, not {text!r}.")
        object.__setattr__(self, "time", utc_time(self.time))

    def __str__(self) -> str:
        author, reason = f" {self.author}" if self.author else "", f" ({self.reason})" if self.reason else ""
        lines = [f"{self.time}{author}: {self.action} rule {self.rule}{reason}"]
        lines += [f"  {mark} {text}" for mark, text in (("-", self.before), ("+", self.after)) if text is not None]
        return "\n".join(lines)


def utc_time(time: str | datetime | None = None) -> str:
    """Write a time (ISO text or a datetime with an offset from UTC; by default now) in UTC, to the second."""
    if time is None:
        time = datetime.now(UTC)
    if isinstance(time, str):
        try:
            time = datetime.fromisoformat(time)
        except ValueError:
            raise ValueError(f"A time must be written like 2026-01-02T03:04:05Z, not {time!r}.") from None
    if not isinstance(time, datetime):
        raise TypeError(f"A time must be text in ISO form or a datetime, not {time!r}.")
    if time.tzinfo is None:
        raise ValueError(f"The time {time.isoformat()} has no offset from UTC: add Z or an offset such as +02:00.")
    try:
        return time.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    except OverflowError:
        raise ValueError(f"The time {time.isoformat()} lies outside the calendar.") from None
