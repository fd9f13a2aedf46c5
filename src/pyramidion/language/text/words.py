r"""Words by offsets: the *syntactic words* of Universal Dependencies, as the English treebanks EWT and GUM cut them.

A tokenizer of our own, because everything behind it (parser, clauses, EDUs) points into the user's text: words are
spans ``(start, end)`` of it, in order, without overlap and without white space inside, and every character that is not
white space is in one; so words and gaps give the text back exactly.

The conventions are those of UD English (Silveira et al. 2014, "A gold standard dependency corpus for English", and
Zeldes 2017, "The GUM corpus"): clitics are words (``do|n't``, ``can|not``, ``gon|na``), hyphenated words are cut at
the hyphen unless they begin with a bound prefix (``adult|-|learned``, ``non-profit``), a unit is cut from its number
(``5|km``), addresses are one word, and the full stop of an abbreviation is part of it except where it also ends the
sentence (``5 p.m|.``). Scripts written without spaces (Han, kana, Thai, Lao, Khmer, Burmese) give a word per
character, as Unicode Standard Annex 29 does for ideographs; a pictograph with its modifiers and joiners is one word.

We deviate from the treebanks where only a reader can know: ``its`` for ``it's`` is cut only before words that tell
(``its a``), and words run together by mistake (``lastnight``) stay whole.

One regular expression finds a candidate, and a rule named after its group cuts it. Every repetition in it is
possessive, bounded, or consumes what it reads, so that the time is linear in the text, whatever the text is.
"""

from __future__ import annotations

import re
from itertools import pairwise

_NEVER_LAST = """
    mr mrs ms mx dr prof rev gen col lt sgt capt cpt cmdr adm maj gov sen rep reps sens hon st ste ft mt mlle mme
    messrs pres fr br vs viz cf eg ie fig figs vol vols pp approx ca esp eds spec mob ph attn para
"""
_MAY_BE_LAST = """
    jr sr inc ltd co corp llc bros etc al dept univ assn assoc ave blvd rd jan feb mar apr jun jul aug sep sept oct
    nov dec mon tue tues wed thu thur thurs fri sat sun lb lbs oz yr yrs hr hrs min mins sec ext conf div rec dom
    tel que ala ariz cal calif colo conn fla ill minn okla tex va wash wis ont ed trans arrv no nos a.m p.m u.s u.k
    u.n d.c e.g i.e ph.d m.d b.a m.a b.sc m.sc m.s p.s p.o l.a u.s.a a.k.a n.d o.j t.v
"""
_ALSO_WORDS = "mar sat sun no min sec ed co ill wash fig rec dom va jun mon wed ext que ph para spec mob ca eds"

TITLES = frozenset(_NEVER_LAST.split())
"""Abbreviations, in lower case, after which a sentence does not end: their full stop is always theirs."""

ABBREVIATIONS = TITLES | frozenset(_MAY_BE_LAST.split())
"""Words, in lower case and without their last full stop, that a full stop may belong to."""

_AMBIGUOUS = frozenset(_ALSO_WORDS.split())
"""Abbreviations that are words too: taken for one only where capitalised with a word to come, or before a number."""

_PREFIXES = (
    "ante|anti|arch|bi|bio|co|counter|cross|de|e|ex|extra|hyper|infra|inter|intra|macro|mega|meta|micro|mid|mini|mis|mono|"
    "multi|neo|non|over|para|poly|post|pre|pro|proto|pseudo|psycho|re|semi|socio|sub|super|supra|tele|trans|tri|ultra|un|uni|under"
)

_UNITS = (
    "am|pm|a\\.m|p\\.m|AM|PM|k|K|m|M|mm|MM|b|B|bn|t|cm|km|kg|g|mg|lb|lbs|ft|in|mi|mph|kph|hz|Hz|khz|kHz|mhz|MHz|ghz|GHz|"
    "kb|KB|mb|MB|gb|GB|tb|TB|ml|mL|l|oz|x|hr|hrs|min|mins|sec|secs|yr|yrs|kW|MW|GW|kV|px|percent"
)

# Combining marks, joiners and invisible signs, which \w does not hold; they belong to the letter before them.
_MARKS = (
    "\u00ad\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670"
    "\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u0711\u0730-\u074a\u07a6-\u07b0\u0900-\u0963\u0971-\u0df3"
    "\u0f18-\u0f19\u0f35\u0f37\u0f39\u0f3e-\u0f84\u1a55-\u1a7f\u1ab0-\u1aff\u1b00-\u1b44\u1dc0-\u1dff\u200b-\u200f"
    "\u202a-\u202e\u2060-\u2064\u2066-\u206f\u20d0-\u20f0\ufe00-\ufe0f\ufe20-\ufe2f\ufeff"
)
_W = rf"[\w{_MARKS}]"

