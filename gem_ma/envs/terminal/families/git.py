"""Tasks over a repository of git: commit, restore, search, merge, tag, revert, stop tracking."""

from gem_ma.envs.terminal.families.words import WORDS, text
from gem_ma.envs.terminal.git_repository import Repository, list_subjects, make_repository
from gem_ma.envs.terminal.problem import (
    CommandPrints,
    Draw,
    FileText,
    Problem,
    lines,
    texts,
)

VERBS = ("Add", "Change", "Extend", "Shorten", "Rename", "Explain")
SUBJECTS = "git log --format=%s main"


def _prints(command: str, shown: str) -> CommandPrints:
    return CommandPrints(command, shown, repository=True)


def _grow_history(
    draw: Draw, repository: Repository, files: dict[str, str], count: int
) -> tuple[list[str], list[str]]:
    """Add commits that each append lines to a file; return their messages and hashes."""
    messages, hashes = [], []
    for _ in range(count):
        path = draw.one(sorted(files))
        files[path] += text(draw, 1)
        messages.append(f"{draw.one(VERBS)} {draw.one(WORDS)} in {path}")
        hashes.append(repository.commit(messages[-1], files))
    return messages, hashes


def _start_history(draw: Draw) -> tuple[Repository, dict[str, str], list[str], list[str]]:
    """Return a repository with some commits, its files, and the messages and hashes."""
    repository = Repository()
    files = {f"{name}.txt": text(draw, 3) for name in draw.some(WORDS, draw.scale(3, 8))}
    hashes = [repository.commit("Start", files)]
    messages, more = _grow_history(draw, repository, files, draw.scale(2, 12))
    return repository, files, ["Start", *messages], hashes + more


def commit_files(draw: Draw) -> Problem:
    """Commit some of the changes."""
    repository, files, messages, _ = _start_history(draw)
    changed = {path: one + text(draw, 1) for path, one in files.items() if draw.chance(0.5)}
    new = {f"{name}.md": text(draw, 2) for name in draw.some(WORDS, draw.scale(1, 4))}
    waste = {f"{name}.tmp": text(draw, 1) for name in draw.some(WORDS, 2)}
    first = sorted(files)[0]
    changed.setdefault(first, files[first] + text(draw, 1))
    message = f"{draw.one(VERBS)} {draw.one(WORDS)} pages"
    here = {**files, **changed, **new, **waste}
    return Problem(
        f'Commit the new .md files in this git repository, with the message "{message}". Commit '
        "nothing else: the changes to .txt files and the .tmp files stay uncommitted, as they are.",
        make_repository(repository, files, here),
        (
            _prints(SUBJECTS, list_subjects([*messages, message])),
            _prints(
                "git show --format= --name-status", lines([f"A\t{one}" for one in sorted(new)])
            ),
            *texts(here),
        ),
        ("git add *.md", f"git commit -q -m '{message}'"),
    )


def restore_file(draw: Draw) -> Problem:
    """Restore a file that was deleted in some earlier commit."""
    repository, files, messages, _ = _start_history(draw)
    lost = draw.one(sorted(files))
    content = files.pop(lost)
    messages.append("Remove what is not needed")
    repository.commit(messages[-1], files)
    later, _ = _grow_history(draw, repository, files, draw.scale(1, 6))
    messages += later
    return Problem(
        f"The file {lost} was deleted in an earlier commit of this git repository. Restore it as "
        'it was before, and commit it with the message "Restore". Nothing else may change.',
        make_repository(repository, files, files),
        (
            FileText(lost, content),
            _prints(SUBJECTS, list_subjects([*messages, "Restore"])),
            _prints("git show --format= --name-status", f"A\t{lost}"),
            _prints(f"git show HEAD:{lost}", content),
            *texts(files),
        ),
        (
            f"git checkout $(git rev-list -n 1 HEAD -- {lost})^ -- {lost}",
            "git commit -q -m Restore",
        ),
    )


def find_commit(draw: Draw) -> Problem:
    """Find the commit that brought a word into a file."""
    repository, files, _, _ = _start_history(draw)
    path, word = draw.one(sorted(files)), f"x{draw.number(1000, 9999)}"
    before = files[path]
    files[path] += f"{draw.one(WORDS)} {word} {draw.one(WORDS)}\n"
    message = f"{draw.one(VERBS)} {draw.one(WORDS)} and {draw.one(WORDS)}"
    commit = repository.commit(message, files)
    if draw.difficulty >= 4:  # the word is no longer there
        files[path] = before
        repository.commit("Take a line back", files)
    _grow_history(draw, repository, files, draw.scale(2, 10))
    return Problem(
        f"One commit of this git repository first added the word {word} to the file {path}. Write "
        "the full hash of this commit and its message, with a space between them, as the only line "
        "of answer.txt.",
        make_repository(repository, files, files),
        (FileText("answer.txt", f"{commit} {message}\n"), *texts(files)),
        (f"git log --reverse --format='%H %s' -S{word} -- {path} | head -1 > answer.txt",),
    )


