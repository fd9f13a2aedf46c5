"""What a crowd's answers say, and what asking costs: one module for each question, with its function and its result."""

from pyramidion.studies.crowd.collection import Collection, collect
from pyramidion.studies.crowd.cost import (
    CrowdCost,
    CrowdExtension,
    CrowdPlan,
    crowd_cost,
    crowd_extension,
    crowd_plan,
    planned_cost,
)
from pyramidion.studies.crowd.curves import CrowdCurves, crowd_curves
from pyramidion.studies.crowd.rehearsal import CrowdRehearsal, crowd_rehearsal
from pyramidion.studies.crowd.scores import CrowdEvaluation, crowd_scores
from pyramidion.studies.crowd.selection import CrowdSelection, ReviewList, crowd_selection, review_list
from pyramidion.studies.crowd.workers import CrowdWorkers, crowd_workers

__all__ = [
    "Collection",
    "CrowdCost",
    "CrowdCurves",
    "CrowdEvaluation",
    "CrowdExtension",
    "CrowdPlan",
    "CrowdRehearsal",
    "CrowdSelection",
    "CrowdWorkers",
    "ReviewList",
    "collect",
    "crowd_cost",
    "crowd_curves",
    "crowd_extension",
    "crowd_plan",
    "crowd_rehearsal",
    "crowd_scores",
    "crowd_selection",
    "crowd_workers",
    "planned_cost",
    "review_list",
]
