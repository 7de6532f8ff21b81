"""Tasks over services: a check starts the service, and asks it through its socket.

A service is a program in Python behind a Unix socket. No process outlives a command, so a seat
starts a service in the command in which it asks it.
"""

import json

from gem_ma.envs.terminal.families.words import CITIES, NAMES, WORDS, sentence
from gem_ma.envs.terminal.file_tree import FileTree
from gem_ma.envs.terminal.problem import CommandPrints, Draw, FileText, Problem, lines

SERVER = """\
import configparser
import json
import pathlib
import socketserver
import sys

config = configparser.ConfigParser()
config.read("service.ini")
section = config["service"]
data = json.loads(pathlib.Path(section["data"]).read_text())
mode = section["mode"]
limit = int(section["limit"])
if mode not in ("plain", "loud"):
    sys.exit(f"service.ini: mode is {mode!r}; expected plain or loud")


class Handler(socketserver.StreamRequestHandler):
    def handle(self):
        for line in self.rfile:
            word = line.decode().strip()
            answer = str(data.get(word, "unknown"))[:limit]
            self.wfile.write(f"{answer.upper() if mode == 'loud' else answer}\\n".encode())


pathlib.Path(section["socket"]).unlink(missing_ok=True)
print("listening on", section["socket"], flush=True)
socketserver.UnixStreamServer(section["socket"], Handler).serve_forever()
"""
ASK = """\
import pathlib
import socket
import sys
import time

path, *words = sys.argv[1:]
for attempt in range(100):
    client = socket.socket(socket.AF_UNIX)
    try:
        client.connect(path)
        break
    except OSError:
        if pathlib.Path("/check/ended").exists():
            sys.exit("the service has ended")
        time.sleep(0.02)
else:
    sys.exit(f"nothing answers at {path}")
stream = client.makefile("rw")
for word in words:
    stream.write(f"{word}\\n")
    stream.flush()
    print(stream.readline().rstrip())
"""
HOW = (
    "`python3 ask.py SOCKET WORD...` asks a service that runs. No process outlives a command, so "
    "start the service in the background of the same command: `python3 server.py & python3 ask.py "
    "SOCKET WORD`."
)


def _asks(server: str, socket: str, words: list[str], answers: list[str]) -> CommandPrints:
    """Return the goal that a service gives these answers."""
    quoted = " ".join(f"'{word}'" for word in words)
    return CommandPrints(
        f"({server} >&2; touch /check/ended) & python3 /check/ask.py {socket} {quoted}",
        lines(answers),
        FileTree.of({"ask.py": ASK}),
    )


def _make_settings(values: dict[str, object]) -> str:
    return lines(["[service]", *[f"{name} = {value}" for name, value in values.items()]])


def configure_service(draw: Draw) -> Problem:
    """Correct the settings of a service, so that it starts and answers."""
    words = draw.some(WORDS, 8)
    data = {word: sentence(draw, 2) for word in words}
    folder, name = draw.some(WORDS, 2)
    limit = draw.number(30, 60)
    right: dict[str, object] = {
        "data": f"{folder}/{name}.json",
        "mode": draw.one(["plain", "loud"]),
        "limit": limit,
        "socket": f"{name}.sock",
    }
    faults = {
        "data": f"{name}.json",
        "mode": draw.one(["quiet", "lod", "shout"]),
        "limit": draw.one(["3", f"{limit}x"]),
        "socket": f"run/{name}.sock",
    }
    wrong = dict(right)
    for key in draw.some(sorted(faults), draw.scale(1, 4)):
        wrong[key] = faults[key]
    asked = [*draw.some(words, 3), "nothing"]
    answers = [data.get(word, "unknown")[:limit] for word in asked]
    if right["mode"] == "loud":
        answers = [one.upper() for one in answers]
    files = {
        "server.py": SERVER,
        "ask.py": ASK,
        f"{folder}/{name}.json": json.dumps(data, indent=1) + "\n",
        "service.ini": _make_settings(wrong),
    }
    return Problem(
        "The service server.py does not work, because service.ini has wrong settings. Correct "
        f"service.ini: the data are in the .json file below this folder, the mode is "
        f"{right['mode']}, answers have at most {limit} characters, and the socket is "
        f"{right['socket']}. Do not change server.py. {HOW}",
        FileTree.of(files),
        (
            _asks("python3 server.py", str(right["socket"]), asked, answers),
            FileText("server.py", SERVER),
        ),
        (f"cat > service.ini <<'END'\n{_make_settings(right)}END",),
    )


