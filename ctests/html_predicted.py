"""html_predicted.py PAGE PLAIN: a page with a prediction, and one without."""

import sys

from browser import Browser


def same(what, found, wanted):
    if found != wanted:
        sys.exit(f"{what}: {found!r}, not {wanted!r}")


def cells(browser, key):
    return browser.js("return Array.from(document.querySelectorAll('#view-tree [data-path] .cell.' + arguments[0]))"
                      ".map((cell) => cell.textContent)", key)


with Browser() as browser:
    browser.open(sys.argv[1])
    browser.settle()
    same("predicted", cells(browser, "predicted"), ["5.000 s", "1.500 s", "–"])
    same("errors", cells(browser, "missed"), ["+25.0%", "−25.0%", "–"])
    detail = browser.js("return document.getElementById('detail').innerText")
    if "for next <i>one</i>, error +25.0%" not in detail:
        sys.exit(f"detail: {detail!r}")
    browser.open(sys.argv[2])
    browser.settle()
    same("columns without a prediction",
         browser.js("return document.querySelectorAll('.cell.predicted, .cell.missed').length"), 0)
