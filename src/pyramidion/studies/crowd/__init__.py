"""What a crowd's answers say, and what asking costs: one module for each question, with its function and its result.

* :mod:`~pyramidion.studies.crowd.scores`: what did the crowd find?
* :mod:`~pyramidion.studies.crowd.workers`: how did each worker judge?
* :mod:`~pyramidion.studies.crowd.curves`: how much of a study is enough, and at what price?
* :mod:`~pyramidion.studies.crowd.cost`: what does a study cost, as numbers, as a plan, or as an extension?
* :mod:`~pyramidion.studies.crowd.selection`: which statements are judged?
* :mod:`~pyramidion.studies.crowd.collection`: what did result files bring, and how far is the study?
* :mod:`~pyramidion.studies.crowd.rehearsal`: does a study work, with simulated workers?
"""
