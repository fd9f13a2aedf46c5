"""Text to sentences, clauses, discourse units and vectors: the only package that knows NLP libraries."""

from pyramidion.language.parse.analysers import ANALYSERS, Analyser, analyse, analyser
from pyramidion.language.parse.analysis import ROOT, Analysis, LanguageError, Word

__all__ = ["ANALYSERS", "ROOT", "Analyser", "Analysis", "LanguageError", "Word", "analyse", "analyser"]
