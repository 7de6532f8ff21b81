"""The pack webshop: its environments, agents, suite and documentation."""

from gem_ma.envs.registry import register
from gem_ma.packs import Pack


def environments():
    dial = {
        0: {"products": 20, "attributes": 1, "options": 1, "titled": 3, "paraphrased": 0.0},
        10: {"products": 200, "attributes": 4, "options": 3, "titled": 0, "paraphrased": 1.0},
    }
    levels = {"easy": 2, "hard": 8}
    register("webshop:buy", "gem_ma.envs.webshop.game:WebShop", levels=levels, dial=dial)
    register(
        "webshop:errand", "gem_ma.envs.webshop.errand:ShoppingErrand", levels=levels, dial=dial
    )
    for mode in ("html", "text", "text_rich"):
        for split in ("train", "test"):
            register(  # GEM's ids, with its arguments
                f"webshop:{split}-{mode}",
                "gem_ma.envs.webshop.game:WebShop",
                observation_mode=mode,
                max_turns=15,
                split=split,
                error_tolerance=15,
                invalid="skip",
                penalty=0.1,
            )


PACK = Pack(
    name="webshop",
    environments=environments,
    agents={
        "shop-oracle": "gem_ma.envs.webshop.oracle:ShopOracle",
        "shop-first": "gem_ma.envs.webshop.oracle:FirstResultBuyer",
    },
    suites="suites",
    experts={"webshop:*": "shop-oracle"},
    docs=("docs/webshop.md",),
)
