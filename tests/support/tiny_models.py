"""Tiny models with random weights, built without a download. Needs `pip install 'gem-ma[hf]'`."""

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest
import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import (
    CLIPVisionConfig,
    LlamaConfig,
    LlamaForCausalLM,
    LlavaConfig,
    LlavaForConditionalGeneration,
    LlavaProcessor,
    PreTrainedTokenizerFast,
    Qwen2Config,
    Qwen2ForCausalLM,
    Qwen2VLConfig,
    Qwen2VLForConditionalGeneration,
)
from transformers.models.llava.image_processing_pil_llava import LlavaImageProcessorPil
from transformers.models.qwen2_vl.image_processing_pil_qwen2_vl import Qwen2VLImageProcessorPil

from gem_ma.agents.vision_processors import Qwen2VLProcessor

SPECIAL = [
    "<|endoftext|>",
    "<|im_start|>",
    "<|im_end|>",
    "<|vision_start|>",
    "<|vision_end|>",
    "<|image_pad|>",
    "<|video_pad|>",
]
CORPUS = ["You are playing a board game.", "system user assistant tool", "What do you see?"]
TEMPLATE = (
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n"
    "{% if m['content'] is string %}{{ m['content'] }}{% else %}{% for c in m['content'] %}"
    "{% if c['type'] == 'image' or 'image' in c or 'image_url' in c %}"
    "<|vision_start|><|image_pad|><|vision_end|>"
    "{% elif 'text' in c %}{{ c['text'] }}{% endif %}{% endfor %}{% endif %}<|im_end|>\n"
    "{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


def tokenizer(vocab=512, template=TEMPLATE, image="<|image_pad|>", corpus=CORPUS):
    """Return a tokenizer with Qwen's special tokens, `image` for a picture's; it knows `corpus`."""
    raw = Tokenizer(models.BPE())
    raw.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    raw.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocab,
        special_tokens=[*SPECIAL, image] if image not in SPECIAL else SPECIAL,
        show_progress=False,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
    )
    raw.train_from_iterator(corpus, trainer)
    return PreTrainedTokenizerFast(
        tokenizer_object=raw,
        eos_token="<|im_end|>",
        pad_token="<|endoftext|>",
        chat_template=template,
        extra_special_tokens={"image_token": image, "video_token": "<|video_pad|>"},
    )


def _text_config(tokenizer, hidden):
    ids = tokenizer.convert_tokens_to_ids
    return Qwen2Config(
        vocab_size=len(tokenizer),
        hidden_size=hidden,
        intermediate_size=2 * hidden,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=8192,
        eos_token_id=ids("<|im_end|>"),
        pad_token_id=ids("<|endoftext|>"),
        bos_token_id=None,
    )


def llm(tokenizer, seed=0, hidden=32):
    """Return a Qwen2 of about 40,000 weights."""
    torch.manual_seed(seed)
    return Qwen2ForCausalLM(_text_config(tokenizer, hidden)).eval()


LLAVA_TEMPLATE = TEMPLATE.replace("<|vision_start|><|image_pad|><|vision_end|>", "<image>")


