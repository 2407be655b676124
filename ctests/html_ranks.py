"""html_ranks.py STATISTICS BOTH: pages of statistics over ranks, without and with the reports of ranks."""

import sys

from browser import Browser


def same(what, found, wanted):
    if found != wanted:
        sys.exit(f"{what}: {found!r}, not {wanted!r}")


def has(what, text, *parts):
    for part in parts:
        if part not in text:
            sys.exit(f"{what}: no {part!r} in {text!r}")


def choose(browser, name):
    browser.js("Array.from(document.querySelectorAll('#view-tree [data-path]')).find("
               "(row) => row.querySelector('.label').textContent === arguments[0]).click()", name)
    browser.settle()


with Browser() as browser:
    browser.open(sys.argv[1])
    browser.settle()
    has("head", browser.js("return document.querySelector('header').innerText"), "3 ranks with 3 threads")
    choose(browser, "sync_Allreduce")
    detail = browser.js("return document.getElementById('detail').innerText")
    has("detail", detail, "3 of 3 ranks", "mean 2.000 s", "most 3.000 s (rank 0 thread 0)",
        "least 1.000 s (rank 1)", "imbalance 50.0%", "Late is rank 1", "waited 3.000 s longer")
    same("bars", browser.js("return document.querySelectorAll('#detail .histogram rect').length"), 3)
    choose(browser, "main")
    same("late", browser.js("return document.querySelectorAll('#detail .waiting').length"), 0)
    same("heat map", browser.js("return document.getElementById('tab-heat').hidden"), True)

    browser.open(sys.argv[2])
    browser.settle()
    choose(browser, "sync_Allreduce")
    detail = browser.js("return document.getElementById('detail').innerText")
    has("detail", detail, "3 of 3 ranks", "mean 2.000 s", "most 3.000 s (rank 0)", "least 1.000 s (rank 1)",
        "standard deviation 816.5 ms", "imbalance 50.0%", "Late is rank 1", "waited 3.000 s longer")
    same("bars", browser.js("return document.querySelectorAll('#detail .histogram rect').length"), 3)
    same("heat map", browser.js("return document.getElementById('tab-heat').hidden"), False)
    errors = [e for e in browser.driver.get_log("browser") if e["level"] == "SEVERE"]
    same("errors", errors, [])
