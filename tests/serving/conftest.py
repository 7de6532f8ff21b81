"""A browser, and people who open the lobby of one arena in it."""

import packs
import pytest


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    from served import Served

    agents = ",".join(packs.present(["random", "search:depth=3", "informed-assistant"]))
    server = Served(tmp_path_factory.mktemp("arena"), "--agents", agents)
    yield server
    server.kill()
    server.process.stdout.close()


@pytest.fixture
def person(browser, served):
    """Return a function that opens the lobby in a browser of somebody's own."""
    contexts = []

    def person(name="Ann", **look):
        contexts.append(browser.new_context(viewport={"width": 1280, "height": 800}, **look))
        page = contexts[-1].new_page()
        page.wrong = []
        page.on("pageerror", lambda error: page.wrong.append(str(error)))
        page.goto(served.url)
        page.locator("#matches > *").first.wait_for()
        page.fill("#name", name)
        return page

    yield person
    for context in contexts:
        for page in context.pages:
            assert getattr(page, "wrong", []) == []
            assert page.evaluate("window.hurt") is None
        context.close()
