"""Characters to words: tokens, sentences without a parser, stems, lemmas, numbers, and which language it is."""
