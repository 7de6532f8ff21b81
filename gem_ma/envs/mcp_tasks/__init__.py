"""Tasks over an MCP server, graded by the files that are left: generated ones, and MCPMark's form.

`server_game` is the game of a task with a server; it stands as high as `gem_ma.tools`, whose client
it uses. `notes` and `note_tasks` generate tasks over the server in `notes_server`, and
`task_folders` reads tasks in the layout of MCPMark, which `verification` grades.
"""
