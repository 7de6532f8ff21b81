"""The contents of the pack tasks."""

from functools import partial

from gem_ma.envs.registry import register, register_family
from gem_ma.envs.tasks import reasoning_gym_ids, roles_ids
from gem_ma.packs import Pack


def environments():
    # Tasks over generated data, over your own (`data=` a file, folder or data set), or of the Hub.
    register("math:Mini", "gem_ma.envs.tasks.mini:MiniMath")
    register("qa:Mini", "gem_ma.envs.tasks.mini:MiniQA")
    register("code:Mini", "gem_ma.envs.tasks.mini:MiniCode", format="bare")
    register("math:Data", "gem_ma.envs.tasks.mathematics:Math")
    register("qa:Data", "gem_ma.envs.tasks.qa:QA")
    register("code:Data", "gem_ma.envs.tasks.programming:Code", format="bare")

    hub_math = partial(
        register,
        entry_point="gem_ma.envs.tasks.mathematics:Math",
        needs=["datasets", "math", "hub"],
    )
    hub_math("math:ASDiv2K", data="axon-rl/ASDIV-2k", split=None)
    hub_math("math:GSM8K", data="axon-rl/GSM-8k", split=None)
    hub_math("math:Math12K", data="axon-rl/MATH-12k", split=None)
    hub_math("math:Math8K-3to5", data="axon-rl/MATH-lvl3to5-8k", split=None)
    hub_math("math:Orz57K", data="axon-rl/ORZ-57k", split=None)
    hub_math("math:DeepScaleR40K", data="axon-rl/DeepScaleR-40K", split=None)
    hub_math("eval:MATH500", data="axon-rl/math-eval", split="math")
    hub_math("eval:AMC", data="axon-rl/math-eval", split="amc")
    hub_math("eval:OlympiadBench", data="axon-rl/math-eval", split="olympiad_bench")
    hub_math("eval:Minerva", data="axon-rl/math-eval", split="minerva")
    hub_math("eval:AIME24", data="axon-rl/math-eval", split="aime24")
    hub_math(
        "math:Geometry3K", data="axon-rl/geometry3k", split="train", images="images", observe="both"
    )

    hub_code = partial(
        register,
        entry_point="gem_ma.envs.tasks.programming:Code",
        needs=["datasets", "hub"],
    )
    hub_code("code:CodeContest", data="axon-rl/CodeContest", split="train", format="bare")
    hub_code("code:Taco8k", data="axon-rl/TACO-8k", split="train", format="bare")
    hub_code(
        "code:PrimeIntellect15k", data="axon-rl/PrimeIntellect-15k", split="train", format="bare"
    )
    hub_code("eval:CodeContest", data="axon-rl/CodeContest", split="test", format="bare")

    hub_qa = partial(register, entry_point="gem_ma.envs.tasks.qa:QA", needs=["datasets", "hub"])
    hub_qa(
        "qa:NaturalQuestions", data="axon-rl/NaturalQuestions", split="train", question="problem"
    )
    hub_qa("qa:HotpotQA", data="axon-rl/HotpotQA", split="train", question="problem")
    hub_qa(
        "eval:QaOpen",
        data="google-research-datasets/nq_open",
        split="validation",
        question="question",
    )
    hub_qa("eval:2Wiki", data="axon-rl/search-eval", split="2wiki", question="question")
    hub_qa("eval:PopQA", data="axon-rl/search-eval", split="popqa", question="question")
    hub_qa("eval:TriviaQA", data="axon-rl/search-eval", split="tq", question="question")
    hub_qa("eval:HotpotQA", data="axon-rl/search-eval", split="hotpotqa", question="question")
    hub_qa("eval:Bamboogle", data="axon-rl/search-eval", split="bamboogle", question="question")
    hub_qa("eval:NaturalQuestions", data="axon-rl/search-eval", split="nq", question="question")
    hub_qa("eval:Musique", data="axon-rl/search-eval", split="musique", question="question")
    for depth in (0, 1, 2, 3, 5):
        hub_qa(
            f"logic:RuleTaker-d{depth}",
            data=f"axon-rl/RuleTaker-d{depth}-70k",
            split="train",
            question="question",
            choices=["True", "False"],
        )

    register_family("duo", "gem_ma.envs.tasks.roles_ids", roles_ids.NAMES)
    names = reasoning_gym_ids.NAMES + reasoning_gym_ids.NEWER
    register_family("rg", "gem_ma.envs.tasks.reasoning_gym_ids", names)


PACK = Pack(
    name="tasks",
    environments=environments,
    suites="suites",
    docs=("docs/bridges.md",),
)
