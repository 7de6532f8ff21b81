"""Games of two agents over any task: proposer and solver, solver and critic, or a debate.

Their ids are "duo:ROLES/TASK" for every id of a task, such as duo:Debate/math:Mini.
"""

from gem_ma.envs import registry

ROLES = ("ProposerAndSolver", "SolverAndCritic", "Debate")
LISTED = ("math:Mini", "qa:Mini", "code:Mini", "math:GSM8K", "qa:HotpotQA", "code:CodeContest")
NAMES = tuple([f"{roles}/{task}" for roles in ROLES for task in LISTED])


def specs():
    return [_spec(*name.split("/")) for name in NAMES]


def find(id):
    """Return the Spec of two roles over any task."""
    roles, slash, task = id.removeprefix("duo:").partition("/")
    return _spec(roles, task) if roles in ROLES and slash else None


def known(id):
    """Return the Spec of two roles over a task that is registered."""
    return find(id) if registry.find_registered(id.partition("/")[2]) else None


def _spec(roles, task):
    spec = registry.spec(task)
    arguments = {"task": task}
    if "format" in spec.kwargs:
        arguments["format"] = spec.kwargs["format"]
    entry_point = f"gem_ma.envs.tasks.roles:{roles}"
    return registry.Spec(f"duo:{roles}/{task}", entry_point, arguments, spec.needs)
