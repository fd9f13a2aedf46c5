"""The Pyramid Method as a metric of Hugging Face's evaluate, which loads this file by its folder's path."""

from statistics import fmean

import datasets
import evaluate

from pyramidion.evaluation.evaluate import evaluate as score
from pyramidion.model import Summary, Topic

_DESCRIPTION = """\
What content did a summary get right? References become a pyramid of content units, weighted by how many references
express them, and a prediction is scored by the units that it expresses (Nenkova et al. 2007).
"""
_CITATION = """\
@article{nenkova2007pyramid,
  title={The Pyramid Method: Incorporating human content selection variation in summarization evaluation},
  author={Nenkova, Ani and Passonneau, Rebecca and McKeown, Kathleen},
  journal={ACM Transactions on Speech and Language Processing},
  volume={4}, number={2}, year={2007}
}
"""
_INPUTS = """\
Args:
    predictions: summaries, one a topic.
    references: for each prediction its reference summary, or a list of them.
    method: who builds pyramids and matches predictions; `pyramidion methods` lists the names.
Returns:
    coverage, quality: means over predictions.
    scores: coverage and quality of each prediction; None, which the means leave out, for one that is None.
    signature: how the numbers were made.
"""


class PyramidScore(evaluate.Metric):
    """Coverage and quality, in the mean and for each prediction."""

    def _info(self):
        texts, text = datasets.Sequence(datasets.Value("string")), datasets.Value("string")
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_INPUTS,
            features=[
                datasets.Features({"predictions": text, "references": texts}),
                datasets.Features({"predictions": text, "references": text}),
            ],
        )

    def _compute(self, predictions, references, method="pyramidion"):
        topics = []
        for number, (prediction, given) in enumerate(zip(predictions, references, strict=True), start=1):
            texts = [given] if isinstance(given, str) else given
            models = tuple(Summary(str(place), text) for place, text in enumerate(texts, start=1))
            peers = () if prediction is None else (Summary("prediction", prediction, "peer"),)
            topics.append(Topic(f"{number:09}", models, peers))
        evaluation = score(topics, method)
        columns = {name: evaluation.values(name) for name in ("coverage", "quality")}
        scores = [{name: column.get((topic.id, "prediction")) for name, column in columns.items()} for topic in topics]
        means = {name: fmean(column.values()) if column else None for name, column in columns.items()}
        return {**means, "scores": scores, "signature": str(evaluation.signature)}
