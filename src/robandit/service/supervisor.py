"""Background work that must not die: restarted with a growing pause, counted, and visible while it is down."""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from logging import ERROR, INFO, WARNING
from typing import Any

from robandit.service.logs import log_event

FIRST, LONGEST = 0.5, 30.0  # seconds of pause before a restart: at first, and at most
CALM = 5.0  # seconds without a failure after which work counts as up again, unless it says so itself
Work = Callable[[], Coroutine[Any, Any, None]]


@dataclass
class Duty:
    """One piece of background work: how often it was restarted, and why it is down now, if it is."""

    restarts: int = 0
    problem: str = ""
    pause: float = 0.0  # seconds before the next restart


@dataclass
class Supervisor:
    """All background work of a service, and whatever else goes wrong beside requests."""

    duties: dict[str, Duty] = field(default_factory=dict)
    faults: dict[str, str] = field(default_factory=dict)  # what is wrong though its task runs, by what it is about

    @property
    def problems(self) -> list[str]:
        """Returns a sentence for everything that is wrong now."""
        down = {name: duty.problem for name, duty in self.duties.items() if duty.problem}
        return [f"{name} failed and is being restarted: {why}" for name, why in down.items()] + [*self.faults.values()]

    def note(self, about: str, problem: str) -> None:
        """Take note of a fault, or with an empty sentence that it is gone; report it when it changes."""
        before = self.faults.pop(about, "")
        if problem:
            self.faults[about] = problem
        if problem and problem != before:
            log_event(WARNING, "degraded", problem, about=about)
        elif before and not problem:
            log_event(INFO, "recovered", f"this is over: {before}", about=about)

    def recover(self, name: str) -> None:
        """Some work has done what it is for: it counts as up, and its pauses begin anew."""
        duty = self.duties.setdefault(name, Duty())
        if duty.problem:
            log_event(INFO, "recovered", f"{name} is up again", task=name)
        duty.problem, duty.pause = "", FIRST

    async def keep(self, name: str, work: Work, *, reports: bool = False) -> None:
        """Run some work until it ends by itself or is cancelled; after an error, again, each time a little later.

        After CALM seconds it counts as up again; work that `reports` calls `recover` itself, as often as it succeeds.
        """
        duty = self.duties.setdefault(name, Duty())
        duty.pause = FIRST
        while True:
            task = asyncio.ensure_future(work())
            try:
                done, _ = await asyncio.wait({task}, timeout=None if reports else CALM)
                if not done:
                    self.recover(name)
                await task
                self.recover(name)
                return
            except asyncio.CancelledError:
                task.cancel()
                raise
            except Exception as error:
                duty.restarts += 1
                duty.problem = f"{type(error).__name__}: {error}"
                sentence = f"{name} failed, and begins again in {duty.pause:g} s: {duty.problem}"
                log_event(ERROR, "task_restarted", sentence, task=name)
            await asyncio.sleep(duty.pause)
            duty.pause = min(2.0 * duty.pause, LONGEST)
