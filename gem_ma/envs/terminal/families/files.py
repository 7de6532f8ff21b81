"""Tasks over files: move, rename, delete, copy and link them, and set their permissions."""

import gzip
import io
import posixpath
import tarfile

from gem_ma.envs.terminal.families.words import WORDS, folders, sentence, text
from gem_ma.envs.terminal.file_tree import EPOCH, FileEntry, FileTree, make_file
from gem_ma.envs.terminal.problem import (
    Draw,
    FileMode,
    FileText,
    FolderFiles,
    LinkTarget,
    NoPath,
    Problem,
    lines,
    texts,
)

ENDINGS = ("txt", "log", "csv", "dat", "cfg", "bak")


def draw_files(
    draw: Draw, top: str, count: int, endings: tuple[str, ...] = ENDINGS
) -> dict[str, str]:
    """Return files with different names, in folders below `top`."""
    places = folders(draw, top, draw.scale(2, 8))
    names = draw.some(WORDS, count)
    return {
        f"{draw.one(places)}/{name}.{endings[n % len(endings)]}": text(draw, 2)
        for n, name in enumerate(names)
    }


def move_files(draw: Draw) -> Problem:
    """Move all files with an ending into one folder."""
    endings = tuple(draw.some(ENDINGS, 3))
    files = draw_files(draw, "inbox", draw.scale(6, 30), endings)
    to, ending = f"sorted/{draw.one(WORDS)}", endings[0]
    wanted = [path for path in files if path.endswith(f".{ending}")]
    moved = {f"{to}/{posixpath.basename(path)}": files[path] for path in wanted}
    rest = {path: content for path, content in files.items() if path not in wanted}
    return Problem(
        f"Move every file whose name ends in .{ending}, at any depth below the folder inbox, into "
        f"the folder {to}. The names stay as they are, and other files stay where they are.",
        FileTree.of(files),
        (
            *texts({**moved, **rest}),
            FolderFiles(to, tuple([posixpath.basename(path) for path in wanted])),
            FolderFiles("inbox", tuple([path.removeprefix("inbox/") for path in rest])),
        ),
        (f"mkdir -p {to}", f"find inbox -type f -name '*.{ending}' -exec mv {{}} {to}/ \\;"),
    )


def rename_files(draw: Draw) -> Problem:
    """Give files another ending, or another beginning."""
    files = draw_files(draw, "notes", draw.scale(5, 24), ("txt", "md", "rst"))
    if draw.difficulty >= 4:  # names with spaces
        files = {
            path.replace(".", f" {draw.one(WORDS)}.") if draw.chance(0.4) else path: content
            for path, content in files.items()
        }
    new, prefix = draw.one(["text", "note", "page"]), draw.one(["old", "draft", "y2025"])
    renamed = {}
    for path, content in files.items():
        folder, name = posixpath.split(path)
        if name.endswith(".txt"):
            name = f"{name.removesuffix('.txt')}.{new}"
        elif name.endswith(".md"):
            name = f"{prefix}-{name}"
        renamed[f"{folder}/{name}"] = content
    find = "find notes -type f -name"
    return Problem(
        f"Below the folder notes, at any depth: give every file NAME.txt the name NAME.{new}, and "
        f"put {prefix}- before the name of every .md file. All files stay in their folders.",
        FileTree.of(files),
        (
            *texts(renamed),
            FolderFiles("notes", tuple([path.removeprefix("notes/") for path in renamed])),
        ),
        (
            f'{find} "*.txt" | while read -r f; do mv "$f" "${{f%.txt}}.{new}"; done',
            f'{find} "*.md" | while read -r f; do mv "$f" "${{f%/*}}/{prefix}-${{f##*/}}"; done',
        ),
    )


