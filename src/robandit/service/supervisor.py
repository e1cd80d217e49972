"""Background work that must not die: restarted with a growing pause, counted, and visible while it is down."""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from logging import ERROR, INFO, WARNING
from typing import Any

from robandit.service.logs import log_event

FIRST, LONGEST = 0.5, 30.0  # seconds of pause before a restart: at first, and at most
CALM = 5.0  # seconds without a failure after which work counts as up again
Work = Callable[[], Coroutine[Any, Any, None]]


@dataclass
class Duty:
    """One piece of background work: how often it was restarted, and why it is down now, if it is."""

    restarts: int = 0
    problem: str = ""


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

    async def keep(self, name: str, work: Work) -> None:
        """Run some work until it ends by itself or is cancelled; after an error, again, each time a little later."""
        duty, pause = self.duties.setdefault(name, Duty()), FIRST
        while True:
            task = asyncio.ensure_future(work())
            try:
                done, _ = await asyncio.wait({task}, timeout=CALM)
                if not done:
                    if duty.problem:
                        log_event(INFO, "recovered", f"{name} is up again", task=name)
                    duty.problem, pause = "", FIRST
                await task
                duty.problem = ""
                return
            except asyncio.CancelledError:
                task.cancel()
                raise
            except Exception as error:
                duty.restarts += 1
                duty.problem = f"{type(error).__name__}: {error}"
                log_event(
                    ERROR, "task_restarted", f"{name} failed, and begins again in {pause:g} s: {error!r}", task=name
                )
            await asyncio.sleep(pause)
            pause = min(2.0 * pause, LONGEST)
