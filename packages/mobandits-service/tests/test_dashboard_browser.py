"""The dashboard in a browser: every page in both themes and widths, forms, and pages without script."""

import contextlib
import shutil

import pytest
from demo_store import demo_specification, write_demo
from served_pages import serving_pages
from services import PATIENCE, ROUTER

from mobandits_service.dashboard.evaluation_pages import IN_SHORT, VERDICTS

playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed"),
]

THEMES = ("light", "dark")
WIDTHS = (1280, 390)
AGENT = "/agents/router"
PAGES = (
    "/",
    AGENT,
    f"{AGENT}?window=hour",
    f"{AGENT}?window=month",
    f"{AGENT}?from=2025-11-25T10:00&to=2025-11-25T12:00",
    f"{AGENT}/decisions",
    f"{AGENT}/decisions?arm=small&status=settled",
    f"{AGENT}/decisions/290",
    f"{AGENT}/evaluations",
    "/agents/second",
    "/keys",
    "/system",
)
# What is wider than the page without being scrolled inside of it.
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
EVIL = '<img src=x onerror="document.title=666">'


@pytest.fixture(scope="module")
def url(tmp_path_factory):
    path = tmp_path_factory.mktemp("dashboard") / "router.db"
    write_demo(path, decisions=300)
    evil = {**ROUTER, "arms": [EVIL, "</script><script>document.title=666</script>"]}
    spec = demo_specification(second=ROUTER, **{EVIL: evil})
    with serving_pages(path, spec) as address:
        yield address


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as runner:
        # Tests may run as root, for whom Chromium has no sandbox; pages are our own.
        opened = runner.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield opened
        opened.close()


@contextlib.contextmanager
def tab(browser, url, *, theme="light", width=1280, script=True):
    """A page of the browser that has said nothing wrong in the end."""
    context = browser.new_context(
        base_url=url,
        color_scheme=theme,
        viewport={"width": width, "height": 900},
        java_script_enabled=script,
    )
    context.set_default_timeout(1000.0 * PATIENCE)
    page = context.new_page()
    said = []
    page.on("console", lambda message: said.append(f"{message.type}: {message.text}"))
    page.on("pageerror", lambda error: said.append(str(error)))

    def note(request):
        # A page that is left does not wait for its icon.
        if "ERR_ABORTED" not in (request.failure or ""):
            said.append(request.url)

    page.on("requestfailed", note)
    try:
        yield page
        assert said == []
    finally:
        context.close()


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("theme", THEMES)
def test_every_page_opens(browser, url, theme, width):
    with tab(browser, url, theme=theme, width=width) as page:
        for path in PAGES:
            answer = page.goto(path)
            assert answer.status == 200, path
            assert page.locator("h1").count() == 1
            assert page.evaluate(OVERFLOW) <= 0, path
            paper = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
            assert paper == ("rgb(255, 255, 255)" if theme == "light" else "rgb(20, 23, 28)")
        page.goto(AGENT)
        plots = page.locator(".plot canvas")
        assert plots.count() == 5
        shown = "wide" if width > 600 else "narrow"
        assert page.locator(f"svg.front.{shown}").is_visible()
        box = page.locator(".chart .uplot").first.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width


def test_charts_are_toggled_and_zoomed_and_a_zoom_has_an_address(browser, url):
    with tab(browser, url) as page:
        page.goto(AGENT)
        ends = [page.locator(f".filters [name={name}]") for name in ("from", "to")]
        whole = [end.input_value() for end in ends]
        chart = page.locator(".chart", has_text="Shares of arms")
        arm = chart.locator(".u-series").nth(1)
        arm.locator("th").click()
        assert "u-off" in arm.get_attribute("class")
        over = chart.locator(".u-over")
        over.scroll_into_view_if_needed()
        box = over.bounding_box()
        last = chart.locator(".u-series .u-value").first.inner_text()
        page.mouse.move(box["x"] + 0.3 * box["width"], box["y"] + 50)
        assert chart.locator(".u-series .u-value").first.inner_text() != last
        page.mouse.down()
        page.mouse.move(box["x"] + 0.6 * box["width"], box["y"] + 50, steps=3)
        page.mouse.up()
        zoomed = [end.input_value() for end in ends]
        assert whole[0] < zoomed[0] < zoomed[1] < whole[1]
        over.dblclick()
        assert [end.input_value() for end in ends] == whole
        for end, moment in zip(ends, zoomed, strict=True):
            end.fill(moment)
        page.get_by_role("button", name="Show").click()
        assert "from=" in page.url
        assert [end.input_value() for end in ends] == zoomed