_SINGLE = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3040-\u30ff\u3100-\u312f\u31a0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\ua9e0-\ua9ff\uaa60-\uaa7f\uf900-\ufaff\uff66-\uff9f\U00016fe0-\U00018cff\U0001b000-\U0001b2ff\U00020000-\U000323af"
)
_SINGLES = re.compile(
    f"[{_SINGLE}][{_MARKS}\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ece\u102b-\u103e\u17b4-\u17d3\u3099\u309a]*+"
    f"|[^{_SINGLE}]++"
)

_PICTOGRAPH = (
    "[\u2190-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff]"
    "[\ufe0e\ufe0f\u20e3\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]*+"
)

_CANDIDATE = re.compile(
    rf"""
    (?P<space>\s++)
  | (?P<letters>[^\W\d_]++)(?=[\s,;!?)"])                                          # most words: the short way
  | (?P<url>(?:(?:https?|ftp)://|www\.|mailto:)[^\s<>"\u201c\u201d]++)
  | (?P<whole>
        [\w.+%\-]{{1,64}}+@\w[\w\-]{{0,62}}+(?:\.\w[\w\-]{{0,62}}+){{0,8}}        # an address
      | [#@](?=[^\W\d]){_W}++                                                       # a hashtag, a mention
      | (?:[:;=]['\u2019]?-?[()\[\]DPpOo|]|:-?/|<3|\(:|>:\(|xD|XD|\^_?\^|-_-|o_O|O_o)(?![\w/(])   # an emoticon
      | (?:US|U|A|AU|C|CA|HK|NZ|R|S)\$
      | [\w\#\-]{{1,64}}+\.(?:DOC|XLS|PDF|TXT|ZIP                        # a file
          |docx?|xlsx?|pdf|pptx?|txt|zip|html?|jpe?g|gif|png|exe|csv|mp3|php)(?!\w)
      | (?<![\w.])\.(?=[a-z\d])\w++                                                 # .5, .doc
      | (?<!\w)\+\d++(?!-|\.\d)
      | (?!(?i:it|us|in|me|he|we|so|no|up|to|on|at|is)-)[^\W\d_][a-z]?-(?=[\s,.?!…]|\Z)   # a word broken off
      | \+?\d{{1,4}}[\-./]\d{{3}}[\-.]\d{{3,4}}(?:[\-.]\d{{4}})?(?![\w\-])          # a telephone number
      | \d{{3}}-\d{{4}}(?![\w\-])
      | \d{{1,4}}(?P<stroke>[/\-.])\d{{1,2}}(?P=stroke)\d{{2,4}}(?![\w/\-])         # a date
      | (?:0?[1-9]|1[0-2])/(?:[12]\d|3[01]|0?[1-9])(?![\w/\-])
      | (?i:w/o|w/out|s/he|b/t|b/c|l/c|i/c|o'clock|o\u2019clock|ma'am|[a-z]{{1,3}}&[a-z]{{1,3}})(?!\w)
      | (?i:(?:{_PREFIXES})-){_W}++(?!['\u2019])
      | ['\u2019](?i:em|til|till|cause|cuz|bout|n|s|\d\ds?)(?!\w)
      | [\U0001f1e6-\U0001f1ff]{{2}}                                                # a flag
      | (?:{_PICTOGRAPH})(?:\u200d{_PICTOGRAPH})*+                                  # a pictograph with joiners
    )
  | (?P<number>\d{{1,3}}(?:,\d{{3}})++(?:\.\d++)?+(?!,?\d)|\d++(?:[.:]\d++)++)(?P<unit>(?:{_UNITS})(?!\w))?
  | (?P<dotted>{_W}++(?:\.{_W}++)++\.?)
  | (?P<dot>[^\W\d_]{{1,6}}+\.)(?![\w.])
  | (?P<word>{_W}++(?:['\u2019`]{_W}++)*+)
  | (?P<run>\.\.++|[!?][!?]*+|(?:--|—)-*+|__++|==++|\*\*++|\+\++|~~++|''|``|\u2019\u2019|\u2018\u2018|\u2018\u2019
        |<<++|>>++|<?-+>|=+>|\#\#++|,,++|\$\$++|\.[?!]++)
  | (?P<sign>\S[{_MARKS}]*+)
    """,
    re.VERBOSE,
)

