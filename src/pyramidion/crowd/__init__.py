"""Lightweight pyramids by a crowd (Shapira et al. 2019): from a plan and its price to votes, decisions and scores.

*Writing* (phase 1): workers write statements about references, of which some are selected. *Judging* (phase 2): other
workers say of each statement whether a system's summary says it. In the order of a study:

* :mod:`~pyramidion.crowd.design` and :mod:`~pyramidion.crowd.cost`: how many of everything, and what it costs;
* :mod:`~pyramidion.crowd.study`: the study as a value and a file; :mod:`~pyramidion.crowd.plan` makes and extends it,
  with attention checks (``checks``), and ``assignment`` says who does what;
* :mod:`~pyramidion.crowd.page`: the page of one task; :mod:`~pyramidion.crowd.pages` writes all pages of a phase, and
  :mod:`~pyramidion.crowd.server` serves them, with the order of service (``desk``), what a worker sees of it
  (``counter``), signed tasks (``tickets``) and the names that the server answers to (``hosts``);
* :mod:`~pyramidion.crowd.answers`: what workers send, read, checked and stored;
* :mod:`~pyramidion.crowd.statements`: from written statements to those that are judged;
* :mod:`~pyramidion.crowd.judging`: votes, workers, decisions;
* :mod:`~pyramidion.crowd.scores`: scores, pyramids, and what fewer workers, statements or topics would have given;
* :mod:`~pyramidion.crowd.rehearsal`: all of it with simulated workers.
"""
