"""The pack mcp_tasks: its environments, the oracle agent and documentation."""

from gem_ma.envs.registry import register
from gem_ma.packs import Pack


def environments():
    register("mcp:Notes", "gem_ma.envs.mcp_tasks.notes:MCPNotes", needs=["tools:mcp"])
    register("mcp:Tasks", "gem_ma.envs.mcp_tasks.task_folders:MCPTaskFolders", needs=["tools:mcp"])


PACK = Pack(
    name="mcp_tasks",
    uses=("bridges",),
    environments=environments,
    agents={"notes-oracle": "gem_ma.envs.mcp_tasks.oracle:NotesOracle"},
    experts={"mcp:Notes": "notes-oracle"},
    docs=("docs/bridges.md",),
)
