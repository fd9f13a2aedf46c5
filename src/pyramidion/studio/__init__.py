"""The studio: make pyramids, annotate peers and read results in the browser.

A *workspace* is a database that holds *projects*; a project holds *topics*. What people edit is a
:class:`~pyramidion.studio.log.documents.Document`: a topic of the model, with its references, pyramid, peers and
annotations, so that scores, formats and matchers work on it as it is. Every edit is an *operation*
(:mod:`~pyramidion.studio.log.operations`), kept in a log that is the history, the undo stack and the audit log in one
(:mod:`~pyramidion.studio.log.store`). A project's *crowd studies* (:mod:`~pyramidion.studio.crowd_studies`) are those
of :mod:`pyramidion.crowd`, with their answers in the same database.
"""
