"""Lines for gem-ma that make no sense, and lines that do: every option of every command in both."""

import packs

# What is wrong, and a word of the line that says so: if none is given, the last of the line itself.
# FOLDER, FILE and CLOSED are there.
C4, KUHN = "game:ConnectFour-v0", "game:KuhnPoker-v0"
WRONG = [
    ("", "COMMAND"),
    ("dance", "invalid choice"),
    ("rum", "did you mean run?"),
    (f"run {C4} --episods 3", "--episods 3; did you mean --episodes?; gem-ma run -h"),
    ("eval compare FOLDER FOLDER --jsn=x", "--jsn=x; did you mean --json?"),
    ("list ConectFour", "did you mean 'game:ConnectFour-v0'"),
    ("info ConectFour", "did you mean 'game:ConnectFour-v0'"),
    (f"pretrain {C4} --out FOLDER/o --size own", "the size of pictures is --image-size own"),
    (f"pretrain {C4} --out FOLDER/o --size smal", "did you mean small?"),
    (f"play {C4} --tools python:seconds=two", "seconds=two: expected a number"),
    ("play openenv:localhost:8000", "did you mean 'openenv:ws://localhost:8000'?"),
    ("list zzzzz", "no id matches 'zzzzz'"),
    ("info", "id"),
    ("info game:Conect-v0", "'game:ConnectFour-v0'"),
    (f"info {C4} --picture a.jpg", "ends in .png"),
    (f"info {C4} --picture FOLDER/no/a.png", "No such file"),
    (f"info {C4} --picture CLOSED/a.png", "CLOSED/a.png"),
    ("play game:Conect-v0", "no environment"),
    ("play gym:CartPole-v99", "did you mean"),
    (f"play {C4} --agents randm", "did you mean 'random'"),
    (f"play {C4} --agents a,b,c", "got 3 agents"),
    (f"play {C4} --agents search:depth=x", "search:depth=x"),
    (f"play {C4} --agents search:dpth=3", "dpth"),
    (f"play {C4} --agents openai:m@nowhere", "expected a URL"),
    (f"play {C4} --agents FOLDER/no.py:mine", "there is no file FOLDER/no.py"),
    (f"play {C4} --tools python:secs=1", "got 'secs'"),
    (f"play {C4} --tools blue=python", "no seat 'blue'; the seats are red, yellow"),
    (
        "eval --suite smoke --agents random --out FOLDER/o --tools python",
        "--tools does not go with --suite",
    ),
    (f"play {KUHN} --agents search", "perfect information"),
    ("play game:Bargaining-v0 --agents oracle-assistant", "oracle-assistant is made for assistant"),
    ("play tau:shop --agents rule-user", "rule-user is made for user, and not for the seat assis"),
    ("eval tau:shop --agents informed-assistant --out FOLDER/o", "and not for the seat user"),
    (f"play {C4} --seed one", "--seed"),
    ("play game:Maze-v0 --set size", "NAME=VALUE"),
    ("play game:Maze-v0 --set size=0", "size=0"),
    ("play game:Maze-v0 --set size=large", "gem-ma: "),
    ("play game:Maze-v0 --set sixe=4", "did you mean 'size'?"),
    ("play math:Data", "needs --set data=..."),
    ("play math:Data --set data=FILE.none", "FILE.none"),
    (f"run {C4} --episodes -1", "--episodes"),
    (f"run {C4} --concurrency 0", "--concurrency"),
    (f"run {C4} --step-timeout -1 --workers 1", "--step-timeout"),
    (f"run {C4} --max-errors -1", "--max-errors"),
    (f"run {C4} --workers -1", "workers"),
    (f"run {C4} --context turns", "context"),
    (f"run {C4} --observe smell", "smell"),
    (f"run {C4} --out FOLDER", "FOLDER"),
    (f"run {C4} --out FOLDER/no/a.jsonl", "no folder"),
    (f"run {C4} --out CLOSED/a.jsonl", "CLOSED/a.jsonl"),
    (f"render {C4}", "--out"),
    (f"render {C4} --out FOLDER/a.jpg", ".png or .gif"),
    (f"render {C4} --out FOLDER/a.png --moves -1", "--moves"),
    (f"render {C4} --out FOLDER/a.png --size 0x9", "--size"),
    (f"render {C4} --out FOLDER/a.png --size 999999x999999", "--size"),
    (f"render {C4} --out FOLDER/a.png --theme drak", "did you mean 'dark'"),
    (f"render {C4} --out FOLDER/a.png --seat nobody", "no seat 'nobody'"),
    (f"render {C4} --out CLOSED/a.png", "CLOSED/a.png"),
    ("serve game:Nope-v0", "gem-ma: "),
    ("arena game:Nope-v0 --out FOLDER/o", "gem-ma: "),
    (f"serve {C4} --port -1", "--port"),
    ("gateway game:Nope-v0", "no environment"),
    (f"gateway {C4} --key sk-123", "name of an environment variable"),  # it is not said again
    ("rescore FOLDER/no.jsonl --set penalty=1", "FOLDER/no.jsonl"),
    ("rescore FILE --set penalty=1", "no file of episodes"),
    ("rescore FILE", "got no argument to change"),
    ("convert FILE --out FOLDER/x", "got neither --from nor --to"),
    ("convert FILE --to verifiers --out FOLDER/x", "no file of episodes"),
    ("convert FILE --to openai --out FOLDER/x", "ends in .jsonl"),
    ("convert FILE --from verifiers --out FOLDER/x.jsonl", "line 1"),
    ("convert FOLDER/no --from atif --out FOLDER/x.jsonl", "FOLDER/no"),
    ("convert FILE --from atif --seats x --out FOLDER/x.jsonl", "--seats and --rows go with"),
    (f"serve {C4} --port 99999", "--port"),
    ("data nope", "tau-bench"),
    ("data tau-bench --from FOLDER/no --into FOLDER/x", "FOLDER/no"),
    ("data tau-bench --from FILE --into FOLDER/x", "FILE"),
    ("data tau2-bench --from FOLDER/no --into FOLDER/x", "FOLDER/no"),
    ("eval", "--suite"),
    ("eval --suite nope --agents random --out FOLDER/o", "no suite 'nope'"),
    ("eval --suite FOLDER --agents random --out FOLDER/o", "FOLDER"),
    (f"eval {C4} --out FOLDER/o", "--agents"),
    (f"eval {C4} --agents random", "--out"),
    (f"eval {C4} --agents nobody --out FOLDER/o", "no agent 'nobody'"),
    (f"eval {C4} --agents random --out FILE", "FILE"),
    (f"eval {C4} --agents random --out CLOSED/o", "CLOSED"),
    (f"eval {C4} --agents random --out FOLDER/o --tasks -1", "--tasks: '-1'"),
    (f"eval {C4} --agents random --out FOLDER/o --price x", "--price"),
    ("eval compare FOLDER FOLDER", "holds no evaluation"),
    ("leaderboard FOLDER", "name a folder of gem-ma eval"),
    ("leaderboard FILE", "FILE"),
    ("leaderboard", "are required: [NAME=]"),
    ("tournament tau:shop --agents rule-user --out FOLDER/t", "and not for the seat assistant"),
    ("tournament", "--out"),
    ("tournament game:Nope --out FOLDER/t", "no environment"),
    ("tournament game:Maze-v0 --out FOLDER/t", "one seat"),
    (f"tournament {C4} --out FOLDER/t --anchors none", "got no agent"),
    (f"tournament {C4} --agents nobody --out FOLDER/t", "no agent 'nobody'"),
    (f"tournament {C4} --agents search --out FILE", "FILE"),
    (f"tournament {C4} --agents search --out FOLDER/t --matches -1", "--matches: '-1'"),
    (f"tournament {C4} --agents search --out FOLDER/t --rounds -1", "--rounds: '-1'"),
    (
        f"tournament {C4} --agents search --out FOLDER/t --picture FOLDER/no/a.png",
        "FOLDER/no/a.png",
    ),
    ("users tau:shop", "--users"),
    (f"users {C4} --users user:plain", "has no user with a task"),
    ("exploit", "--agent"),
    ("exploit game:Nope --agent random", "no environment"),
    (f"exploit {KUHN} --agent nobody", "no agent 'nobody'"),
    (f"exploit {KUHN} --agent random --samples -1", "--samples: '-1'"),
    ("view FOLDER/no --out FOLDER/p.html", "FOLDER/no"),
    ("view FILE --out FOLDER/p.html", "no file of episodes"),
    ("view FILE --out FOLDER", "--out FOLDER"),
    ("watch game:Nope", "no environment"),
    ("watch FOLDER", "a file of episodes"),
    ("watch FILE", "no file of episodes"),
    (f"watch {C4} --delay -1", "--delay"),
    (f"watch {C4} --seat nobody", "--seat nobody"),
    (f"watch {C4} --agents human", "human"),
    (f"watch {C4} --image-size 999999x999999", "--image-size"),
    (f"watch {C4} --theme drak", "did you mean 'dark'"),
    (f"watch {KUHN} --agents search --delay 0", "perfect information"),
    ("check game:Conect-v0", "did you mean"),
    ("check FOLDER", "is a folder"),
    ("check FILE", "ends in .py"),
    ("check FOLDER/no.py", "no such file"),
    (f"check {C4} --seeds 0", "--seeds"),
    ("check game:Maze-v0 --set size=0", "size=0"),
    ("attack game:Conect-v0", "did you mean"),
    ("attack FOLDER", "is a folder"),
    (f"attack {C4} --best nobody", "no agent 'nobody'"),
    ("new 'Tug of war'", "such as tug_of_war"),
    ("new class", "choose another name, such as class_game"),
    ("new random", "Python module"),
    ("new pock okay", "pock okay: expected NAME for a game, or pack NAME"),
    ("new pack class", "choose another name, such as class_game"),
    ("new pack okay --dir FILE", "FILE"),
    ("new okay --players seven", "seven"),
    ("new okay --dir FILE", "FILE"),
    ("new okay --dir CLOSED", "CLOSED"),
    ("completion tcsh", "tcsh"),
    ("plot", "KIND"),
    ("plot learning FOLDER/no --out FOLDER/a.png", "FOLDER/no: there is no such file or folder"),
    ("plot tokens FOLDER/no --out FOLDER/a.png", "FOLDER/no"),
]