def test_pages_are_complete_without_script(browser, url):
    with tab(browser, url, width=390, script=False) as page:
        for path in PAGES:
            assert page.goto(path).status == 200, path
            assert page.locator("h1").is_visible()
        page.goto(AGENT)
        tables = page.locator(".chart table")
        assert tables.count() == 5
        for table in tables.all():
            assert table.is_visible()
            assert table.locator("tbody tr").count() > 3
        assert page.locator("svg.front.narrow").is_visible()
        for name in ("choice", "slider", "priority_0", "other"):
            assert page.locator(f"[name={name}]").first.is_visible()
        page.check("[name=choice][value=levels]")
        page.select_option("[name=priority_0]", "2")
        page.select_option("[name=priority_1]", "1")
        page.get_by_role("button", name="Preview").click()
        assert "would get another arm" in page.locator(".preview").inner_text()


def test_a_preference_is_looked_at_and_saved(browser, url):
    with tab(browser, url) as page:
        page.goto(AGENT)
        before = page.locator(".facts").inner_text()
        page.check("[name=choice][value=weighted]")
        assert not page.locator("[name=priority_0]").is_visible()
        page.locator("[name=slider]").fill("90")
        assert "cost 0.9" in page.locator(".preference output").inner_text()
        page.get_by_role("button", name="Preview").click()
        preview = page.locator(".preview")
        assert "would get another arm" in preview.inner_text()
        assert preview.locator("table").first.locator("tbody tr").count() == 3
        # Nothing has changed, and the form still says what was looked at.
        assert page.locator(".facts").inner_text() == before
        assert page.locator("[name=slider]").input_value() == "90"
        page.get_by_role("button", name="Save").click()
        page.get_by_text("Saved.").wait_for()
        assert "0.9" in page.locator(".facts").inner_text()
        page.goto(AGENT)
        assert page.locator("[name=slider]").input_value() == "90"


def test_an_evaluation_is_asked_for(browser, url):
    with tab(browser, url) as page:
        page.goto(f"{AGENT}/evaluations")
        page.select_option("[name=arm]", "large")
        page.get_by_role("button", name="Evaluate").click()
        page.get_by_text("How much the log tells of it").wait_for()
        assert page.evaluate(OVERFLOW) <= 0
        assert page.locator(".lead").inner_text() in VERDICTS.values()
        assert "quality" in page.locator("table").first.inner_text()
        # The estimator of the verdict is shown; the others on demand.
        others = page.locator("details table")
        assert not others.is_visible()
        page.get_by_text("By other estimators").click()
        assert others.is_visible()
        assert "self-normalised" in others.inner_text()
        page.get_by_role("link", name="All evaluations").click()
        listed = page.locator("table").first.inner_text()
        assert "arm large" in listed
        said = [*IN_SHORT.values(), "better in quality", "better in cost"]
        assert any(text in listed for text in said)


def test_decisions_are_filtered_and_paged(browser, url):
    with tab(browser, url) as page:
        page.goto(f"{AGENT}/decisions")
        assert page.locator("tbody tr").count() == 50
        page.get_by_role("link", name="Older").click()
        assert page.locator("tbody th").first.inner_text() == "249"
        page.select_option("[name=arm]", "medium")
        page.get_by_role("button", name="Filter").click()
        arms = page.locator("tbody td[data-label=Arm]").all_inner_texts()
        assert arms
        assert set(arms) == {"medium"}
        page.locator("tbody a").first.click()
        assert page.get_by_role("heading", name="Explanation").is_visible()


@pytest.fixture
def locked(tmp_path):
    """A service that is left without a key, of whose pages a test makes the first one."""
    path = tmp_path / "router.db"
    write_demo(path, decisions=20)
    with serving_pages(path, demo_specification()) as address:
        yield address


def test_a_key_is_added_and_revoked(browser, locked):
    with tab(browser, locked) as page:
        page.goto("/keys")
        page.fill("[name=label]", EVIL)
        page.get_by_role("button", name="Add").click()
        assert page.locator("tbody th", has_text="<img").count() == 1
        assert page.locator("main img").count() == 0
        page.fill("[name=label]", "shop")
        page.check("[name=scope][value=read]")
        page.get_by_role("button", name="Add").click()
        key = page.locator("#new-key").inner_text()
        assert key.startswith("mb_")
        page.goto("/keys")
        assert key not in page.content()
        row = page.locator("tbody tr", has_text="shop")
        row.get_by_role("button", name="Revoke").click()
        page.locator("tbody tr", has_text="shop").get_by_text("revoked").wait_for()


def test_names_run_no_script(browser, url):
    with tab(browser, url) as page:
        page.goto("/")
        page.get_by_role("link", name=EVIL).click()
        assert page.locator("h1").inner_text().startswith(EVIL)
        assert page.title() != "666"
        assert page.locator("main img").count() == 0
