"""The named methods: for each a builder and a matcher that belong together."""

from __future__ import annotations

from dataclasses import dataclass

from pyramidion.base.tables import Table
from pyramidion.notes import note

GIVEN = "given"
"""In the builder's place: the corpus's own pyramids; in the matcher's: its annotations."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """A name for a builder and a matcher that belong together."""

    name: str
    title: str
    cite: str
    builder: str = GIVEN
    matcher: str = GIVEN
    sources: bool = False
    """True if it needs the source documents."""


RECIPES = (
    Recipe("pyramidion", "statements grouped by meaning, read by a network", "ours", "meaning", "entails"),
    Recipe("pyreval", "PyrEval: greedy pyramids and matching", "Gao et al. 2019", "edua-g", "wmin"),
    Recipe("pyreval-c", "PyrEval: pyramids of highest attraction", "Gao et al. 2019", "edua-c", "wmin"),
    Recipe("peak", "PEAK: subject-predicate-object triples", "Yang et al. 2016", "peak", "peak"),
    Recipe("lite", "the references' statements, each by its probability", "Zhang and Bansal 2021", "lite", "entails"),
    Recipe("edu-align", "source EDUs that align with the references", "Hirao et al. 2018", "edu-align", "edu", True),
    Recipe("edu-oracle-rouge", "source EDUs of highest ROUGE", "Hirao et al. 2018", "edu-oracle-rouge", "edu", True),
    Recipe("edu-oracle-be", "source EDUs with most basic elements", "Hirao et al. 2018", "edu-oracle-be", "edu", True),
    Recipe("manual", "the corpus's own pyramids and annotations", "Nenkova et al. 2007"),
)


def methods_table() -> Table:
    """Return the table of the named methods."""
    rows = tuple((recipe.name, recipe.builder, recipe.matcher, recipe.title, recipe.cite) for recipe in RECIPES)
    return Table(("method", "builder", "matcher", "what it does", "source"), rows)


DEFAULT_METHOD = "pyramidion"
"""What ``evaluate`` does when nobody says otherwise."""
DEFAULT_MATCHER = next(recipe.matcher for recipe in RECIPES if recipe.name == DEFAULT_METHOD)


def say_if_ignored(method: str) -> None:
    """Warn users of the default method that it ignores the annotations of the corpus."""
    if method == DEFAULT_METHOD:
        note(
            f"The corpus has annotations of its own, which the method {method!r} ignores; "
            "the method 'manual' scores them"
        )