# Each option with a wrong value, which stands at the end: the line that says so names it.
_RUN, _RENDER = f"run {C4}", f"render {C4} --out FOLDER/a.png"
_EVAL, _CUP = f"eval {C4} --agents random --out FOLDER/o", f"tournament {C4} --out FOLDER/t"
_GATE = f"gateway {C4}"
_PLAY, _WATCH, _SERVE = f"play {C4}", f"watch {C4} --delay 0", f"serve {C4} --seat red"
_CUP += " --agents search:depth=1"
_TRAIN, _PRETRAIN = f"train {C4} --model FOLDER/m --out FOLDER/o", f"pretrain {C4} --out FOLDER/o"
_EXPLOIT = f"exploit {KUHN} --agents random"
_LOOKS = (
    "--observe smell",
    "--theme drak",
    "--noise blurr",
    "--size 9x",
    "--image-size big",
    "--panels alone",
    "--set rows",
)
_SEEN = tuple(
    f"{command} {words}"
    for command in (_PLAY, _RUN, _GATE, _WATCH, _SERVE, _EVAL, _CUP, _TRAIN)
    for words in _LOOKS
)
WRONG += [
    (line, line.split()[-1])
    for line in (
        *_SEEN,
        *(f"{_PRETRAIN} {words}" for words in _LOOKS if "--size" not in words),
        *(f"{_RENDER} {words}" for words in _LOOKS if "--observe" not in words),
        f"{_PLAY} --agents randm",
        f"{_PLAY} --seed 1e3",
        f"{_PLAY} --tools pythn",
        f"{_RUN} --tools pythn",
        f"eval {C4} --agents random --out FOLDER/o --tools pythn",
        f"{_RUN} --agents randm",
        f"{_RUN} --episodes none",
        f"{_RUN} --concurrency 0",
        f"{_RUN} --price cheap",
        f"{_RUN} --max-cost much",
        f"{_RUN} --cache FOLDER/c",
        f"{_RUN} --seed x",
        f"{_RUN} --context turns",
        f"{_RUN} --out FOLDER/no/a.jsonl",
        f"{_RUN} --workers -1",
        f"{_RUN} --workers 1 --step-timeout inf",
        f"{_RUN} --max-errors -1",
        f"{_GATE} --model nowhere",
        f"{_GATE} --seat blue",
        f"{_GATE} --agents randm",
        f"{_GATE} --turn 0",
        f"{_GATE} --host 0.0.0.0",
        f"{_GATE} --port 99999",
        f"{_GATE} --episodes none",
        f"{_GATE} --concurrency 0",
        f"{_GATE} --seed x",
        f"{_GATE} --out FOLDER/no/a.jsonl",
        f"{_GATE} --max-errors -1",
        "rescore FOLDER/a.jsonl --set rows",
        "convert FILE --out FOLDER/x --from openai",
        "convert FILE --out FOLDER/x --to atf",
        "convert FILE --to verifiers --out FOLDER",
        "convert FILE --to atif --out FOLDER/x --seats red",
        "convert FILE --to hf --out FOLDER/x --rows game",
        f"{_RENDER} --seed 1.5",
        f"{_RENDER} --moves few",
        f"{_RENDER} --seat nobody",
        f"render {C4} --out board.jpg",
        f"info {C4} --picture board.jpg",
        f"{_SERVE} --port 99999",
        f"{_SERVE} --host 0.0.0.0",
        f"{_SERVE} --max-sessions 0",
        f"{_SERVE} --max-message -5",
        f"{_SERVE} --first-message nan",
        f"{_SERVE} --idle 0",
        f"serve {C4} --seat nobody",
        f"{_SERVE} --others nobody",
        "arena --out FILE",
        f"arena {C4} --out FOLDER/o --agents nobody",
        f"arena {C4} --out FOLDER/o --records FOLDER/no",
        f"arena {C4} --out FOLDER/o --host 0.0.0.0",
        f"arena {C4} --out FOLDER/o --port 99999",
        "data tau-bench --into FOLDER/x --from FOLDER/no",
        "data tau2-bench --into FOLDER/x --from FOLDER/no",
        "data tau-bench --from FOLDER --into FILE",
        "eval --agents random --out FOLDER/o --suite nope",
        f"eval {C4} --agents red=random --out FOLDER/o --opponents nobody",
        f"eval {C4} --agents random --out FILE",
        f"eval {C4} --out FOLDER/o --agents nobody",
        f"{_EVAL} --tasks -1",
        f"{_EVAL} --trials 0",
        f"{_EVAL} --start 1 --task-ids 1",
        f"{_EVAL} --start -1",
        f"{_EVAL} --end 0",
        f"{_EVAL} --seed x",
        f"{_EVAL} --concurrency 0",
        f"{_EVAL} --workers none",
        f"{_EVAL} --max-errors -1",
        f"{_EVAL} --price cheap",
        f"{_EVAL} --price model=1",
        f"{_EVAL} --max-cost 0",
        f"{_EVAL} --cache FILE",
        f"tournament {C4} --out FOLDER/t --agents nobody",
        f"tournament {C4} --agents search:depth=1 --out FILE",
        f"{_CUP} --matches 0",
        f"{_CUP} --schedule fair",
        f"{_CUP} --rounds 0",
        f"{_CUP} --seating some",
        f"{_CUP} --anchors nobody",
        f"{_CUP} --forfeits none",
        f"{_CUP} --seed x",
        f"{_CUP} --concurrency 0",
        f"{_CUP} --workers 0",
        f"{_CUP} --max-errors some",
        f"{_CUP} --picture cup.jpg",
        "leaderboard FOLDER",
        "leaderboard FOLDER --out FOLDER/no/l.html",
        "users tau:shop --users nobody",
        "users tau:shop --users user:nobody",
        "users tau:shop --users user:plain:typos=2",
        "users tau:shop --users user:plain --assistants nobody",
        "users tau:shop --users user:plain --episodes 0",
        "users tau:shop --users user:plain --seed x",
        "users tau:shop --users user:plain --set world",
        f"exploit {KUHN} --agents nobody",
        f"exploit {KUHN} --agents random,search",
        f"{_EXPLOIT} --samples 0",
        f"{_EXPLOIT} --seed x",
        "view FOLDER --out FOLDER/no/page.html",
        "view FOLDER --out FOLDER/p.html --spectators some",
        f"watch {C4} --agents nobody",
        f"watch {C4} --seat nobody",
        f"{_WATCH} --seed x",
        f"watch {C4} --delay soon",
        f"{_WATCH} --episode x",
        "plot learning FILE --out a.bmp",
        "plot learning FILE --columns x --out a.txt",
        "plot learning FILE --out a.png --columns x",
        "plot learning FILE --out a.png --smooth 0",
        "plot win-rates FOLDER --out a.bmp",
        "plot pass-k FOLDER --out a.bmp",
        "plot robustness FOLDER --out a.bmp",
        "plot tokens FOLDER --out a.bmp",
        f"{_PRETRAIN} --teacher nobody",
        f"pretrain {C4} --out FILE",
        f"{_PRETRAIN} --size huge",
        f"{_PRETRAIN} --from FOLDER/no",
        f"{_PRETRAIN} --episodes 0",
        f"{_PRETRAIN} --epochs 0",
        f"{_PRETRAIN} --seat nobody",
        f"{_PRETRAIN} --seed x",
        f"{_PRETRAIN} --device quantum",
        f"train {C4} --out FOLDER/o --model FOLDER/no",
        f"train {C4} --model FOLDER/m --out FILE",
        f"{_TRAIN} --seat nobody",
        f"{_TRAIN} --seat red --others nobody",
        f"{_TRAIN} --algorithm luck",
        f"{_TRAIN} --gamma 2",
        f"{_TRAIN} --updates 0",
        f"{_TRAIN} --episodes 0",
        f"{_TRAIN} --group 0",
        f"{_TRAIN} --lr -1",
        f"{_TRAIN} --kl x",
        f"{_TRAIN} --entropy inf",
        f"{_TRAIN} --warmup -1",
        f"{_TRAIN} --minibatch 0",
        f"{_TRAIN} --epochs 0",
        f"{_TRAIN} --max-new-tokens 0",
        f"{_TRAIN} --temperature 0",
        f"{_TRAIN} --template thoughts",
        f"{_TRAIN} --history forget",
        f"{_TRAIN} --lora 0",
        f"{_TRAIN} --context turns",
        f"{_TRAIN} --max-staleness -1",
        f"{_TRAIN} --seed x",
        f"{_TRAIN} --device quantum",
        f"check {C4} --seeds 0",
        f"check {C4} --max-turns 0",
        f"check {C4} --set rows",
        f"attack {C4} --seeds 0",
        f"attack {C4} --max-turns 0",
        f"attack {C4} --nodes -1",
        f"attack {C4} --set rows",
        f"attack {C4} --best nobody",
        "new okay --dir FILE",
        "new okay --players seven",
    )
]

