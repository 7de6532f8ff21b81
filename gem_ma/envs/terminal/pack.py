"""The pack terminal: its environments, the oracle agent, its suite and its documentation."""

from gem_ma.envs.registry import register
from gem_ma.envs.terminal.families import GIT, REGISTER
from gem_ma.packs import Pack

NEEDS = ("sandbox:namespaces", "command:bash")


def environments():
    for name in REGISTER:
        needs = (*NEEDS, "command:git") if name in GIT else NEEDS
        entry_point = "gem_ma.envs.terminal.game:TerminalTask"
        register(f"terminal:{name}-v0", entry_point, needs=needs, family=name)
    register("terminal:Reviewed-v0", "gem_ma.envs.terminal.reviewed:Reviewed", needs=NEEDS)
    register("terminal:Harbor", "gem_ma.envs.terminal.harbor:HarborTasks", needs=NEEDS)


PACK = Pack(
    name="terminal",
    environments=environments,
    agents={"terminal-oracle": "gem_ma.envs.terminal.oracle:TerminalOracle"},
    suites="suites",
    experts={"terminal:*-v0": "terminal-oracle"},
    docs=("docs/terminal.md",),
)