def add_routes(draw: Draw) -> Problem:
    """Add answers to a service, and remove others."""
    words = draw.some(WORDS, draw.scale(5, 14))
    data = {word: sentence(draw, 2) for word in words[3:]}
    new = {word: sentence(draw, 2) for word in words[:2]}
    gone, changed = words[3], words[4]
    after = {**data, **new, changed: f"{data[changed]} {words[2]}"}
    del after[gone]
    settings = {"data": "answers.json", "mode": "plain", "limit": 200, "socket": "answers.sock"}
    asked = [*new, gone, changed, *words[5:7]]
    wishes = "; ".join(f"to `{word}` it answers `{answer}`" for word, answer in new.items())
    edit = (
        "python3 - <<'END'\nimport json\nd = json.load(open('answers.json'))\n"
        f"d.update({new!r})\ndel d[{gone!r}]\nd[{changed!r}] += ' {words[2]}'\n"
        "json.dump(d, open('answers.json', 'w'))\nEND"
    )
    return Problem(
        "The service server.py answers with the words of answers.json. Change answers.json: "
        f"{wishes}; to `{gone}` it answers `unknown`; and its answer to `{changed}` gets the word "
        f"{words[2]} at the end, after a space. All other answers stay. Do not change server.py. "
        f"{HOW} The socket is answers.sock.",
        FileTree.of(
            {
                "server.py": SERVER,
                "ask.py": ASK,
                "answers.json": json.dumps(data, indent=1) + "\n",
                "service.ini": _make_settings(settings),
            }
        ),
        (
            _asks("python3 server.py", "answers.sock", asked,
                  [after.get(word, "unknown") for word in asked]),
            FileText("server.py", SERVER),
            FileText("service.ini", _make_settings(settings)),
        ),
        (edit,),
    )  # fmt: skip


def change_key(draw: Draw) -> Problem:
    """Change a key wherever it stands, so that old clients are refused."""
    old, new = (f"{word}-{draw.number(1000, 9999)}" for word in draw.some(WORDS, 2))
    name, city = draw.one(NAMES), draw.one(CITIES)
    server = (
        "import pathlib\nimport socketserver\n\n"
        "keys = pathlib.Path('keys.txt').read_text().split()\n\n\n"
        "class Handler(socketserver.StreamRequestHandler):\n"
        "    def handle(self):\n"
        "        for line in self.rfile:\n"
        "            key = line.decode().strip()\n"
        f"            answer = '{city}' if key in keys else 'denied'\n"
        "            self.wfile.write(f'{answer}\\n'.encode())\n\n\n"
        "socketserver.UnixStreamServer('key.sock', Handler).serve_forever()\n"
    )
    others = [f"{word}-{draw.number(1000, 9999)}" for word in draw.some(WORDS, draw.scale(1, 6))]
    keys = draw.some([old, *others], len(others) + 1)
    clients = {}
    for word in draw.some(WORDS, draw.scale(2, 10)):
        key = old if draw.chance(0.5) else draw.one(others)
        clients[f"clients/{word}.conf"] = f"user = {name}\nkey = {key}\n"
    first = sorted(clients)[0]
    clients[first] = f"user = {name}\nkey = {old}\n"
    after = {path: one.replace(old, new) for path, one in clients.items()}
    return Problem(
        f"The key {old} is known to others. Replace it by {new} in keys.txt, which the service "
        "server.py reads, and in every file of the folder clients that has it. The other keys "
        f"stay. {HOW} The socket is key.sock, and the word is a key.",
        FileTree.of({"server.py": server, "ask.py": ASK, "keys.txt": lines(keys), **clients}),
        (
            _asks("python3 server.py", "key.sock", [new, old, *others[:2]],
                  [city, "denied", *[city] * len(others[:2])]),
            *[FileText(path, one) for path, one in after.items()],
            FileText("server.py", server),
        ),
        (f"sed -i 's/{old}/{new}/' keys.txt clients/*.conf",),
    )  # fmt: skip


