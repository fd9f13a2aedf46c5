"""How far do annotators agree?"""

from pyramidion.analyses.agree.result import Reliability
from pyramidion.analyses.agree.study import agree, paradigmatic_study

__all__ = ["Reliability", "agree", "paradigmatic_study"]
