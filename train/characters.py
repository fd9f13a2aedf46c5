"""Write the classes of characters that WordPiece knows: ``python train/characters.py`` (needs ``tokenizers``).

BERT's tokenizer, as the package ``tokenizers`` has it, cleans texts by Unicode's tables of 2015 and changes letters by
those of its own release. Every character is given to it alone, and what it makes of it is kept: which vanish
(``gone``), which are ``accents``, which are ``signs``, and what becomes of a character where Python's own tables say
something else (``cleaned``). The same release gives the same bytes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from tokenizers import normalizers, pre_tokenizers

from pyramidion.language.text import word_pieces

TARGET = Path(word_pieces.__file__).parent / "data" / "characters.json"
CHARACTERS = [chr(number) for number in range(0x110000) if not 0xD800 <= number < 0xE000]


def ranges(characters: Iterable[str]) -> list[list[int]]:
    """Code points as ranges, ends included."""
    made: list[list[int]] = []
    for number in map(ord, characters):
        if made and made[-1][1] == number - 1:
            made[-1][1] = number
        else:
            made.append([number, number])
    return made


def main() -> None:
    """Ask about every character, write the table, and then what Python's tables get wrong."""
    clean = normalizers.BertNormalizer(strip_accents=False, lowercase=False, handle_chinese_chars=False).normalize_str
    bare = normalizers.BertNormalizer(clean_text=False, lowercase=False, handle_chinese_chars=False, strip_accents=True)
    cut = pre_tokenizers.BertPreTokenizer().pre_tokenize_str
    kept = [character for character in CHARACTERS if clean(character) == character]
    table: dict[str, object] = {
        "accents": ranges(character for character in kept if not bare.normalize_str(character)),
        "gone": ranges(character for character in CHARACTERS if not clean(character)),
        "signs": ranges(character for character in kept if len(cut(f"a{character}b")) == 3),
        "cleaned": {},
    }
    write(table)
    whole = normalizers.BertNormalizer().normalize_str
    table["cleaned"] = {
        character: whole(character) for character in kept if whole(character) != word_pieces._character(character)
    }
    write(table)
    print(f"{TARGET.name}: {TARGET.stat().st_size} bytes, {len(table['cleaned'])} characters of their own")  # type: ignore[arg-type]


def write(table: dict[str, object]) -> None:
    """Replace the table."""
    TARGET.write_text(json.dumps(table, ensure_ascii=True, sort_keys=True, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
