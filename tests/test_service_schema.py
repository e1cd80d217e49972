"""The service against its own document: whatever schemathesis makes of it, no fault of ours and no broken promise."""

import os
from collections.abc import Iterator
from typing import Any

import pytest

from robandit.client import Client
from robandit.service.openapi import document
from tests.serving import Running, running

EXAMPLES = int(os.environ.get("ROBANDIT_EXAMPLES", "3"))  # of each route; verification asks for more
ROUTES = [(path, method) for path, methods in document()["paths"].items() for method in methods]


@pytest.fixture
def served() -> Iterator[Running]:
    with running() as service, Client(service.url) as client:
        one = client.create("known", ["a", "b"])
        for _ in range(3):
            one.reward(one.decide().id, 1.0)
        yield service


def test_no_request_breaks_the_document(served: Running) -> None:
    """One test of all routes: what schemathesis loads takes as long as its requests."""
    import schemathesis
    from hypothesis import HealthCheck, Phase, settings
    from schemathesis import checks
    from schemathesis.generation.feedback import FeedbackSources
    from schemathesis.pytest._test_builder import build_operation_test  # what its decorator calls, while collecting

    labels: list[str] = []

    @settings(
        max_examples=EXAMPLES,
        derandomize=True,
        deadline=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    def ask(case: Any) -> None:
        labels.append(case.operation.label)
        if "experiment" in case.path_parameters and len(str(case.path_parameters["experiment"])) % 2:
            case.path_parameters["experiment"] = "known"  # so that what lies behind it is reached
        response = case.call(base_url=served.url)
        assert response.status_code < 500, response.text
        # arms and ids must exist, too
        case.validate_response(response, excluded_checks=[checks.positive_data_acceptance])

    schema = schemathesis.openapi.from_dict(document())
    for path, method in ROUTES:
        check = build_operation_test(
            config=schema.config,
            operation=schema[path][method],
            test_func=ask,
            given_kwargs={},
            feedback=FeedbackSources(),
        )
        check()
    for path, method in ROUTES:
        assert labels.count(f"{method.upper()} {path}") >= EXAMPLES
