"""The scenarios, in the order in which they run."""

import dataclasses
import types

from . import (burst, dra, extender_down, interruptions, manifests, odd_nodes, preemption, refused_later, replicas,
               spreading, story)


@dataclasses.dataclass(frozen=True)
class Scenario:
    name: str
    module: types.ModuleType
    since_minor: int = 0  # the first Kubernetes 1.X that can play it

    @property
    def title(self):
        return self.module.__doc__.splitlines()[0]


SCENARIOS = [
    Scenario("story", story),
    Scenario("burst", burst),
    Scenario("interruptions", interruptions),
    Scenario("extender-down", extender_down),
    Scenario("preemption", preemption),
    Scenario("odd-nodes", odd_nodes),
    Scenario("replicas", replicas),
    Scenario("spreading", spreading),
    Scenario("refused-later", refused_later),
    Scenario("dra", dra, since_minor=36),  # extended resources from DRA are off before
    Scenario("manifests", manifests),
]
