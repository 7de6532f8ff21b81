"""Chat templates as families of models have them, written anew from what they are known to do.

Each is what matters for a chat of many turns: which marks stand around messages, what becomes of
thoughts, tools, tool results and a system prompt, and what is refused.
"""

from typing import NamedTuple

from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast

CHATML = (
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] }}<|im_end|>\n"
    "{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)

# Thoughts of replies before the user's last message are dropped, results of tools are the user's,
# and enable_thinking=false closes a thought that was not thought.
QWEN3 = """
{%- set ns = namespace(last=-1) %}
{%- for m in messages %}
{%- if m.role == 'user' %}{% set ns.last = loop.index0 %}{% endif %}{% endfor %}
{%- if tools or messages[0].role == 'system' %}<|im_start|>system
{% if messages[0].role == 'system' %}{{ messages[0].content }}{% endif %}
{%- if tools %}

# Tools
<tools>{% for tool in tools %}
{{ tool | tojson }}{% endfor %}
</tools>{% endif %}<|im_end|>
{% endif %}
{%- for m in messages %}
{%- if m.role == 'user' %}<|im_start|>user
{{ m.content }}<|im_end|>
{% elif m.role == 'assistant' %}
{%- set answer = m.content.split('</think>')[-1].lstrip('\\n') %}
{%- set thought = '' %}
{%- if '</think>' in m.content %}
{%- set thought = m.content.split('</think>')[0].split('<think>')[-1].strip('\\n') %}{% endif %}
{%- set recent = loop.index0 > ns.last and (loop.last or thought) %}
{%- if preserve_thinking or recent %}<|im_start|>assistant
<think>
{{ thought }}
</think>

{{ answer }}<|im_end|>
{% else %}<|im_start|>assistant
{{ answer }}<|im_end|>
{% endif %}
{%- elif m.role == 'tool' %}
{%- if loop.first or messages[loop.index0 - 1].role != 'tool' %}<|im_start|>user{% endif %}
<tool_response>
{{ m.content }}
</tool_response>
{%- if loop.last or messages[loop.index0 + 1].role != 'tool' %}<|im_end|>
{% endif %}
{%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}<|im_start|>assistant
{% if enable_thinking is defined and enable_thinking is false %}<think>

</think>

{% endif %}{% endif %}"""

# Contents are trimmed, tools stand in the first message of the user, results come from ipython.
LLAMA3 = """
{{- '<|begin_of_text|>' }}
{%- set ns = namespace(tools=tools) %}
{%- for m in messages %}
{%- if m.role == 'tool' %}{{ '<|start_header_id|>ipython<|end_header_id|>\\n\\n' }}
{{- m.content | tojson }}{{ '<|eot_id|>' }}
{%- else %}{{ '<|start_header_id|>' + m.role + '<|end_header_id|>\\n\\n' }}
{%- if ns.tools and m.role == 'user' %}{{ 'Functions: ' + (ns.tools | tojson) + '\\n\\n' }}
{%- set ns.tools = none %}{% endif %}
{{- m.content | trim }}{{ '<|eot_id|>' }}
{%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
{{- '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}{% endif %}"""

# The system prompt stands in the user's last message and the tools before it, so that both move;
# turns have to alternate, and ids of calls have nine letters.
MISTRAL = """
{%- set ns = namespace(system='', index=0, last=-1) %}
{%- for m in messages %}{% if m.role == 'system' %}{% set ns.system = m.content %}
{%- elif m.role == 'user' %}{% set ns.last = loop.index0 %}{% endif %}{% endfor %}
{%- for m in messages if m.role in ('user', 'assistant') %}
{%- if (m.role == 'user') != (loop.index0 % 2 == 0) %}
{{- raise_exception('roles must alternate user/assistant') }}{% endif %}{% endfor %}
{{- '<s>' }}
{%- for m in messages %}
{%- if m.role == 'user' %}
{%- if tools and loop.index0 == ns.last %}{{ '[AVAILABLE_TOOLS] ' + (tools | tojson) }}
{{- '[/AVAILABLE_TOOLS]' }}{% endif %}
{{- '[INST] ' + (ns.system + '\\n\\n' if ns.system and loop.last else '') + m.content + '[/INST]' }}
{%- elif m.role == 'assistant' %}{{ ' ' + m.content + '</s>' }}
{%- elif m.role == 'tool' %}
{%- if m.tool_call_id | length != 9 %}
{{- raise_exception('ids of tool calls have nine letters') }}{% endif %}
{{- '[TOOL_RESULTS] {"content": ' + (m.content | tojson) + ', "call_id": "' + m.tool_call_id }}
{{- '"}[/TOOL_RESULTS]' }}
{%- endif %}
{%- endfor %}"""

# There is no system turn: what it says stands before the user's first message. No tools.
GEMMA = """
{{- '<bos>' }}
{%- set ns = namespace(prefix='') %}
{%- if messages[0].role == 'system' %}{% set ns.prefix = messages[0].content + '\\n\\n' %}
{%- set messages = messages[1:] %}{% endif %}
{%- for m in messages %}
{%- if (m.role == 'user') != (loop.index0 % 2 == 0) %}
{{- raise_exception('roles must alternate user/assistant') }}{% endif %}
{{- '<start_of_turn>' + ('model' if m.role == 'assistant' else m.role) + '\\n' }}
{{- (ns.prefix if loop.first else '') + (m.content | trim) + '<end_of_turn>\\n' }}
{%- endfor %}
{%- if add_generation_prompt %}{{ '<start_of_turn>model\\n' }}{% endif %}"""


class Family(NamedTuple):
    """A template, its special tokens, and its arguments."""

    text: str
    special: tuple[str, ...]  # the last one ends a reply
    template: dict = {}
    tools: bool = True


_IM = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
FAMILIES = {
    "SmolLM2": Family(CHATML, _IM),
    "Qwen3": Family(QWEN3, _IM),
    "Qwen3, enable_thinking=False": Family(QWEN3, _IM, {"enable_thinking": False}),
    "Qwen3.6, preserve_thinking=True": Family(QWEN3, _IM, {"preserve_thinking": True}),
    "Llama 3": Family(
        LLAMA3,
        ("<|begin_of_text|>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>"),
    ),
    "Mistral": Family(
        MISTRAL,
        ("<s>", "[INST]", "[/INST]", "[AVAILABLE_TOOLS]", "[/AVAILABLE_TOOLS]", "[TOOL_RESULTS]",
         "[/TOOL_RESULTS]", "</s>"),
    ),
    "Gemma": Family(
        GEMMA, ("<bos>", "<start_of_turn>", "<end_of_turn>"), tools=False
    ),
}  # fmt: skip


def make_tokenizer(family: Family) -> PreTrainedTokenizerFast:
    """Return a small tokenizer with a family's template and special tokens."""
    raw = Tokenizer(models.BPE())
    raw.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    raw.decoder = decoders.ByteLevel()
    corpus = ["system user assistant model tool <think> </think> answer rock look stop"] * 4
    raw.train_from_iterator(
        corpus,
        trainers.BpeTrainer(
            vocab_size=400,
            special_tokens=list(family.special),
            show_progress=False,
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        ),
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=raw, eos_token=family.special[-1], chat_template=family.text
    )