_CLITIC = frozenset(("'s", "'m", "'re", "'ve", "'ll", "'d"))
_FUSED = {
    "cannot": (3,), "gonna": (3,), "gotta": (3,), "wanna": (3,), "lotta": (3,), "outta": (3,), "gimme": (3,),
    "lemme": (3,), "dunno": (2, 3), "whatcha": (4,), "alot": (1,), "dont": (2,), "wont": (2,), "cant": (2,),
    "didnt": (3,), "doesnt": (4,), "isnt": (2,), "wasnt": (3,), "arent": (3,), "couldnt": (5,), "wouldnt": (5,),
    "shouldnt": (6,), "havent": (4,), "hasnt": (3,), "hadnt": (3,), "werent": (4,), "aint": (2,), "im": (1,),
    "ive": (1,), "youre": (3,), "youll": (3,), "youve": (3,), "theyre": (4,), "theyve": (4,), "thats": (4,),
    "theres": (5,), "whats": (4,), "hes": (2,), "shes": (3,), "heres": (4,), "lets": (3,), "elses": (4,),
    "whos": (3,), "y'all": (2,), "c'mon": (3,), "i'ma": (1, 3),
}  # fmt: skip
"""Words written as one, and where they are cut."""

_IT_IS = re.compile(
    r" (?:a|an|the|not|been|so|very|really|just|simply|like|also|only|all|still|now|my|your|for|from|in|at|on|"
    r"nothing|definitely|always|getting|going|too|easy|hard|great|worth|important|because|about|called|ok|okay|as|than|that)\b"
)
"""The words that follow ``its`` if it stands for ``it's``."""

_NUMBER_UNIT = re.compile(rf"(\d+)(?:{_UNITS})")
_ADDRESS = re.compile(
    r"(?i:\.(?:com|org|net|edu|gov|mil|int|info|biz|tv|io|uk|us|ca|de|fr|au|jp|eu|ru|ch|it|nl|co|doc|docx|xls|xlsx|pdf|ppt|txt|zip|"
    r"html?|jpe?g|gif|png|exe|csv|mp3|mp4|url|php|asp|py|js))\Z"
)
_END = re.compile(r"""["'\u201d\u2019)\]»]{0,3}+(?:\s*+\Z|[^\S\n]*+\n[^\S\n]*+\n)""")
_NEXT = re.compile(r"""["'\u201d\u2019)\]»]{0,3}+\s{1,4}+["'\u201c\u2018(\[«]?+(\w{1,40})""")
_APOSTROPHES = "'\u2019`"


def split_words(text: str) -> list[tuple[int, int]]:
    """Return the span of each word.

    >>> text = "Mr. O'Neil's e-mail can't cost $5,000.50 (or 3.5%)..."
    >>> [text[start:end] for start, end in split_words(text)]
    ['Mr.', "O'Neil", "'s", 'e-mail', 'ca', "n't", 'cost', '$', '5,000.50', '(', 'or', '3.5', '%', ')', '...']
    """
    spans: list[tuple[int, int]] = []
    place, search = 0, _CANDIDATE.search
    while match := search(text, place):
        start, place = match.span()
        kind = match.lastgroup
        if kind == "space":
            continue
        if kind == "letters" or kind == "word":
            _word(text, start, place, spans)
        elif kind == "number" or kind == "unit":
            spans.append(match.span("number"))
            if kind == "unit":
                place = match.start("unit")
        elif kind == "dotted":
            place = _dotted(text, start, place, spans)
        elif kind == "dot":
            place = _dot(text, start, place, spans)
        elif kind == "url":
            place = _url(text, start, place, spans)
        else:
            spans.append((start, place))
    return spans


def _word(text: str, start: int, end: int, spans: list[tuple[int, int]]) -> None:
    """Cut clitics and fused words off a run of letters, digits and apostrophes."""
    form = text[start:end]
    # No fused word is longer.
    if len(form) < 9 and (cuts := _fused(text, form, end)):
        places = [start, *(start + cut for cut in cuts), end]
        spans.extend(pairwise(places))
        return
    if form.isascii() and form.isalpha():
        spans.append((start, end))
        return
    if not form.isascii() and _SINGLES.match(form).end() < len(form):  # type: ignore[union-attr]
        spans.extend((start + single.start(), start + single.end()) for single in _SINGLES.finditer(form))
        return
    if unit := _NUMBER_UNIT.fullmatch(form):
        spans += [(start, start + unit.end(1)), (start + unit.end(1), end)]
        return
    closing: list[tuple[int, int]] = []
    if inside := form.strip("_"):
        first = start + form.index(inside)
        if first > start:
            spans.append((start, first))
        if first + len(inside) < end:
            closing.append((first + len(inside), end))
        start, end = first, first + len(inside)
    clitics: list[tuple[int, int]] = []
    while (cut := _clitic(text, start, end)) > start:
        clitics.append((cut, end))
        end = cut
    spans.append((start, end))
    spans.extend(reversed(clitics))
    spans.extend(closing)


