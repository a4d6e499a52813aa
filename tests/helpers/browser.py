"""A real browser looks at pages: what is wider than the window, and what cannot be read whole.

One Chromium opens one page of ours, which opens each page of the site in frames of the widths asked
for, measures, and posts what it found. That needs no driver.
"""

import json
import shutil
import subprocess
import threading
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)
MEASURE = """<!doctype html><script>
const asked = ASKED, found = [];
const SCROLLS = "pre, div.math, .output_subarea, .pst-scrollable-table-container";
function look(frame, page, width) {
  const inside = frame.contentDocument, root = inside.documentElement;
  const kept = e => e.closest(".headerlink") || e.parentElement.closest(SCROLLS);
  const name = e => e.tagName + ": " + e.textContent.trim().slice(0, 60);
  const article = inside.querySelector(".bd-article-container");
  const edge = article ? article.getBoundingClientRect().right + 1 : width;
  const wide = [...inside.querySelectorAll(".bd-article-container *")].filter(
    e => e.getBoundingClientRect().right > edge && !kept(e));
  const cut = [...inside.querySelector("main").querySelectorAll(SCROLLS)]
    .filter(e => e.scrollWidth > e.clientWidth + 1);
  const broken = [...inside.images].filter(i => i.complete && !i.naturalWidth);
  found.push({page, width, overflow: root.scrollWidth > width, wide: wide.slice(0, 3).map(name),
    cut: cut.slice(0, 3).map(name), broken: broken.map(i => i.src)});
}
async function open(page, width) {
  const frame = document.createElement("iframe");
  frame.width = width; frame.height = 900; frame.style.border = 0;
  frame.src = page;
  await new Promise(done => { frame.onload = done; document.body.append(frame); });
  const math = frame.contentWindow.MathJax;
  if (math && math.startup && math.startup.promise) await math.startup.promise;
  look(frame, page, width);
  frame.remove();
}
async function worker() { while (asked.length) await open(...asked.pop()); }
onload = async () => {
  await Promise.all([worker(), worker(), worker()]);
  await fetch("/found", {method: "POST", body: JSON.stringify(found)});
};
</script><body></body>"""


def chromium():
    """The browser, if there is one."""
    names = ("chromium", "chromium-browser", "google-chrome", "chrome")
    return next(filter(None, map(shutil.which, names)), None)


def measure(site, pages, widths, profile):
    """What each page looks like at each width."""
    ready, found = threading.Event(), []
    page = MEASURE.replace("ASKED", json.dumps([[p, w] for w in widths for p in pages]))

    class Handler(SimpleHTTPRequestHandler):
        def do_GET(self):
            if self.path != "/measure":
                return super().do_GET()
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(page.encode())

        def do_POST(self):
            found.extend(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(204)
            self.end_headers()
            ready.set()

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=site))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}/measure"
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    port = "--remote-debugging-port=0"  # keeps it open until we close it
    command = [chromium(), *FLAGS, port, f"--user-data-dir={profile}", address]
    browser = subprocess.Popen(command, **quiet)
    try:
        assert ready.wait(180), "the browser did not answer"
    finally:
        browser.terminate()
        browser.wait(20)
        server.shutdown()
        server.server_close()
    return found


def visited(page, profile):
    """A page as its scripts have changed it, and what they said on the console."""
    flags = (*FLAGS, f"--user-data-dir={profile}", "--virtual-time-budget=10000", "--dump-dom")
    command = [chromium(), *flags, "--enable-logging=stderr", page]
    made = subprocess.run(command, capture_output=True, text=True, check=True)
    return made.stdout, [line for line in made.stderr.splitlines() if ":CONSOLE" in line]


@contextmanager
def served(folder):
    """The address of a folder on this machine."""

    class Handler(SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=folder)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
