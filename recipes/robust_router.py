"""A strategy for LiteLLM's `Router.register_plugin` that asks a robandit learner; docs/router.md explains it."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import robandit as rb


class RobustRouter:
    """Chooses among the deployments of a model group, and learns from thumbs whose source is known."""

    def __init__(
        self, deployments: Sequence[Mapping[str, Any]], journal: Path | str, policy: str, seed: int | None = None
    ) -> None:
        self.deployments = {one["model_info"]["id"]: dict(one) for one in deployments}
        self.learner = rb.Learner(policy, list(self.deployments), journal=journal, seed=seed)

    def get_available_deployment(
        self,
        model: str,
        messages: Any = None,
        input: Any = None,
        specific_deployment: bool | None = False,
        request_kwargs: dict[str, Any] | None = None,
    ) -> dict[str, Any]:
        """The deployment for a request; the number of the decision goes into the request's metadata."""
        group = [name for name, one in self.deployments.items() if one["model_name"] == model]
        if not group:
            raise ValueError(f"no deployment of {model!r}, only of {sorted(self.groups())}")
        decision = self.learner.decide(eligible=group)
        if request_kwargs is not None:
            request_kwargs.setdefault("metadata", {})["decision"] = decision.id
        return self.deployments[decision.arm]

    async def async_get_available_deployment(self, *arguments: Any, **names: Any) -> dict[str, Any]:
        """The same for `acompletion`."""
        return self.get_available_deployment(*arguments, **names)

    def thumb(self, decision: int, is_good: bool, source: str) -> bool:
        """Learn a thumb, now or later; False if the decision had one already."""
        return self.learner.learn(decision, float(is_good), source=source)

    def groups(self) -> set[str]:
        """The model groups that there are deployments of."""
        return {one["model_name"] for one in self.deployments.values()}
