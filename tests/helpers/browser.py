"""A real browser looks at pages: what is too wide, too small or too faint, and its complaints.

One Chromium opens one page of ours, which opens each page of the site in frames of the widths asked
for, measures, and posts what it found. That needs no driver.
"""

import json
import re
import shutil
import subprocess
import tempfile
import threading
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace

FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)
MEASURE = """<!doctype html><script>
const asked = ASKED, found = [];
const SCROLLS = "pre, div.math, .output_subarea, .pst-scrollable-table-container, .picture-scrolls";
function channels(color) {
  const [r, g, b, alpha = 1] = color.match(/[0-9.]+/g).map(Number);
  return {rgb: [r, g, b], alpha};
}
function behind(e) {
  for (; e; e = e.parentElement) {
    const color = channels(e.ownerDocument.defaultView.getComputedStyle(e).backgroundColor);
    if (color.alpha > 0.5) return color.rgb;
  }
  return [255, 255, 255];
}
function luminance(rgb) {
  const [r, g, b] = rgb.map(c => c <= 10 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
function contrast(e, style) {
  const ink = luminance(channels(style.color).rgb), paper = luminance(behind(e));
  return (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05);
}
function texts(inside) {  // each element with text that is seen, with its style
  const walker = inside.createTreeWalker(inside.body, NodeFilter.SHOW_TEXT), seen = new Set();
  for (let text; text = walker.nextNode();) if (text.data.trim()) seen.add(text.parentElement);
  const unseen = "script, style, noscript, mjx-container, .visually-hidden";
  return [...seen].filter(e => !e.closest(unseen))
    .filter(e => e.checkVisibility({opacityProperty: true, visibilityProperty: true}))
    .map(e => ({e, style: inside.defaultView.getComputedStyle(e)}));
}
function look(frame, page, width) {
  const inside = frame.contentDocument, root = inside.documentElement;
  const kept = e => e.closest(".headerlink, mjx-assistive-mml") || e.parentElement.closest(SCROLLS);
  const name = e => e.tagName + ": " + e.textContent.trim().slice(0, 60);
  const article = inside.querySelector(".bd-article-container");
  const edge = article ? article.getBoundingClientRect().right + 1 : width;
  const wide = [...inside.querySelectorAll(".bd-article-container *")].filter(
    e => e.getBoundingClientRect().right > edge && !kept(e));
  wide.push(...[...inside.querySelectorAll("div.math > mjx-container")].filter(
    e => e.getBoundingClientRect().left < 0));  // what is scrolled to begins before the page
  const cut = [...inside.querySelector("main").querySelectorAll(SCROLLS)]
    .filter(e => e.scrollWidth > e.clientWidth + 1);
  const overflow = root.scrollWidth > width;
  const broken = [...inside.images].filter(i => i.complete && !i.naturalWidth).map(i => i.src)
    .concat([...inside.querySelectorAll("mjx-merror")].map(name));
  const scale = e => e.getScreenCTM ? e.getScreenCTM().a : 1;
  const height = ({e, style}) => parseFloat(style.fontSize) * scale(e);
  const small = texts(inside).filter(t => height(t) && height(t) < 11).map(t => name(t.e));
  const elsewhere = frame.contentWindow.performance.getEntriesByType("resource")
    .map(r => r.name).filter(n => n.startsWith("http") && !n.startsWith(location.origin));
  const touch = inside.defaultView.matchMedia("(hover: none)").matches;  // as without a screen
  const hidden = [...inside.querySelectorAll("button.copybtn")]
    .filter(e => touch && inside.defaultView.getComputedStyle(e).opacity < 1)
    .map(e => name(e.parentElement));
  const faint = [];
  const still = inside.createElement("style");
  still.textContent = "* {transition: none !important}";
  inside.head.append(still);
  for (const mode of ["light", "dark"]) {
    root.dataset.theme = mode;
    const read = width > 600 ? texts(inside) : [];  // colours do not depend on the width
    faint.push(...read.filter(t => contrast(t.e, t.style) < 4.5).map(t => `${mode} ${name(t.e)}`));
  }
  found.push({page, width, overflow, wide: wide.slice(0, 3).map(name),
    cut: cut.slice(0, 3).map(name), broken,
    small, faint, elsewhere, hidden});
}
async function open(page, width) {
  const frame = document.createElement("iframe");
  frame.width = width; frame.height = 800; frame.style.border = 0;
  frame.src = FOLDER + page;
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

BROWSERS = "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"


def chromium():
    """The browser, if there is one."""
    return next(filter(None, map(shutil.which, BROWSERS)), None)


class Quiet(SimpleHTTPRequestHandler):
    """Serves files, and prints nothing."""

    def log_message(self, *_):
        pass


def measure(root, folder, pages, widths, profile):
    """What pages look like at each width, what the server lacks, and what the console says."""
    ready, seen = threading.Event(), SimpleNamespace(pages=[], missing=[], said=[])
    page = MEASURE.replace("ASKED", json.dumps([[p, w] for w in widths for p in pages]))
    page = page.replace("FOLDER", json.dumps(folder))

    class Handler(Quiet):
        def do_GET(self):
            if self.path != "/measure":
                return super().do_GET()
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(page.encode())

        def do_POST(self):
            seen.pages.extend(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(204)
            self.end_headers()
            ready.set()

        def log_error(self, *_):
            if self.path != "/favicon.ico":  # of our own page
                seen.missing.append(self.path)

    # The port keeps it open until we close it.
    options = ("--remote-debugging-port=0", "--enable-logging=stderr")
    command = [chromium(), *FLAGS, *options, f"--user-data-dir={profile}"]
    with served(root, Handler) as address, tempfile.TemporaryFile("w+") as log:
        asked = [*command, f"{address}/measure"]
        browser = subprocess.Popen(asked, stdout=subprocess.DEVNULL, stderr=log)
        try:
            assert ready.wait(300), "the browser did not answer"
        finally:
            browser.terminate()
            browser.wait(20)
        log.seek(0)
        seen.said = console(log.read())
    return seen


def console(log):
    """What pages wrote to the console, but for what the theme tells of its work."""
    said = re.findall(r":CONSOLE:\d+\] (.*)", log)
    usual = ("Scrolled sidebar", "Changed to", "Set focus", "This is the preferred version")
    return [line for line in said if not line.startswith(tuple(f'"[PST]: {it}' for it in usual))]


def visited(page, profile):
    """A page as its scripts have changed it, and what they said on the console."""
    flags = (*FLAGS, f"--user-data-dir={profile}", "--virtual-time-budget=10000", "--dump-dom")
    command = [chromium(), *flags, "--enable-logging=stderr", page]
    made = subprocess.run(command, capture_output=True, text=True, check=True)
    return made.stdout, console(made.stderr)


@contextmanager
def served(folder, handler=Quiet):
    """The address of a folder on this machine."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(handler, directory=folder)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
