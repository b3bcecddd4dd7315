"""A browser that tests drive: Chromium by its own protocol, over two pipes, with nothing to install.

https://chromedevtools.github.io/devtools-protocol/
"""

import base64
import json
import os
import select
import shutil
import subprocess
import time
from contextlib import contextmanager

CHROMIUM = shutil.which("chromium")
OPTIONS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--hide-scrollbars",
    "--disable-background-networking",
    "--disable-dev-shm-usage",
    "--remote-debugging-pipe",
)
PATIENCE = 60.0  # seconds for one answer, on a machine that has other things to do
KEYS = {"Enter": ("\r", 13), " ": (" ", 32), "+": ("+", 187), "-": ("-", 189)}


@contextmanager
def browser(folder):
    """An open page of a browser that keeps its files in a folder."""
    # The browser reads commands from its third file and writes answers to its fourth.
    commands, to_browser = os.pipe()
    from_browser, answers = os.pipe()
    program = [CHROMIUM, *OPTIONS, f"--user-data-dir={folder / 'profile'}", "about:blank"]
    redirected = f'exec "$@" 3<&{commands} 4>&{answers}'
    process = subprocess.Popen(
        ["bash", "-c", redirected, "bash", *map(str, program)],
        pass_fds=(commands, answers),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(commands)
    os.close(answers)
    try:
        yield Page(to_browser, from_browser, folder)
    finally:
        os.close(to_browser)
        os.close(from_browser)
        process.kill()
        process.wait()


class Page:
    """One page: what a person can do with it, and what they see."""

    def __init__(self, to_browser, from_browser, folder):
        self.to_browser = to_browser
        self.from_browser = from_browser
        self.folder = folder
        self.received = b""
        self.count = 0
        self.session = None
        (target,) = [
            one for one in self.call("Target.getTargets")["targetInfos"] if one["type"] == "page"
        ]
        attached = self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)
        self.session = attached["sessionId"]
        self.call("Page.enable")
        self.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(folder))

    def call(self, method, **parameters):
        """Send a command, and wait for its answer."""
        self.count += 1
        command = {"id": self.count, "method": method, "params": parameters}
        if self.session:
            command["sessionId"] = self.session
        os.write(self.to_browser, json.dumps(command).encode() + b"\0")
        answer = self.message(lambda said: said.get("id") == self.count)
        assert "error" not in answer, answer
        return answer["result"]

    def message(self, wanted):
        """The next message that is wanted; others are left out."""
        end = time.monotonic() + PATIENCE
        while True:
            text, found, rest = self.received.partition(b"\0")
            if found:
                self.received = rest
                said = json.loads(text)
                if wanted(said):
                    return said
                continue
            ready, _, _ = select.select([self.from_browser], [], [], end - time.monotonic())
            assert ready, "the browser does not answer"
            part = os.read(self.from_browser, 1 << 16)
            assert part, "the browser has ended"
            self.received += part

    def open(self, path, *, width=1280, height=900, theme="light", script=True, fragment=""):
        """Load a file."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )
        features = [{"name": "prefers-color-scheme", "value": theme}]
        self.call("Emulation.setEmulatedMedia", features=features)
        self.call("Emulation.setScriptExecutionDisabled", value=not script)
        # Another fragment alone would not load the page again; what comes after "?" is nothing to a file.
        address = f"{path.as_uri()}?{self.count}#{fragment}" if fragment else path.as_uri()
        self.call("Page.navigate", url=address)
        self.message(lambda said: said.get("method") == "Page.loadEventFired")

    def value(self, expression):
        """What an expression of JavaScript gives."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def middle(self, element):
        """Scroll to an element, given by an expression, and say where its middle is."""
        self.value(f"{element}.scrollIntoView({{block: 'center'}})")
        box = self.value(f"{element}.getBoundingClientRect().toJSON()")
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def mouse(self, kind, x, y):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def drag(self, start, end):
        """Press the button at one place, and release it at another."""
        self.hover(*start)
        self.mouse("mousePressed", *start)
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=end[0], y=end[1], buttons=1)
        self.mouse("mouseReleased", *end)

    def hover(self, x, y):
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def click(self, element):
        x, y = self.middle(element)
        self.mouse("mousePressed", x, y)
        self.mouse("mouseReleased", x, y)

    def press(self, key):
        text, code = KEYS.get(key, ("", 0))
        said = {"key": key, "code": key, "windowsVirtualKeyCode": code}
        self.call("Input.dispatchKeyEvent", type="keyDown", text=text, **said)
        self.call("Input.dispatchKeyEvent", type="keyUp", **said)

    def downloaded(self, name):
        """The text of a file, once it is there."""
        path = self.folder / name
        end = time.monotonic() + PATIENCE
        while not path.is_file() or not path.stat().st_size:
            assert time.monotonic() < end, sorted(each.name for each in self.folder.iterdir())
            time.sleep(0.02)
        return path.read_bytes().decode()

    def screenshot(self, path):
        """The whole page as a picture, for people to look at."""
        shot = self.call("Page.captureScreenshot", captureBeyondViewport=True)
        path.write_bytes(base64.b64decode(shot["data"]))
