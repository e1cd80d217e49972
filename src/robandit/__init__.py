"""robandit: bandits whose rewards cannot be trusted.

Names are fetched when first used, so that `robandit --help` need not wait for NumPy; the stub
beside this file tells type checkers the same names.
"""

from importlib import import_module
from typing import Any

from robandit.version import __version__ as __version__

HOMES = {
    "capability": "Capability",
    "catalogue": "Catalogue attack environment policy",
    "dice": "Random",
    "environments.bernoulli": "Bernoulli",
    "environments.beta": "Beta",
    "environments.contexts": "Contexts",
    "environments.samples": "Samples",
    "errors": "InputError",
    "extras": "MissingExtra",
    "forensics.audit": "audit",
    "forensics.findings": "Audit",
    "forensics.log_files": "read_log",
    "forensics.reward_log": "ColumnNames RewardLog",
    "game": "Adversary Choice Environment Policy Setting",
    "lab.batch": "simulate",
    "lab.log": "Log replay_log",
    "lab.matched": "ContextLog read_context_log replay_contexts",
    "lab.paused": "PausedPlay",
    "lab.scenario": "Scenario",
    "lab.trace": "Trace",
    "online.learner": "Decision Learner",
    "parts": "About parameter",
    "pictures.regret": "plot",
    "policies.bonus_thompson": "BonusThompson",
    "policies.epsilon_greedy": "EpsilonGreedy",
    "policies.exp3": "Exp3",
    "policies.floor": "Floor",
    "policies.samba": "Samba",
    "policies.thompson": "Thompson",
    "policies.tsallis_inf": "TsallisInfIw TsallisInfRv",
    "policies.ucb1": "Ucb1",
    "redteam.advice": "advise",
    "redteam.ask": "find_price find_worst_attack",
    "schedule": "Schedule Timetable",
    "state": "load_state save_state",
    "study.ask": "StudyResults read_results run_study",
    "theory.optimal_attack": "optimal_attack",
}
PLACES = {name: home for home, names in HOMES.items() for name in names.split()}
NAMESPACES = ("adversaries", "environments", "policies")
__all__ = ["__version__", *NAMESPACES, *PLACES]


def __getattr__(name: str) -> Any:
    if name in NAMESPACES:
        return import_module(f"robandit.{name}")
    if name not in PLACES:
        raise AttributeError(f"module 'robandit' has no attribute {name!r}")
    try:
        return getattr(import_module(f"robandit.{PLACES[name]}"), name)
    except ModuleNotFoundError as error:
        from robandit.extras import missing_extra

        raise missing_extra(error, f"robandit.{name}") or error from error


def __dir__() -> list[str]:
    return sorted(__all__)
