"""Data between environments and models: turns, replies, conversations, contexts and tokens.

It may import game, validation, engine and renderers. Agents, rollouts and trainers are built on it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gem_ma.validation.lazy_imports import lazy_getattr

if TYPE_CHECKING:
    from gem_ma.chat.conversation import Conversation, make_tool_schemas
    from gem_ma.chat.image_tokens import MODEL_FAMILIES, count_image_tokens, snap_image_size
    from gem_ma.chat.messages import (
        keep_images,
        make_content,
        to_anthropic,
        to_gemini,
        to_hf,
        to_mcp,
        to_openai_chat,
        to_openai_responses,
        to_trl_row,
        to_verl_row,
        to_vllm,
    )
    from gem_ma.chat.model_calls import ModelCall, unpack_calls
    from gem_ma.chat.tokenization import ChatTokenizer
    from gem_ma.chat.turn import SearchPosition

__all__ = [
    "MODEL_FAMILIES",
    "ChatTokenizer",
    "Conversation",
    "ModelCall",
    "SearchPosition",
    "count_image_tokens",
    "keep_images",
    "make_content",
    "make_tool_schemas",
    "snap_image_size",
    "to_anthropic",
    "to_gemini",
    "to_hf",
    "to_mcp",
    "to_openai_chat",
    "to_openai_responses",
    "to_trl_row",
    "to_verl_row",
    "to_vllm",
    "unpack_calls",
]
__getattr__ = lazy_getattr(
    __name__,
    {
        "Conversation": "conversation",
        "make_tool_schemas": "conversation",
        "MODEL_FAMILIES": "image_tokens",
        "count_image_tokens": "image_tokens",
        "snap_image_size": "image_tokens",
        "keep_images": "messages",
        "make_content": "messages",
        "to_anthropic": "messages",
        "to_gemini": "messages",
        "to_hf": "messages",
        "to_mcp": "messages",
        "to_openai_chat": "messages",
        "to_openai_responses": "messages",
        "to_trl_row": "messages",
        "to_verl_row": "messages",
        "to_vllm": "messages",
        "ModelCall": "model_calls",
        "unpack_calls": "model_calls",
        "ChatTokenizer": "tokenization",
        "SearchPosition": "turn",
    },
)