def merge_branch(draw: Draw) -> Problem:
    """Merge a branch, at higher difficulties with a conflict."""
    repository, files, _, hashes = _start_history(draw)
    branch = draw.one(WORDS)
    theirs, ours = dict(files), dict(files)
    new = f"{draw.one(WORDS)}-{draw.number(10, 99)}.md"
    theirs[new] = text(draw, 2)
    conflict = draw.difficulty >= 3
    path = draw.one(sorted(files))
    if conflict:
        rows = files[path].splitlines()
        theirs[path] = lines(["their first line", *rows[1:]])
        ours[path] = lines(["our first line", *rows[1:]])
    else:
        ours[f"main-{new}"] = text(draw, 1)
    repository.commit(f"Write {new}", theirs, branch, parent=hashes[-1])
    repository.commit("Work on main", ours)
    merged = {**ours, **{one: theirs[one] for one in (new, path)}}
    if not conflict:
        merged[path] = files[path]
    how = f" If both changed a file, keep the version of {branch}." if conflict else ""
    return Problem(
        f"Merge the branch {branch} of this git repository into main with a merge commit.{how} "
        "The branch main has to be checked out at the end, with nothing uncommitted.",
        make_repository(repository, ours, ours),
        (
            *texts(merged),
            _prints("git rev-list --parents -n 1 main | wc -w", "3"),
            _prints(f"git merge-base --is-ancestor {branch} main && echo yes", "yes"),
            _prints("git ls-tree -r --name-only main", lines(sorted(merged))),
            _prints(f"git show main:{path}", merged[path]),
            _prints(
                f"git rev-parse {branch} main^1",
                lines([repository.branches[branch], repository.branches["main"]]),
            ),
            _prints("git symbolic-ref --short HEAD; git status --porcelain", "main"),
        ),
        (f"git merge -q --no-edit -X theirs {branch}",),
    )


def tag_releases(draw: Draw) -> Problem:
    """Tag the commits whose messages name a release."""
    repository, files, _, _ = _start_history(draw)
    tags = []
    minors = sorted(draw.some(range(20), draw.scale(1, 6)))
    for minor in minors:
        _grow_history(draw, repository, files, draw.scale(1, 3))
        path = draw.one(sorted(files))
        files[path] += text(draw, 1)
        commit = repository.commit(f"Release 1.{minor}", files)
        tags.append(f"v1.{minor} {commit}")
    files[path] += text(draw, 1)
    repository.commit(f"Prepare release 2.{draw.number(0, 9)}", files)
    return Problem(
        'Give each commit of this git repository with a message "Release X" the tag vX, for '
        'example v2.7 for "Release 2.7". Make no other tags.',
        make_repository(repository, files, files),
        (
            _prints(
                "git tag | LC_ALL=C sort | while read t; do "
                'echo "$t $(git rev-parse "$t^{commit}")"; done',
                lines(sorted(tags)),
            ),
        ),
        (
            "git log --format='%H %s' | while read h w v; do "
            '[ "$w" = Release ] && git tag "v$v" $h; done; git tag',
        ),
    )


def revert_commit(draw: Draw) -> Problem:
    """Revert a commit, and keep the later ones."""
    repository, files, messages, _ = _start_history(draw)
    path = draw.one(sorted(files))
    bad = f"Try {draw.one(WORDS)}"
    before = files[path]
    files[path] = text(draw, 1) + before
    messages.append(bad)
    repository.commit(bad, files)
    others = {one: content for one, content in files.items() if one != path}
    for _ in range(draw.scale(1, 6)):
        other = draw.one(sorted(others))
        files[other] += text(draw, 1)
        messages.append(f"{draw.one(VERBS)} {draw.one(WORDS)} in {other}")
        repository.commit(messages[-1], files)
    after = {**files, path: before}
    return Problem(
        f'The commit with the message "{bad}" was a mistake. Undo its changes in a new commit at '
        f'the end of main, with the message "Undo". All earlier commits stay in the history.',
        make_repository(repository, files, files),
        (
            *texts(after),
            _prints(SUBJECTS, list_subjects([*messages, "Undo"])),
            _prints("git show --format= --name-only", path),
            _prints(f"git show main:{path}", before),
        ),
        (
            f"git revert --no-commit $(git log --format=%H --grep='^{bad}$' | tail -1)",
            "git commit -q -m Undo",
        ),
    )


def stop_tracking(draw: Draw) -> Problem:
    """Stop tracking files, but keep them."""
    repository = Repository()
    kept = {f"{name}.txt": text(draw, 2) for name in draw.some(WORDS, draw.scale(2, 6))}
    ending = draw.one(["log", "tmp", "cache"])
    waste = {
        f"{draw.one(['out', 'run'])}/{name}.{ending}": text(draw, 1)
        for name in draw.some(WORDS, draw.scale(2, 8))
    }
    files = {**kept, **waste}
    repository.commit("Start", files)
    messages, _ = _grow_history(draw, repository, files, draw.scale(1, 5))
    tracked = sorted([*kept, ".gitignore"])
    return Problem(
        f"This git repository tracks .{ending} files, which it should not. Remove all of them "
        "from the repository but keep them in the folder, add a .gitignore with the only line "
        f"*.{ending} "
        'and commit this with the message "Stop tracking".',
        make_repository(repository, files, files),
        (
            *texts(files),
            FileText(".gitignore", f"*.{ending}\n"),
            _prints(SUBJECTS, list_subjects(["Start", *messages, "Stop tracking"])),
            _prints("git ls-tree -r --name-only HEAD | LC_ALL=C sort", lines(tracked)),
            _prints("git status --porcelain", ""),
        ),
        (
            f"git ls-files '*.{ending}' | xargs git rm -q --cached",
            f"echo '*.{ending}' > .gitignore; git add .gitignore; git commit -q -m 'Stop tracking'",
        ),
    )