def delete_empty(draw: Draw) -> Problem:
    """Delete empty files, and then empty folders."""
    files = draw_files(draw, "store", draw.scale(6, 30))
    empty = draw.some(list(files), len(files) // 2)
    kept = {path: content for path, content in files.items() if path not in empty}
    nested = "/".join(["store", *draw.some(WORDS, draw.scale(1, 4))])
    tree = FileTree.of({**files, **dict.fromkeys(empty, ""), nested: None})
    alive = {folder for path in kept for folder in _list_parents(path)} | {"store"}
    gone = [path for path in tree.list_below("store", "folder") if path not in alive]
    return Problem(
        "Delete all empty files below the folder store. Then delete all folders below store that "
        "are empty, also those that become empty when the folders in them are gone. Keep store "
        "itself and everything else.",
        tree,
        (
            *texts(kept),
            FolderFiles("store", tuple([path.removeprefix("store/") for path in kept])),
            *[NoPath(path) for path in gone],
        ),
        ("find store -type f -empty -delete", "find store -mindepth 1 -type d -empty -delete"),
    )


def _list_parents(path: str) -> list[str]:
    parts = path.split("/")[:-1]
    return ["/".join(parts[: n + 1]) for n in range(len(parts))]


def set_permissions(draw: Draw) -> Problem:
    """Set the permissions of scripts, of other files and of folders."""
    files = draw_files(draw, "app", draw.scale(5, 24), ("sh", "cfg", "txt"))
    start = [0o644, 0o755, 0o600, 0o777]
    modes = {"sh": draw.one([0o750, 0o700, 0o755]), "other": draw.one([0o640, 0o600, 0o644])}
    folder_mode = draw.one([0o750, 0o700])
    entries = {path: make_file(content, mode=draw.one(start)) for path, content in files.items()}
    # whatever was drawn, one file is wrong at the start
    first = next(path for path in files if path.endswith(".sh"))
    entries[first] = entries[first]._replace(mode=0o666)
    tree = FileTree.of(entries)
    goals = [FileMode(path, modes["sh" if path.endswith(".sh") else "other"]) for path in files]
    brief = (
        f"Below the folder app, set the permissions of all .sh files to {modes['sh']:o}, and of "
        f"all other files to {modes['other']:o}."
    )
    solution = [
        f"find app -type f -name '*.sh' -exec chmod {modes['sh']:o} {{}} +",
        f"find app -type f ! -name '*.sh' -exec chmod {modes['other']:o} {{}} +",
    ]
    if draw.difficulty >= 3:
        goals += [FileMode(path, folder_mode) for path in tree.list_below("", "folder")]
        brief += f" Set those of app and of all folders below it to {folder_mode:o}."
        solution.append(f"find app -depth -type d -exec chmod {folder_mode:o} {{}} \\;")
    return Problem(brief, tree, (*goals, *texts(files)), tuple(solution))


def make_links(draw: Draw) -> Problem:
    """Link to files that a list names."""
    files = draw_files(draw, "library", draw.scale(5, 24), ("pdf", "epub"))
    wanted = sorted(draw.some(list(files), draw.scale(2, 10)))
    names = [posixpath.basename(path) for path in wanted]
    return Problem(
        "The file wanted.txt has the names of files that are somewhere below the folder library. "
        "Make the folder shelf with a symbolic link for each of them: the link has the name of "
        "the file and leads to it.",
        FileTree.of({**files, "wanted.txt": lines(names)}),
        (
            *[LinkTarget(f"shelf/{name}", path) for name, path in zip(names, wanted, strict=True)],
            FolderFiles("shelf", tuple(names)),
            *texts(files),
        ),
        (
            "mkdir shelf",
            'while read -r n; do ln -s "../$(find library -name "$n")" "shelf/$n"; '
            "done < wanted.txt",
        ),
    )


def copy_tree(draw: Draw) -> Problem:
    """Copy a folder without temporary files and caches."""
    files = draw_files(draw, "source", draw.scale(6, 26), ("py", "txt", "tmp"))
    cached = {
        f"{posixpath.dirname(path)}/cache/{draw.one(WORDS)}.py": "x = 1\n"
        for path in draw.some(list(files), draw.scale(1, 4))
    }
    kept = {
        path.removeprefix("source/"): content
        for path, content in files.items()
        if not path.endswith(".tmp")
    }
    to = f"backup/{draw.one(WORDS)}"
    return Problem(
        f"Copy the folder source to {to}, so that {to} has the same files at the same places. "
        "Leave out files that end in .tmp, and all folders with the name cache. Do not change "
        "source.",
        FileTree.of({**files, **cached}),
        (
            *texts({f"{to}/{path}": content for path, content in kept.items()}),
            FolderFiles(to, tuple(kept)),
            *texts({**files, **cached}),
        ),
        (
            f"mkdir -p backup && cp -r source {to}",
            f"find {to} -type f -name '*.tmp' -delete; "
            f"find {to} -depth -type d -name cache -exec rm -r {{}} \\;",
        ),
    )


def remove_copies(draw: Draw) -> Problem:
    """Keep one of several files with the same content."""
    files = draw_files(draw, "photos", draw.scale(6, 28), ("jpg", "png"))
    paths = list(files)
    for path in paths[: len(paths) // 2]:
        files[path] = files[draw.one(paths[len(paths) // 2 :])]
    first: dict[str, str] = {}
    for path in sorted(files):
        first.setdefault(files[path], path)
    kept = {path: content for content, path in first.items()}
    return Problem(
        "Some files below the folder photos have the same content. Of all files with the same "
        "content, keep only the one whose path comes first in the order of bytes (the order of "
        "sort with LC_ALL=C), and delete the others.",
        FileTree.of(files),
        (
            *texts(kept),
            FolderFiles("photos", tuple([path.removeprefix("photos/") for path in kept])),
        ),
        (
            "find photos -type f | LC_ALL=C sort | xargs md5sum "
            "| awk 'seen[$1]++ {print $2}' | xargs -r rm",
        ),
    )


def largest_files(draw: Draw) -> Problem:
    """List the largest files."""
    files = draw_files(draw, "data", draw.scale(6, 30))
    sizes = draw.some(range(20, 60 * len(files)), len(files))
    sized = {
        path: (sentence(draw, 3) * size)[:size] for path, size in zip(files, sizes, strict=True)
    }
    count = draw.scale(2, 8)
    order = sorted(sized, key=lambda path: -len(sized[path]))[:count]
    listed = [f"{len(sized[path])} {path}" if draw.difficulty >= 4 else path for path in order]
    form = "SIZE PATH, the size in bytes," if draw.difficulty >= 4 else "the path"
    awk = "" if draw.difficulty >= 4 else " | cut -d' ' -f2-"
    return Problem(
        f"Find the {count} largest files below the folder data. Write {form} of each into the "
        "file largest.txt, one in a line and the largest first. Paths begin with data/.",
        FileTree.of(sized),
        (FileText("largest.txt", lines(listed)), *texts(sized)),
        (f"find data -type f -printf '%s %p\\n' | sort -rn | head -{count}{awk} > largest.txt",),
    )


def unpack_archives(draw: Draw) -> Problem:
    """Unpack archives, and keep some of the files in them."""
    names = draw.some(WORDS, draw.scale(1, 5))
    files: dict[str, str] = {}
    archives: dict[str, str | bytes | FileEntry | None] = {}
    for name in names:
        inside = {
            f"{one}.{'csv' if n % 2 else 'log'}": text(draw, 2)
            for n, one in enumerate(draw.some(WORDS, draw.scale(3, 6)))
        }
        archives[f"{name}.tar.gz"] = make_file(_pack_files(inside))
        files |= {f"tables/{name}/{path}": one for path, one in inside.items() if "csv" in path}
    return Problem(
        "Unpack each archive NAME.tar.gz in this folder: put the .csv files in it into the folder "
        "tables/NAME. Nothing else may be in tables, and the archives stay here.",
        FileTree.of(archives),
        (
            *texts(files),
            FolderFiles("tables", tuple([path.removeprefix("tables/") for path in files])),
            *[FileMode(path, 0o644) for path in archives],
        ),
        (
            "for f in *.tar.gz; do mkdir -p tables/${f%.tar.gz}; "
            "tar -xzf $f -C tables/${f%.tar.gz}; done",
            "find tables -type f ! -name '*.csv' -delete",
        ),
    )


def _pack_files(files: dict[str, str]) -> bytes:
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for path, content in files.items():
            info = tarfile.TarInfo(path)
            info.size, info.mtime, info.mode = len(content), EPOCH, 0o644
            archive.addfile(info, io.BytesIO(content.encode()))
    return gzip.compress(data.getvalue(), mtime=0)