def llava(seed=0, side=112, patch=14, hidden=32):
    """Return a LLaVA of about 90,000 weights and its processor, of classes that transformers loads.

    A picture becomes 64 tokens.
    """
    raw = tokenizer(template=LLAVA_TEMPLATE, image="<image>")
    processor = LlavaProcessor(
        image_processor=LlavaImageProcessorPil(
            size={"shortest_edge": side}, crop_size={"height": side, "width": side}
        ),
        tokenizer=raw,
        patch_size=patch,
        vision_feature_select_strategy="default",
        chat_template=LLAVA_TEMPLATE,
        num_additional_image_tokens=1,
    )
    config = LlavaConfig(
        vision_config=CLIPVisionConfig(
            hidden_size=hidden,
            intermediate_size=2 * hidden,
            num_hidden_layers=3,
            num_attention_heads=2,
            image_size=side,
            patch_size=patch,
            projection_dim=hidden,
        ),
        text_config=_text_config(raw, hidden),
        image_token_id=raw.convert_tokens_to_ids("<image>"),
        vision_feature_layer=-2,
        vision_feature_select_strategy="default",
        image_seq_length=(side // patch) ** 2,
    )
    torch.manual_seed(seed)
    return LlavaForConditionalGeneration(config).eval(), processor


def vlm_processor():
    """Return a processor of pictures and texts for `vlm`."""
    return Qwen2VLProcessor(Qwen2VLImageProcessorPil(), tokenizer(), chat_template=TEMPLATE)


def vlm(processor, seed=0, hidden=32):
    """Return a Qwen2-VL of about 125,000 weights."""
    ids = processor.tokenizer.convert_tokens_to_ids
    config = Qwen2VLConfig(
        text_config={
            "vocab_size": len(processor.tokenizer),
            "hidden_size": hidden,
            "intermediate_size": 2 * hidden,
            "num_hidden_layers": 2,
            "num_attention_heads": 4,
            "num_key_value_heads": 2,
            "max_position_embeddings": 32768,
            "rope_parameters": {
                "rope_type": "default",
                "rope_theta": 10000.0,
                "mrope_section": [1, 1, 2],
            },
            "bos_token_id": None,
            "eos_token_id": ids("<|im_end|>"),
            "pad_token_id": ids("<|endoftext|>"),
        },
        vision_config={
            "depth": 2,
            "embed_dim": hidden,
            "hidden_size": hidden,
            "num_heads": 2,
            "patch_size": 14,
        },
        image_token_id=ids("<|image_pad|>"),
        video_token_id=ids("<|video_pad|>"),
        vision_start_token_id=ids("<|vision_start|>"),
        vision_end_token_id=ids("<|vision_end|>"),
    )
    torch.manual_seed(seed)
    return Qwen2VLForConditionalGeneration(config).eval()


GGUF_LAYERS = {  # in a file, and in transformers
    "attn_norm": "input_layernorm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "ffn_norm": "post_attention_layernorm",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}


def llama(tokenizer, seed=0):
    """Return a Llama of about 40,000 weights, with fewer heads of keys than of queries."""
    torch.manual_seed(seed)
    return LlamaForCausalLM(
        LlamaConfig(
            vocab_size=len(tokenizer),
            hidden_size=32,
            intermediate_size=64,
            num_hidden_layers=2,
            num_attention_heads=4,
            num_key_value_heads=2,
            max_position_embeddings=4096,
            rms_norm_eps=1e-5,
            bos_token_id=None,
            eos_token_id=tokenizer.eos_token_id,
            pad_token_id=tokenizer.pad_token_id,
            tie_word_embeddings=True,
        )
    ).eval()


def write_gguf(path, model, tokenizer):
    """Write a Llama and a tokenizer of byte pairs, with its chat template, into a GGUF file.

    It is laid out as llama.cpp's converter does. Needs `pip install 'gem-ma[gguf]'`.
    """
    import gguf

    config = model.config
    writer = gguf.GGUFWriter(str(path), "llama")
    writer.add_context_length(config.max_position_embeddings)
    writer.add_embedding_length(config.hidden_size)
    writer.add_block_count(config.num_hidden_layers)
    writer.add_feed_forward_length(config.intermediate_size)
    writer.add_head_count(config.num_attention_heads)
    writer.add_head_count_kv(config.num_key_value_heads)
    writer.add_rope_dimension_count(config.hidden_size // config.num_attention_heads)
    writer.add_rope_freq_base(10000.0)
    writer.add_layer_norm_rms_eps(config.rms_norm_eps)
    writer.add_vocab_size(config.vocab_size)
    _add_tokenizer(writer, tokenizer)
    weights = model.state_dict()
    _add_weight(writer, "token_embd", weights["model.embed_tokens.weight"])
    _add_weight(writer, "output_norm", weights["model.norm.weight"])
    heads = {"attn_q": config.num_attention_heads, "attn_k": config.num_key_value_heads}
    for layer in range(config.num_hidden_layers):
        for name, ours in GGUF_LAYERS.items():
            weight = weights[f"model.layers.{layer}.{ours}.weight"]
            if name in heads:  # rotated in pairs of neighbours there, of halves in transformers
                parts = weight.reshape(heads[name], 2, -1, weight.shape[1])
                weight = parts.swapaxes(1, 2).reshape(weight.shape)
            _add_weight(writer, f"blk.{layer}.{name}", weight)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _add_weight(writer, name, weight):
    writer.add_tensor(f"{name}.weight", weight.contiguous().numpy())


def _add_tokenizer(writer, tokenizer):
    from gguf import TokenType

    ids = tokenizer.get_vocab()
    special = {token.content for token in tokenizer.added_tokens_decoder.values()}
    kinds = TokenType.CONTROL, TokenType.NORMAL
    words = sorted(ids, key=ids.__getitem__)
    merges = json.loads(tokenizer.backend_tokenizer.to_str())["model"]["merges"]
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("smollm")
    writer.add_token_list(words)
    writer.add_token_types([kinds[word not in special] for word in words])
    writer.add_token_merges([" ".join(pair) for pair in merges])
    writer.add_bos_token_id(tokenizer.pad_token_id)
    writer.add_eos_token_id(tokenizer.eos_token_id)
    writer.add_pad_token_id(tokenizer.pad_token_id)
    writer.add_chat_template(tokenizer.chat_template)


@contextlib.contextmanager
def serving(model, processor, folder):
    """Run `transformers serve` with a model; yield its URL, and the model's name there."""
    model.save_pretrained(folder / "model")
    processor.save_pretrained(folder / "model")
    with serving_saved(folder / "model", folder) as served:
        yield served


@contextlib.contextmanager
def serving_saved(model, folder):
    """Run `transformers serve` with a model's folder; `folder` is for its log and its cache."""
    command = shutil.which("transformers", path=str(Path(sys.executable).parent))
    if command is None:
        pytest.skip("pip install 'transformers[serving]'")
    (folder / "cache").mkdir()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    log = (folder / "log").open("wb")
    server = subprocess.Popen(
        [command, "serve", str(model), "--host", "127.0.0.1", "--port", str(port),
         "--device", "cpu"],
        stdout=log,
        stderr=log,
        env={**os.environ, "HF_HUB_OFFLINE": "1", "HF_HUB_CACHE": str(folder / "cache")},
        start_new_session=True,
    )  # fmt: skip
    try:
        for _ in range(600):
            assert server.poll() is None, (folder / "log").read_text()
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=5).close()
                break
            except OSError:
                time.sleep(0.5)
        yield f"http://127.0.0.1:{port}/v1", str(model)
    finally:
        os.killpg(server.pid, signal.SIGTERM)
        server.wait(30)
        log.close()
