"""A corpus through a method: the work list, the engines that do it, and the store that keeps it.

* :mod:`~pyramidion.evaluation.corpus` is what a run reads: topics that can be read again, and what tells them from
  others.
* :mod:`~pyramidion.evaluation.worklist` cuts topics into items (:class:`~pyramidion.evaluation.worklist.Item`).
* :mod:`~pyramidion.evaluation.work` says what is done to an item, and what comes of it
  (:class:`~pyramidion.evaluation.work.Outcome`).
* :mod:`~pyramidion.evaluation.engines` do the items, here or elsewhere, several at once.
* :mod:`~pyramidion.evaluation.store` keeps what comes of them as it comes, and :mod:`~pyramidion.evaluation.record`
  what decides it; :mod:`~pyramidion.evaluation.run` is both in one folder, with one driver at a time
  (:mod:`~pyramidion.evaluation.lock`).
"""
