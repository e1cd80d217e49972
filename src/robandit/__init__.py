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
    "environments.linear": "LinearRewards",
    "environments.paths": "PathRewards",
    "environments.samples": "Samples",
    "errors": "InputError",
    "forensics.audit": "audit",
    "forensics.findings": "Audit",
    "forensics.log_files": "read_log",
    "forensics.reward_log": "ColumnNames RewardLog",
    "game": "Adversary Choice Environment Policy Setting",
    "lab.batch": "simulate",
    "lab.log": "Log replay_log",
    "lab.matched": "ContextLog logged_by_probability read_context_log replay_contexts",
    "lab.paused": "PausedPlay",
    "lab.scenario": "Scenario",
    "lab.trace": "Trace",
    "online.learner": "Decision Learner",
    "parts": "About parameter",
    "pictures.regret": "plot",
    "policies.aae": "Aae",
    "policies.barbar": "Barbar",
    "policies.barbat": "Barbat",
    "policies.bonus_thompson": "BonusThompson",
    "policies.cbarbar": "Cbarbar",
    "policies.draa": "Draa",
    "policies.epsilon_greedy": "EpsilonGreedy",
    "policies.exp3": "Exp3 Exp3Ix",
    "policies.exponential_samba": "BalancedSamba ExponentialSamba",
    "policies.fast_slow_aae": "FastSlowAae",
    "policies.floor": "Floor",
    "policies.ftpl": "Ftpl",
    "policies.ftrl_hybrid": "FtrlHybrid",
    "policies.kl_ucb": "KlUcb",
    "policies.known_c_aae": "KnownCAae",
    "policies.linear.linear_samba": "LinearSamba",
    "policies.linear.linear_softmax": "LinearSoftmax",
    "policies.linear.linear_thompson": "LinearThompson",
    "policies.linear.linucb": "CwOful LinUcb",
    "policies.multi_layer_aae": "MultiLayerAae",
    "policies.optimistic_thompson": "OptimisticThompson",
    "policies.optimistic_ucb": "OptimisticUcb",
    "policies.samba": "Samba",
    "policies.slates.bar": "SlateBar",
    "policies.slates.counting": "CombUcb1 SlateThompson",
    "policies.slates.listed_samba": "ListedSamba",
    "policies.slates.slate_cbarbar": "SlateCbarbar",
    "policies.slates.slate_hybrid": "SlateHybrid",
    "policies.slates.slate_samba": "SlateSamba",
    "policies.softmax_gradient": "SoftmaxGradient",
    "policies.teams.independent": "Independent",
    "policies.teams.team_draa": "TeamDraa",
    "policies.teams.team_samba": "TeamSamba",
    "policies.thompson": "Thompson TemperedThompson",
    "policies.tsallis_inf": "TsallisInfIw TsallisInfRv",
    "policies.trimmed_ucb": "TrimmedUcb",
    "policies.ucb1": "Ucb1",
    "policies.uniform": "Uniform",
    "state": "load_state save_state",
    "redteam.advice": "advise",
    "redteam.ask": "find_price find_worst_attack",
    "schedule": "Schedule ScheduleSetting Timetable",
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
    return getattr(import_module(f"robandit.{PLACES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
