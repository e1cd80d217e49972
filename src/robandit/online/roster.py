"""The arms of a learner by name: which may be chosen now; a name is never used twice."""

from collections.abc import Iterable

from robandit.errors import InputError, unknown
from robandit.online.terms import check_names

ACTIVE, PAUSED, RETIRED = "active", "paused", "retired"
CHANGES = {"added": ACTIVE, "paused": PAUSED, "resumed": ACTIVE, "retired": RETIRED}
FROM = {"paused": (ACTIVE,), "resumed": (PAUSED,), "retired": (ACTIVE, PAUSED)}  # what an arm must be before


class Roster:
    """Names in the order of their indices, each active, paused or retired."""

    __slots__ = ("index", "names", "present", "status")

    def __init__(self, names: Iterable[str]) -> None:
        self.names = list(names)
        self.index = {name: number for number, name in enumerate(self.names)}
        self.status = [ACTIVE] * len(self.names)
        self.present = list(range(len(self.names)))  # the indices of the active arms

    def find(self, name: str) -> int:
        """Return an arm's index; raises InputError if there is no such arm."""
        if name not in self.index:
            raise unknown("arm", str(name), self.names)
        return self.index[name]

    def among(self, eligible: Iterable[str] | None) -> list[int] | None:
        """Return the indices that may be chosen; None for all there are."""
        if eligible is None:
            return None if len(self.present) == len(self.names) else self.present
        if isinstance(eligible, str):
            raise InputError(f"eligible must be a list of arms, not {eligible!r}")
        wanted = {self.find(name) for name in eligible}
        among = [arm for arm in self.present if arm in wanted]
        if not among:
            names = ", ".join(self.names[arm] for arm in sorted(wanted)) or "none"
            raise InputError(f"of the eligible arms ({names}) none is active: {', '.join(self.active)} are")
        return None if len(among) == len(self.names) else among

    @property
    def active(self) -> list[str]:
        """The names of the active arms."""
        return [self.names[arm] for arm in self.present]

    def after(self, name: str, change: str) -> "Roster":
        """Return the roster as it will be; raises InputError if it cannot be."""
        after = Roster(self.names)
        after.status = list(self.status)
        if change == "added":
            check_names([name])
            if name in self.index:
                raise InputError(f"an arm's name is never used twice, and {name!r} is {self.status[self.find(name)]}")
            after.index[name] = len(after.names)
            after.names.append(name)
            after.status.append(ACTIVE)
        else:
            was = self.status[self.find(name)]
            if change not in FROM:
                raise InputError(f"a change must be one of {', '.join(CHANGES)}, not {change!r}")
            if was not in FROM[change]:
                raise InputError(f"the arm {name!r} is {was} and cannot be {change}")
            after.status[self.index[name]] = CHANGES[change]
        after.present = [arm for arm, status in enumerate(after.status) if status == ACTIVE]
        if not after.present:
            raise InputError(f"the arm {name!r} is the last active one and cannot be {change}")
        return after
