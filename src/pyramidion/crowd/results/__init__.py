"""Results of crowd evaluations, and their cost: one module for each question, with its function and its result.

* :mod:`~pyramidion.crowd.results.scores`: what did the crowd find?
* :mod:`~pyramidion.crowd.results.workers`: how did each worker judge?
* :mod:`~pyramidion.crowd.results.curves`: how much of a study is enough, and at what price?
* :mod:`~pyramidion.crowd.results.cost`: what does a study cost, as numbers, as a plan, or as an extension?
* :mod:`~pyramidion.crowd.results.selection`: which statements are judged?
* :mod:`~pyramidion.crowd.results.collection`: what did result files bring, and how far is the study?
* :mod:`~pyramidion.crowd.results.rehearsal`: does a study work, with simulated workers?
"""