def write_service(draw: Draw) -> Problem:
    """Write a service that answers each line."""
    rules = {
        "the line in capital letters": ("line.upper()", str.upper),
        "the line backwards": ("line[::-1]", lambda one: one[::-1]),
        "the number of its characters": ("len(line)", lambda one: str(len(one))),
        "its first word": ("line.split()[0]", lambda one: one.split()[0]),
        "its words in alphabetical order": (
            "' '.join(sorted(line.split()))",
            lambda one: " ".join(sorted(one.split())),
        ),
    }
    words = draw.one(list(rules))
    code, answer = rules[words]
    name = draw.one(WORDS)
    hard = draw.difficulty >= 4
    extra = " To the line `stop`, it answers `bye`, and the program ends." if hard else ""
    stop = (
        "            if line == 'stop':\n                self.wfile.write(b'bye\\n')\n"
        if hard
        else ""
    )
    stop += "                self.wfile.flush()\n                os._exit(0)\n" if hard else ""
    program = (
        "import os\nimport socketserver\n\n\nclass Handler(socketserver.StreamRequestHandler):\n"
        "    def handle(self):\n        for row in self.rfile:\n"
        f"            line = row.decode().rstrip('\\n')\n{stop}"
        f"            self.wfile.write(f'{{{code}}}\\n'.encode())\n\n\n"
        f'socketserver.UnixStreamServer("{name}.sock", Handler).serve_forever()\n'
    )
    if "'" in code:
        program = program.replace(f"f'{{{code}}}\\n'", f'f"{{{code}}}\\n"')
    asked = [sentence(draw, 3) for _ in range(3)]
    answers = [answer(one) for one in asked]
    if hard:
        asked, answers = [*asked, "stop"], [*answers, "bye"]
    goals = [_asks("python3 service.py", f"{name}.sock", asked, answers)]
    if hard:
        goals.append(
            CommandPrints(
                "(python3 service.py >&2; echo $? > /check/ended) & "
                f"python3 /check/ask.py {name}.sock stop; wait $!; cat /check/ended",
                "bye\n0\n",
                FileTree.of({"ask.py": ASK}),
            )
        )
    return Problem(
        f"Write a program service.py that listens on the Unix socket {name}.sock in its folder. It "
        f"answers each line that a client sends with one line: {words}.{extra} A client may send "
        "several lines, and a line has only letters and spaces. "
        f"{HOW.replace('server', 'service')}",
        FileTree.of({"ask.py": ASK}),
        tuple(goals),
        (f"cat > service.py <<'END'\n{program}END",),
    )


def start_in_order(draw: Draw) -> Problem:
    """Write the order in which services that need each other start."""
    names = draw.some(WORDS, draw.scale(3, 10))
    needs = {
        name: sorted(draw.some(names[:n], min(n, draw.number(0, 2))))
        for n, name in enumerate(names)
    }
    for n, name in enumerate(names[1:]):  # a chain, so that only one order is right
        needs[name] = sorted({*needs[name], names[n]})
    target = names[-1]
    units = {
        f"units/{name}.unit": lines([f"needs: {' '.join(needs[name])}", f"command: echo {name} up"])
        for name in names
    }
    spare = [one for one in draw.some(WORDS, 14) if one not in names][:3]
    units |= {
        f"units/{one}.unit": lines([f"needs: {target}", f"command: echo {one} up"]) for one in spare
    }
    order = lines([f"echo {name} up" for name in names])
    return Problem(
        f"Each file NAME.unit in the folder units says which services NAME needs, and with which "
        "command it starts. A service starts after all that it needs. Write a script start.sh that "
        f"runs the commands of {target} and of all services that it needs, directly or through "
        "others, in the right order, each once, and of no other service.",
        FileTree.of(units),
        (CommandPrints("bash start.sh", lines([f"{name} up" for name in names])),),
        (f"cat > start.sh <<'END'\n{order}END",),
    )
