"""How far do annotators agree?"""

from pyramidion.studies.agree.result import Reliability
from pyramidion.studies.agree.study import agree, paradigmatic_study

__all__ = ["Reliability", "agree", "paradigmatic_study"]
