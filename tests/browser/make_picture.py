"""Take the picture of report.html that the README shows: scores and frontier of the first setting, in light.

`python tests/browser/make_picture.py REPORT.html PICTURE.png`
"""

import shutil
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

WANTED = ("Designs", "Scores", "Accuracy and cost")
# Leave the first setting's wanted parts, and in them the figures without what folds out.
KEEP = """(wanted) => {
  let keep = true;
  for (const node of [...document.querySelector("main section[id]").children]) {
    const title = /^H[34]$/.test(node.tagName) ? node.textContent : null;
    if (title !== null) keep = wanted.some((name) => title === name || title.startsWith(name + " at"));
    if (!keep || node.tagName === "DETAILS") node.remove();
  }
  document.querySelectorAll("nav, footer, #probes, .equivalent").forEach((node) => node.remove());
}"""


def take(report: Path, picture: Path) -> None:
    """Write the picture. Raises SystemExit where there is no chromium."""
    chromium = shutil.which("chromium")
    if chromium is None:
        sys.exit("no chromium is installed (Debian: apt-get install chromium)")
    with sync_playwright() as playwright:
        flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"]
        browser = playwright.chromium.launch(executable_path=chromium, args=flags)
        page = browser.new_page(viewport={"width": 1000, "height": 800}, color_scheme="light")
        page.goto(report.resolve().as_uri())
        page.evaluate(KEEP, list(WANTED))
        picture.parent.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=picture, full_page=True)
        browser.close()


if __name__ == "__main__":
    take(Path(sys.argv[1]), Path(sys.argv[2]))
