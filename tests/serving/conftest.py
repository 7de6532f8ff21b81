"""A browser, and people who open the lobby of one arena in it."""

import shutil

import pytest

BROWSERS = ("chromium", "chromium-headless-shell", "chromium-browser", "google-chrome")
REMEDY = "pip install 'gem-ma[browser]' and install Chromium: apt-get install chromium"


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    from served import Served

    agents = "random,search:depth=3,informed-assistant"
    server = Served(tmp_path_factory.mktemp("arena"), "--agents", agents)
    yield server
    server.kill()
    server.process.stdout.close()


@pytest.fixture(scope="module")
def browser():
    playwright = pytest.importorskip("playwright.sync_api", reason=REMEDY)
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    with playwright.sync_playwright() as running:
        try:
            browser = running.chromium.launch(executable_path=found, chromium_sandbox=False)
        except playwright.Error as error:
            if found is not None:
                raise
            pytest.skip(f"{REMEDY} ({str(error).splitlines()[0]})")
        yield browser
        browser.close()


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
