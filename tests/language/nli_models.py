"""Small models of the real library, random but fixed, saved where a test wants them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

SENTENCES = (
    "the a lake had lost all its fish council banned motor boats farmers let manure run into water and later said it "
    "was not clear who would pay for that . , ! two three years in before after nobody boat loud are gone"
)
WORDS = SENTENCES.split()
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
HEADS = {
    1: ["LABEL_0"],
    2: ["entailment", "not_entailment"],
    3: ["contradiction", "ENTAILMENT", "neutral"],
}


def _tokenizer(types: bool, pad: bool, side: str) -> Any:
    transformers = pytest.importorskip("transformers", reason="needs transformers: make neural")
    import tokenizers
    from tokenizers import models, normalizers, pre_tokenizers, processors

    made = tokenizers.Tokenizer(
        models.WordPiece({word: number for number, word in enumerate([*SPECIAL, *WORDS])}, unk_token="[UNK]")
    )
    made.normalizer = normalizers.BertNormalizer()
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    pair = "[CLS] $A [SEP] $B:1 [SEP]:1" if types else "[CLS] $A [SEP] [SEP] $B [SEP]"
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair=pair, special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    names = ["input_ids", *(["token_type_ids"] if types else []), "attention_mask"]
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=made,
        unk_token="[UNK]",
        pad_token="[PAD]" if pad else None,
        cls_token="[CLS]",
        sep_token="[SEP]",
        eos_token="[SEP]",
        model_input_names=names,
        padding_side=side,
    )


def _model(kind: str, labels: list[str], window: int) -> Any:
    torch = pytest.importorskip("torch", reason="needs torch: make neural")
    transformers = pytest.importorskip("transformers", reason="needs transformers: make neural")
    torch.manual_seed(7)
    torch.set_num_threads(1)  # on a loaded machine, threads of so small a model wait for each other
    size = len(SPECIAL) + len(WORDS)
    common = {"vocab_size": size, "id2label": dict(enumerate(labels)), "initializer_range": 0.4}
    if kind == "gpt2":
        config = transformers.GPT2Config(
            n_embd=32, n_layer=2, n_head=4, n_positions=window, bos_token_id=2, eos_token_id=3, **common
        )
        return transformers.GPT2ForSequenceClassification(config)
    common |= {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 64}
    if kind == "roberta":  # its places are counted from behind the padding's
        config = transformers.RobertaConfig(
            max_position_embeddings=window + 1, pad_token_id=0, type_vocab_size=1, **common
        )
        return transformers.RobertaForSequenceClassification(config)
    config = transformers.BertConfig(max_position_embeddings=window, **common)
    return transformers.BertModel(config) if kind == "encoder" else transformers.BertForSequenceClassification(config)


def saved(folder: Path, labels: list[str], kind: str = "bert", window: int = 64, side: str = "right") -> Path:
    """A model with these classes and its tokenizer, in a folder."""
    logging = pytest.importorskip("transformers", reason="needs transformers: make neural").utils.logging
    logging.disable_progress_bar()
    _model(kind, labels, window).save_pretrained(folder)
    _tokenizer(kind in ("bert", "encoder"), kind != "gpt2", side).save_pretrained(folder)
    logging.enable_progress_bar()
    return folder
