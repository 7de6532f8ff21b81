"""A game of each kind, played in a real browser as a person plays it."""

import re

import packs
from served import FOUR, HANDS, HOSTILE, KUHN, SCREEN, SHOP, mine, sit

from gem_ma.rollouts.records import load_episodes


def test_a_board_is_clicked_to_the_end(person, served):
    page = person()
    sit(page, FOUR, red="me", yellow="random")
    for number in range(100):  # on a slow machine some clicks come too late
        page.locator("#state", has_text=re.compile("your turn|won|draw")).wait_for()
        if page.locator("#state").inner_text() != "your turn":
            break
        squares = page.locator(".square")
        name = squares.nth(number % 7).get_attribute("aria-label")
        assert re.search("square 0,", name)
        told = page.locator(".turn").count()
        squares.nth(number % 7).click()
        for _ in range(20):
            page.wait_for_timeout(50)
            if page.locator(".turn").count() != told:
                break
        else:  # that column is full
            squares.nth((number + 1) % 7).click()
    page.get_by_role("link", name="Replay").wait_for()
    match = page.url.partition("#")[2]
    status, told = served.ask(f"api/records/{match}.jsonl")
    assert status == 200
    path = served.folder / "copy.jsonl"
    path.write_bytes(told)
    (episode,) = load_episodes(path)
    assert episode.agents == {"red": "human:Ann", "yellow": "random"}
    episode.replay()
    page.get_by_role("link", name="Replay").click()
    page.locator("body[data-ready]").wait_for()
    assert page.locator(".outcome").inner_text() in ("red won", "yellow won", "a draw")


def test_two_squares_say_a_move(person):
    page = person()
    sit(page, "game:Chess-v0", white="me", black="random")
    mine(page)
    page.get_by_label(re.compile(r"^e2 .*square")).click()
    page.wait_for_timeout(200)
    assert page.locator(".said").count() == 0
    page.get_by_label(re.compile(r"^e4 .*square")).click()
    page.locator(".said", has_text="e2e4").wait_for()
    mine(page)


def test_two_browsers_move_at_once_and_a_third_looks_on(person):
    ann, bob, eve = person("Ann"), person("Bob"), person("Eve")
    sit(ann, HANDS, left="me", right="open")
    ann.locator("#state", has_text="waiting for players").wait_for()
    bob.reload()
    bob.fill("#name", "Bob")
    bob.get_by_role("button", name="Sit down as right").first.click()
    mine(bob)
    mine(ann)
    eve.goto(ann.url)
    eve.locator("#more", has_text="shown when the match is over").wait_for()
    assert eve.locator("#picture").is_hidden()
    for hand in ("rock", "paper"):
        ann.get_by_role("button", name=hand, exact=True).click()
        ann.locator("#state", has_text="others think").wait_for()
        assert hand not in bob.locator("#talk").inner_text().split("Now")[-1]
        mine(bob)
        bob.get_by_role("button", name="scissors").click()
        mine(ann)
    assert "scissors" in ann.locator("#talk").inner_text()
    bob.reload()
    mine(bob)
    assert "Bob (you)" in bob.locator("#seats").inner_text()
    while "your turn" in ann.locator("#state").inner_text():
        ann.get_by_role("button", name="rock", exact=True).click()
        ann.locator("#state", has_text=re.compile("others|won|draw")).wait_for()
        bob.get_by_role("button", name="rock", exact=True).click()
        ann.locator("#state", has_text=re.compile("your turn|won|draw")).wait_for()
    eve.locator("#picture").wait_for()
    assert "left" in eve.locator("#talk").inner_text()


def test_cards(person):
    page = person()
    sit(page, KUHN, first="me", second="random")
    for _ in range(2):
        page.locator("#state", has_text=re.compile("your turn|won")).wait_for()
        if page.locator("#moves button").count():
            assert page.locator("#moves button").all_inner_texts() in (
                ["check", "bet"],
                ["fold", "call"],
            )
            page.locator("#moves button").first.click()
            page.locator("#state", has_text=re.compile("others|won")).wait_for()
    page.locator("#state", has_text=re.compile("^(first|second) won$")).wait_for()
    page.get_by_role("button", name="Play the record again").click()
    page.locator(".good", has_text="it went the same way").wait_for()


def test_moves_are_taken_back_and_legal_ones_hidden(person):
    page = person()
    page.get_by_text("More", exact=True).click()
    page.check("#takes_back")
    sit(page, FOUR, red="me", yellow="random")
    mine(page)
    assert page.locator("#board:not(.hidden)").count() == 1
    page.get_by_label("show legal moves").uncheck()
    assert page.locator("#board.hidden").count() == 1
    page.locator(".square").nth(3).click()
    page.locator(".said", has_text="3").wait_for()
    mine(page)
    page.get_by_role("button", name="Take back").click()
    page.locator(".said").wait_for(state="detached")