# Lines that work, by command: all options together, each at least once; run in order, in FOLDER.
TTT, GUESS = "game:TicTacToe-v0", "game:GuessTheNumber-v0-easy"
_LOOKING = (
    "--observe both --theme dark --noise blur:2+jpeg --size 84 --image-size 84x84 "
    "--panels apart --set max_turns=20"
)
RIGHT = {
    "list": ["list", "list nim --ids --here --needs", "list --packs"],
    "info": [f"info {TTT} --json --picture a.png"],
    "play": [f"play {TTT} --agents x=random,random --tools python --seed 7 {_LOOKING}"],
    "run": [
        f"run {TTT} --agents random --episodes 3 --concurrency 2 --seed 5 --context turns=2 "
        f"--shuffle --out a.jsonl --resume --max-errors 0 {_LOOKING}",
        f"run {TTT} --workers 1 --step-timeout 9 --tools x=python:seconds=1",
        f"run {TTT} --price 1,2 --max-cost 5 --cache c "
        "--agents 'x=run_counted.py:Counted?model=m&base_url=http://127.0.0.1:1/v1'",
    ],
    "render": [
        f"render {TTT} --out a.png --seed 1 --moves 2 --seat x {_LOOKING[15:]}",
        f"render {TTT} --out a.gif --moves 2",
    ],
    "serve": [
        f"serve {TTT} --host 127.0.0.1 --port 0 --max-sessions 2 --max-message 4096 "
        f"--first-message 1.5 --idle 9 --seat x --others o=search:depth=1 {_LOOKING}"
    ],
    "gateway": [
        f"gateway {TTT} --model m@http://127.0.0.1:1/v1 --key MY_KEY --token-ids --seat x "
        "--agents o=random --turn 0.5 --host 127.0.0.1 --port 0 --episodes 2 --concurrency 2 "
        f"--seed 5 --out g.jsonl --resume --max-errors 0 {_LOOKING}",
    ],
    "convert": [
        f"run {TTT} --episodes 2 --out cv.jsonl",
        "convert cv.jsonl --to verifiers --out cv",
        "convert cv --from verifiers --out cv2.jsonl",
        "convert cv.jsonl --to openai --out cv3.jsonl --seats x,o",
        "convert cv --from verifiers --to hf --out cv4 --rows turn --seats x",
    ],
    "rescore": [
        f"run {TTT} --episodes 2 --out rs.jsonl",
        "rescore rs.jsonl --set penalty=0.5",
        "rescore rs.jsonl --set penalty=0.5 --json",
    ],
    "arena": [
        f"run {TTT} --episodes 2 --out ar.jsonl",
        f"arena {TTT} --out ar --agents random --records ar.jsonl --host 127.0.0.1 --port 0",
    ],
    "data": ["data tau-bench --from . --into x"],
    "eval": [
        f"eval {TTT} --agents random,o=search:depth=1 --tasks 1 --trials 2 --seed 3 "
        f"--concurrency 2 --max-errors 0 --pictures --price 1,2 --out r {_LOOKING}",
        f"eval {TTT} --agents random --agents search:depth=1 --tasks 1 --out s --json "
        "--price 1,2 --price random=3,4",
        f"eval {TTT} --tasks 1 --out z --price m=3,4 --max-cost 5 --cache c "
        "--agents 'eval_counted.py:Counted?model=m&base_url=http://127.0.0.1:1/v1'",
        f"eval {TTT} --agents x=search:depth=2 --opponents search:depth=1 --tasks 1 --out v",
        f"eval {TTT} --agents random --tasks 1 --out t --workers 1 --tools python",
        "eval --suite small.toml --agents random --out u",
        "eval tau2:mock --agents random --task-ids new_chore,3 --out w",
        "eval tau2:mock --agents random --start 1 --end 3 --out y",
        "eval compare s s --all",
    ],
    "tournament": [
        f"tournament {TTT} --agents search:depth=1,search:depth=2 --agents search:depth=3 "
        "--out t --matches 1 --seating rotate --anchors random --forfeits leave-out --skills "
        f"--seed 1 --concurrency 2 --max-errors 0 --picture a.png {_LOOKING}",
        f"tournament {TTT} --agents search:depth=1 --out u --matches 1 --schedule swiss "
        "--rounds 1 --workers 1 --json",
    ],
    "users": [
        "users tau:shop --users user:plain,users:train --assistants informed-assistant,random "
        "--episodes 2 --seed 1 --json",
        "users tau:shop --users user:wary:typos=0.5 --episodes 2 --set world=3",
    ],
    "leaderboard": [
        f"eval {TTT} --agents random --tasks 1 --out l1",
        f"eval {TTT} --agents x=search:depth=1 --opponents random --tasks 1 --out l2",
        "leaderboard l1 l2/results.json --out l.html",
        "leaderboard l1 l2 --json --verify",
    ],
    "exploit": [
        f"exploit {KUHN} --agents random --samples 2 --seed 1 --json",
        f"exploit {KUHN} --agent random --samples 2",
    ],
    "view": [
        f"run {TTT} --episodes 2 --out a.jsonl",
        "view a.jsonl --out a.html --no-spectator",
        "view a.jsonl --out a.html --spectators all --trust",
    ],
    "watch": [
        f"watch {TTT} --agents random,random --seat x --seed 3 --delay 0 {_LOOKING}",
        f"run {TTT} --episodes 2 --out a.jsonl",
        "watch a.jsonl --delay 0 --episode 1 --trust",
    ],
    "plot": [
        "plot tokens worded.jsonl --out a.png",
        "plot learning history.jsonl --out b.png --columns return/x --smooth 2",
        f"tournament {TTT} --agents search:depth=1 --out t --matches 1",
        "plot win-rates t --out c.png",
        f"eval {TTT} --agents random --tasks 1 --trials 2 --out e",
        "plot pass-k e --out d.png",
        f"eval {TTT} --agents random --tasks 1 --noise jpeg --observe image --out f",
        "plot robustness f --out e.png",
    ],
    "train": [
        f"pretrain {GUESS} --teacher player=random --out m --size tiny --episodes 2 --epochs 1 "
        "--seat player --seed 1 --device cpu --observe text --theme dark --noise 3 "
        "--image-size 84 --panels apart --set max_turns=3",
        f"pretrain {GUESS} --from m --out n --episodes 2 --epochs 1 --set max_turns=3",
        f"train {GUESS} --model m --out t --seat player --others random --algorithm grpo "
        "--gamma 0.9 --updates 1 --episodes 2 --group 2 --lr 1e-4 --kl 0.1 --entropy 0.01 "
        "--warmup 1 --decline --minibatch 2 --epochs 1 --max-new-tokens 2 --seed 1 --device cpu "
        "--temperature 0.9 --template enable_thinking=false --history drop_thoughts "
        "--observe text --theme dark --noise hue --size 84 --image-size 84x84 --panels together "
        "--set max_turns=3",
        f"train {GUESS} --model m --out u --updates 2 --episodes 2 --max-new-tokens 5 --guided "
        "--lora 2 --max-staleness 1 --context turns=4 --set max_turns=3",
        f"run {GUESS} --agents hf:u/model?max_new_tokens=5 --episodes 1 --out v.jsonl",
    ],
    "check": [f"check {TTT} --quick --seeds 1 --max-turns 50 --set max_turns=20"],
    "attack": [f"attack {TTT} --seeds 1 --max-turns 5 --nodes 9 --best random --set max_turns=20"],
    "new": [
        "new tug_of_war --dir games --players together",
        "new pack card_tricks --dir packs --players one",
    ],
    "completion": ["completion bash"],
}


def _here(line):
    return not packs.absent_in(f"gem-ma {line}")


# Without those of packs that are not here, and the words that these had.
LOST = {
    word.partition("=")[0]
    for lines in RIGHT.values()
    for line in lines
    if not _here(line)
    for word in line.split()
}
WRONG = [pair for pair in WRONG if _here(pair[0])]
RIGHT = {name: [line for line in lines if _here(line)] for name, lines in RIGHT.items()}
RIGHT = {name: lines for name, lines in RIGHT.items() if lines}
