"""Chromium without a window, driven over a pipe by the DevTools protocol: what a page draws, says
and asks of the network can be looked at from a test. Python's own modules only.

The protocol: https://chromedevtools.github.io/devtools-protocol/; messages are JSON, each ended by
a zero byte, to the browser on its descriptor 3 and from it on 4.
"""
import base64
import json
import os
import select
import shutil
import signal
import subprocess
import tempfile
import time

NAMES = ("chromium", "chromium-browser", "google-chrome")
ANSWER_S = 60  # for one answer; the slowest, a page of 10,000 points, takes 2 s on two cores


def find():
    """The browser's path, or None. RAFTER_CHROMIUM names another."""
    given = os.environ.get("RAFTER_CHROMIUM")
    return given or next(filter(None, map(shutil.which, NAMES)), None)


class Failed(Exception):
    """The browser said no, or nothing in time."""


class Chromium:
    """One browser with one page. `requests`, `complaints`: what the page asked of the network and
    wrote into the console, since the last Open."""

    def __init__(self, width=1280, height=900):
        self._folder = tempfile.mkdtemp(prefix="rafter-chromium-")
        to_browser, self._out = os.pipe()
        self._in, from_browser = os.pipe()
        command = [find(), "--headless=new", "--remote-debugging-pipe", "--no-first-run",
                   "--disable-gpu", "--disable-extensions", "--disable-background-networking",
                   "--disable-component-update", "--host-resolver-rules=MAP * ~NOTFOUND",
                   f"--user-data-dir={self._folder}"]
        if os.geteuid() == 0:
            command.append("--no-sandbox")  # its sandbox does not work as root
        command += os.environ.get("RAFTER_CHROMIUM_FLAGS", "").split()

        def place():
            # Out of the way first: either may sit on 3 or 4.
            read, write = os.dup(to_browser), os.dup(from_browser)
            high = os.dup2(read, 100), os.dup2(write, 101)
            os.dup2(high[0], 3)
            os.dup2(high[1], 4)

        self._process = subprocess.Popen(
            command + ["about:blank"], preexec_fn=place, close_fds=False,
            start_new_session=True,  # so that all of its processes can be ended
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self._rest = b""
        self._number = 0
        self._session = None
        self._events = []
        self.requests = []
        self.complaints = []
        target = self.call("Target.createTarget", url="about:blank")
        attached = self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(domain + ".enable")
        self.size(width, height)

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.close()

    def close(self):
        try:
            os.close(self._out)
            os.close(self._in)
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _receive(self, deadline):
        while b"\0" not in self._rest:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self._in], [], [], left)[0]:
                raise Failed(f"no answer from {find()} in {ANSWER_S} s")
            piece = os.read(self._in, 1 << 16)
            if not piece:
                raise Failed(f"{find()} ended by itself")
            self._rest += piece
        message, self._rest = self._rest.split(b"\0", 1)
        return json.loads(message)

    def _take(self, event):
        method, told = event.get("method"), event.get("params", {})
        if method == "Network.requestWillBeSent":
            self.requests.append(told["request"]["url"])
        elif method == "Runtime.exceptionThrown":
            details = told["exceptionDetails"]
            self.complaints.append(details.get("exception", {}).get("description")
                                   or details["text"])
        elif method == "Runtime.consoleAPICalled" and told["type"] in ("error", "warning", "assert"):
            self.complaints.append(" ".join(str(a.get("value", a.get("description")))
                                            for a in told["args"]))
        elif method == "Log.entryAdded" and told["entry"]["level"] in ("error", "warning"):
            self.complaints.append(told["entry"]["text"])
        self._events.append(method)

    def call(self, method, **params):
        """One command and its result."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + ANSWER_S
        while True:
            answer = self._receive(deadline)
            if answer.get("id") != self._number:
                self._take(answer)
                continue
            if "error" in answer:
                raise Failed(f"{method}: {answer['error']['message']}")
            return answer["result"]

    def open(self, path):
        """Loads a file and waits for its load event."""
        self.requests, self.complaints, self._events = [], [], []
        self.call("Page.navigate", url="file://" + os.path.abspath(path))
        deadline = time.monotonic() + ANSWER_S
        while "Page.loadEventFired" not in self._events:
            self._take(self._receive(deadline))

    def value(self, script):
        """What an expression of the page is worth; promises are awaited."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True,
                           awaitPromise=True)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise Failed(details.get("exception", {}).get("description") or details["text"])
        return answer["result"].get("value")

    def until(self, script, seconds=20):
        """Waits for an expression to become true."""
        deadline = time.monotonic() + seconds
        while not self.value(script):
            if time.monotonic() > deadline:
                raise Failed(f"not true after {seconds} s: {script}")
            time.sleep(0.02)

    def prefer(self, **features):
        """prefer(prefers_color_scheme="dark")."""
        self.call("Emulation.setEmulatedMedia",
                  features=[{"name": name.replace("_", "-"), "value": value}
                            for name, value in features.items()])

    def mouse(self, x, y, kind="mouseMoved", **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def click(self, x, y):
        self.mouse(x, y)
        for kind in ("mousePressed", "mouseReleased"):
            self.mouse(x, y, kind, button="left", clickCount=1)

    def key(self, key, code=None, text=None, number=0, modifiers=0):
        """Presses and releases a key: key("Tab", number=9)."""
        common = {"key": key, "code": code or key, "windowsVirtualKeyCode": number,
                  "modifiers": modifiers}
        if text:
            common["text"] = text
        self.call("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", **common)
        common.pop("text", None)
        self.call("Input.dispatchKeyEvent", type="keyUp", **common)

    def size(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=False)

    def picture(self, path, whole=False):
        answer = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        with open(path, "wb") as file:
            file.write(base64.b64decode(answer["data"]))
