"""Models that the tests of adapters share."""

import pytest
from trainers import fixed

import gem_ma


@pytest.fixture(scope="module", autouse=True)
def small_models(one_thread):
    """All models here are small."""


@pytest.fixture(scope="session")
def tokenizer():
    pytest.importorskip("transformers", reason="pip install 'gem-ma[hf]'")
    import tiny_models

    rules = gem_ma.make("game:TicTacToe-v0").rules("x") + fixed().rules("player")
    return tiny_models.tokenizer(vocab=600, corpus=[rules, "The number is between 1 and 5."] * 4)


@pytest.fixture(scope="session")
def model(tokenizer):
    import tiny_models

    return tiny_models.llm(tokenizer, hidden=64)


@pytest.fixture(scope="session")
def player(model, tokenizer):
    from gem_ma.agents import HFAgent

    return HFAgent(model, tokenizer, max_new_tokens=6)


@pytest.fixture(scope="session")
def processor():
    """Return the processor of a model that sees."""
    pytest.importorskip("transformers", reason="pip install 'gem-ma[hf]'")
    import tiny_models

    return tiny_models.vlm_processor()
