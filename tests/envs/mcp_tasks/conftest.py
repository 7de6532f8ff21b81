from __future__ import annotations

import packs

# Without the pack bridges, mcp_tasks is not loaded, and nothing of it is tested.
collect_ignore_glob = ["*test_*.py"] if "mcp_tasks" in packs.ABSENT else []