def test_anything_else_is_found_and_played(person):
    page = person()
    page.fill("#search", "game gone")
    page.locator("#found-many", has_text="nothing that can be played here").wait_for()
    page.fill("#search", "game leduc")
    page.get_by_role("button", name="game:LeducPoker-v0", exact=True).click()
    page.locator("#chosen", has_text="Leduc Poker").wait_for()
    sit(page, "game:LeducPoker-v0", first="me", second="random")
    mine(page)
    assert page.locator("#talk details[open]", has_text="Rules").count() == 1
    page.locator("#moves button").first.click()
    page.locator(".said").first.wait_for()
    mine(page)
    rules = page.locator("#talk details", has_text="Rules").first
    assert rules.get_attribute("open") is None  # they were read
    rules.locator("summary").click()
    page.locator("#moves button").first.click()
    page.locator(".said").nth(1).wait_for()
    assert rules.get_attribute("open") == ""  # whoever opens them keeps them open


def test_words(person):
    """A guess is typed, a word that is none is refused and said why, and the end is told."""
    page = person()
    sit(page, "game:Wordle-v0", player="me")
    mine(page)
    for number, word in enumerate(("no", "crane", "slate", *["moody"] * 30)):
        if not page.locator("#reply").is_visible():
            break
        page.keyboard.type(word)  # the field has the focus
        page.keyboard.press("Enter")
        page.locator(".said").nth(number).wait_for()
        assert page.locator(".turn").nth(number).locator(".bad").count() == (word == "no")
    page.locator("#state", has_text="solved").wait_for()


@packs.needs("tau")
def test_a_customer_of_a_shop(person, served, browser):
    """TAU's user is played to its end, and what is said is shown as text."""
    page = person()
    sit(page, SHOP, user="me", assistant="informed-assistant")
    mine(page)
    task = re.search(r"Your task: (.*)", page.locator("#talk details .words").first.inner_text())[1]
    for number in range(40):
        mine(page)
        told = page.locator("#now").inner_text()
        done = number > 4 and "anything else" in told
        words = "###STOP###" if done else "Yes, please do." if "Shall I" in told else task
        page.fill("#reply", words if number else HOSTILE[0])
        page.press("#reply", "Enter")
        page.locator(".said").nth(number).wait_for()
        if done:
            break
    page.locator("#state", has_text=re.compile(r"^both solved it$|assistant \+1")).wait_for()
    text = page.locator("#talk").inner_text()
    assert "onerror" in text
    assert "\u202e" not in text
    assert page.locator("#talk img, #talk script").count() == 0


@packs.needs("screens")
def test_a_screen_is_worked_at_to_the_end(person):
    page = person()
    sit(page, SCREEN)
    mine(page)
    text = page.locator("#talk").inner_text()
    user, secret = re.search(r'Log in as "(.*?)" with the password "(.*?)"', text).groups()
    box = page.locator("#picture").bounding_box()
    told = page.locator("#now").inner_text()
    for number, (kind, words) in enumerate((("textbox,", user), ("textbox (password),", secret))):
        x, y = re.search(re.escape(kind) + r".* at \((\d+), (\d+)\)", told).groups()
        page.mouse.click(
            box["x"] + int(x) * box["width"] / 448, box["y"] + int(y) * box["height"] / 448
        )
        page.locator(".said").nth(2 * number).wait_for()
        page.keyboard.type(words)
        page.locator(".said").nth(2 * number + 1).wait_for()
    page.keyboard.press("Enter")
    page.locator("#state", has_text=re.compile("^solved$")).wait_for()


def test_with_keys_alone(person):
    """The lobby and a board are used without a pointer; what happened is told aloud."""
    page = person()
    page.locator("#home").focus()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.value") == FOUR
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.value") == "game:TicTacToe-v0"
    for _ in range(12):
        if page.evaluate("document.activeElement.type") == "submit":
            break
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    mine(page)
    page.locator("#heard", has_text="0 1 2").wait_for(state="attached")
    for _ in range(20):
        if page.evaluate("document.activeElement.dataset.square") is not None:
            break
        page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.dataset.square") == "0,0"
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    page.locator(".said", has_text="4").wait_for()
    assert page.evaluate("document.activeElement.dataset.square") == "1,1"  # the focus is kept
    mine(page)
    page.locator("#heard", has_text="x: 4").wait_for(state="attached")


@packs.needs("screens")
def test_a_screen_is_clicked_and_typed_into(person, served):
    page = person()
    sit(page, SCREEN)
    mine(page)
    box = page.locator("#picture").bounding_box()
    # On the task at the top, where Enter sends no form.
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 44.8)
    page.locator(".said", has_text=re.compile(r"^click\(22[345], (9|10|11)\)$")).wait_for()
    page.keyboard.type('a "b')
    page.locator(".said", has_text='type("a \\"b")').wait_for()
    page.keyboard.press("Enter")
    page.locator(".said", has_text='key("enter")').wait_for()
    page.mouse.move(box["x"] + 50, box["y"] + 50)
    page.mouse.down()
    page.mouse.move(box["x"] + 150, box["y"] + 50)
    page.mouse.up()
    page.locator(".said", has_text="drag(").wait_for()
    page.mouse.wheel(0, 50)
    page.locator(".said", has_text=", 120)").wait_for()
    page.mouse.dblclick(box["x"] + 50, box["y"] + 50)
    page.locator(".said", has_text="double_click(").wait_for()
    assert page.locator(".turn .bad").count() == 0
