"""A corpus through a method: the work list, the engines that do it, and the store that keeps it.

* :mod:`~pyramidion.runs.corpus` is what a run reads: topics that can be read again, and what tells them from others.
* :mod:`~pyramidion.runs.worklist` cuts topics into items (:class:`~pyramidion.runs.worklist.Item`).
* :mod:`~pyramidion.runs.work` says what is done to an item, and what comes of it
  (:class:`~pyramidion.runs.work.Outcome`).
* :mod:`~pyramidion.runs.engines` do the items, here or elsewhere, several at once.
* :mod:`~pyramidion.runs.store` keeps what comes of them as it comes, and :mod:`~pyramidion.runs.record` what decides
  it; :mod:`~pyramidion.runs.run` is both in one folder, with one driver at a time (:mod:`~pyramidion.runs.lock`).
"""
