"""A study whose texts want to be more than text."""

from __future__ import annotations

from pyramidion.crowd.design import Design
from pyramidion.crowd.plan import judging_tasks, plan
from pyramidion.crowd.study import Statement, Study
from pyramidion.model import Summary, Topic

HOSTILE = (
    '=HYPERLINK("http://x.invalid") <img src=x onerror="window.ran=1"><script>window.ran=1</script></script>'
    "</textarea></title><!-- ${summary_text} ${x} {{ 7*7 }} {% raw %} \"two\" 'one' `tick` &lt; &amp; \\ \N{HEBREW LETTER SHIN}"
    "\N{HEBREW LETTER LAMED} \u202eturned\u202c \N{GRINNING FACE} ]]> Ends here, on the first line.\n@SUM(1) The second line."
)

LAKE = (
    "Forty thousand fish died in the lake of Hallowby in 1988. Phosphorus from farms had poisoned the water. "
    "Pumps that blew in oxygen achieved nothing. Reed beds were planted along the northern shore. "
    "Mussels were laid on the lake floor by divers. The phosphorus content fell to a sixth by 2018. "
    "Swimmers came back to the beach in 2019. Other towns sent engineers to study the method. "
    "The council paid farmers for unploughed strips. Weed now fills half of the harbour."
)


def small(*, workers: int = 2, checks: int = 1, systems: int = 2, per_task: int = 4) -> Study:
    """two topics, the second hostile, with writing and judging tasks: two of them for each summary."""
    topics = [
        Topic(
            "lake",
            (Summary("r1", LAKE, "reference"),),
            tuple(Summary(f"sys{n}", LAKE[n * 60 :], "peer") for n in range(systems)),
        ),
        Topic(
            "<b>bad",
            (Summary("r1", HOSTILE, "reference"),),
            tuple(Summary(f"sys{n}", f"{HOSTILE} {n}", "peer") for n in range(systems)),
        ),
    ]
    design = Design(writers=2, written=8, sample=6, per_task=per_task, workers=workers, checks=checks)
    study = plan(topics, design, name="hostile <study> ${x}")
    facts = LAKE.split(". ")[:6]
    statements = [Statement(f"s{n}", "lake", "r1", fact) for n, fact in enumerate(facts)]
    statements += [Statement(f"x'{n}", "<b>bad", "r1", f"{HOSTILE} {n}") for n in range(6)]
    return judging_tasks(study, statements)