def _fused(text: str, form: str, end: int) -> tuple[int, ...]:
    lower = form.lower().replace("\u2019", "'")
    if lower == "its":
        return (2,) if _IT_IS.match(text, end) else ()
    if len(form) < 4 and form.isupper():
        return ()
    return _FUSED.get(lower, ())


def _clitic(text: str, start: int, end: int) -> int:
    """Return the start of the last clitic of a word; the word's start if it has none."""
    cut = end - 1
    while cut > start and end - cut < 4 and text[cut] not in _APOSTROPHES:
        cut -= 1
    if cut <= start or text[cut] not in _APOSTROPHES:
        return start
    clitic = "'" + text[cut + 1 : end].lower()
    if clitic == "'t" and text[cut - 1] in "nN":
        return cut - 1
    if clitic == "'s" and text[cut - 1].isdigit():
        decade = text[cut - 1] == "0" or (cut - start > 1 and not text[cut - 3 : cut - 2].isdigit())
        return start if decade else cut
    return cut if clitic in _CLITIC else start


def _dotted(text: str, start: int, end: int, spans: list[tuple[int, int]]) -> int:
    """Cut words with full stops between them: an abbreviation, an address, or two sentences without a space."""
    stop = end - 1 if text[end - 1] == "." else end
    stem = text[start:stop]
    parts = stem.split(".")
    if all(len(part) == 1 for part in parts) or stem.lower() in ABBREVIATIONS:
        spans.append((start, _abbreviation_end(text, stem.lower(), stop, end)))
        return spans[-1][1]
    if (
        _ADDRESS.search(stem)
        or (len(parts) > 2 and stem.islower())
        or (parts[-1].isdigit() and parts[-2][-1:].isdigit())
    ):
        spans.append((start, stop))
        return stop
    for number, part in enumerate(parts):
        if number:
            spans.append((start, start + 1))
            start += 1
        _word(text, start, start + len(part), spans)
        start += len(part)
    return stop


def _dot(text: str, start: int, end: int, spans: list[tuple[int, int]]) -> int:
    """Cut a short word with a full stop: the stop is the word's or the sentence's. Return where to go on."""
    stem = text[start : end - 1]
    lower = stem.lower()
    if lower in ABBREVIATIONS and (lower not in _AMBIGUOUS or _abbreviates(text, stem, end)):
        spans.append((start, _abbreviation_end(text, lower, end - 1, end)))
        return spans[-1][1]
    if len(stem) == 1 and stem.isalpha() and stem.isascii() and not _END.match(text, end):
        following = _NEXT.match(text, end)
        if (stem.isupper() and stem != "I") or (following and following[1].isdigit()):
            spans.append((start, end))
            return end
    _word(text, start, end - 1, spans)
    return end - 1


def _abbreviates(text: str, stem: str, end: int) -> bool:
    following = _NEXT.match(text, end)
    if following is None:
        return False
    return following[1][0].isdigit() or (stem.lower() != "no" and stem[0].isupper())


_CLOSING = frozenset(("etc", "a.m", "p.m"))


def _abbreviation_end(text: str, stem: str, stop: int, end: int) -> int:
    """Return the end of an abbreviation: without its full stop where that ends the sentence too."""
    if stop == end or stem in TITLES:
        return end
    if _END.match(text, end):
        return stop if len(stem) > 1 and stem not in ("u.s", "u.k", "u.n", "d.c") else end
    following = _NEXT.match(text, end)
    if (
        stem in _CLOSING
        and following
        and following[1][0].isupper()
        and not (len(following[1]) > 1 and following[1].isupper())
    ):
        return stop
    return end


def _url(text: str, start: int, end: int, spans: list[tuple[int, int]]) -> int:
    """Cut a web address before the punctuation of its sentence. Return where to go on."""
    url = text[start:end].rstrip(".,;:!?'\u2019\")]}*_|")
    spans.append((start, start + len(url)))
    return spans[-1][1]
