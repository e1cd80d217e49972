"""A provider for OpenFeature's Python SDK: flags are decided by the service, and tracked events reward them.

    provider = RobanditProvider(Client("http://127.0.0.1:8470"), events={"purchase": ["offers"]})
    openfeature.api.set_provider(provider)
    flags = openfeature.api.get_client()
    flags.get_string_value("offers", "red", EvaluationContext("visitor 17"))
    flags.track("purchase", EvaluationContext("visitor 17"), TrackingEventDetails(value=1.0))

It needs `pip install openfeature-sdk` and the extra `client`.
"""

import logging
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NoReturn

from openfeature.evaluation_context import EvaluationContext
from openfeature.exception import FlagNotFoundError, GeneralError, TypeMismatchError
from openfeature.flag_evaluation import FlagResolutionDetails, Reason
from openfeature.provider import AbstractProvider
from openfeature.provider.metadata import Metadata
from openfeature.track import TrackingEventDetails

from robandit.client import Client, ServedDecision, ServiceError

LOG = logging.getLogger("robandit.openfeature")
REMEMBERED = 100_000  # decisions that an event can still reward


class RobanditProvider(AbstractProvider):
    """Decides each flag anew, or as the experiment's rule `sticky` says; remembers the last decision for each unit."""

    def __init__(
        self,
        service: Client,
        events: Mapping[str, Sequence[str]],
        remembered: int = REMEMBERED,
        features: Mapping[str, Sequence[str]] = MappingProxyType({}),
    ) -> None:
        """Create a provider.

        Args:
            service: a client of the decision service.
            events: which flags a tracked event rewards, by the event's name; other events are left to others.
            remembered: decisions that an event can still reward.
            features: the attributes of the evaluation context that an experiment takes, by flag; none unless named.
        """
        super().__init__()
        self.service, self.events, self.remembered, self.features = service, events, remembered, features
        self.decisions: OrderedDict[tuple[str, str], ServedDecision] = OrderedDict()  # by flag and unit

    def get_metadata(self) -> Metadata:
        """Returns the provider's name."""
        return Metadata("robandit")

    def resolve_string_details(
        self, flag_key: str, default_value: str, evaluation_context: EvaluationContext | None = None
    ) -> FlagResolutionDetails[str]:
        """Returns an arm. Raises OpenFeature's errors, for which the SDK returns the default."""
        unit = None if evaluation_context is None else evaluation_context.targeting_key
        try:
            context = self.features_of(flag_key, evaluation_context)
            decision = self.service.experiment(flag_key).decide(unit=unit, context=context)
        except ServiceError as error:
            raise (FlagNotFoundError if error.status == 404 else GeneralError)(error.detail) from error
        if unit is not None:
            self.decisions[flag_key, unit] = decision
            self.decisions.move_to_end((flag_key, unit))
            if len(self.decisions) > self.remembered:
                self.decisions.popitem(last=False)
        metadata: dict[str, bool | int | float | str] = {"decision": decision.id, "holdout": decision.holdout}
        if decision.probability is not None:
            metadata["probability"] = decision.probability
        return FlagResolutionDetails(
            value=decision.arm, variant=decision.arm, reason=Reason.SPLIT, flag_metadata=metadata
        )

    def features_of(self, flag: str, evaluation_context: EvaluationContext | None) -> dict[str, Any] | None:
        """Returns what an experiment with features learns of whoever comes; None where a flag takes no features."""
        if flag not in self.features:
            return None
        attributes = {} if evaluation_context is None else evaluation_context.attributes
        return {name: attributes.get(name) for name in self.features[flag]}

    def track(
        self,
        tracking_event_name: str,
        evaluation_context: EvaluationContext | None = None,
        tracking_event_details: TrackingEventDetails | None = None,
    ) -> None:
        """Reward the last decision of each flag of an event, for this unit; by 1 where the event has no value.

        The unit is the source. What cannot be rewarded is logged: an event never breaks the program that reports it.
        """
        unit = None if evaluation_context is None else evaluation_context.targeting_key
        value = None if tracking_event_details is None else tracking_event_details.value
        for flag in self.events.get(tracking_event_name, ()):
            decision = None if unit is None else self.decisions.get((flag, unit))
            if decision is None:
                LOG.warning("the event %r rewards nothing: no decision of %r is known", tracking_event_name, flag)
                continue
            try:
                self.service.experiment(flag).reward(decision.id, 1.0 if value is None else value, source=unit)
            except (ServiceError, ConnectionError) as error:
                LOG.warning("the event %r rewards nothing: %s", tracking_event_name, error)

    def resolve_boolean_details(self, flag_key: str, *_: Any, **__: Any) -> NoReturn:
        """An arm is text."""
        raise TypeMismatchError(f"the flag {flag_key!r} is text: the name of an arm")

    resolve_integer_details = resolve_float_details = resolve_object_details = resolve_boolean_details
