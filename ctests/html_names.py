"""html_names.py PAGE: names of ctests/html_names.sh are shown unchanged."""

import sys

from browser import Browser, Checks

NAMES = [
    "</script><script>document.title='run'</script>", "<img src=x onerror=\"document.title='run'\">",
    "quote \" and ' \\ &amp; &", "<!-- <script> -->", "]]>", "@CUT@", "__proto__", "constructor",
    "tab\\x09and\\x0aline", "café", "bad \\xff\\xc3", "line \\u2028 separator", "left \\u202e right",
    "a\\x41", "a\\x5c", "-->", "a very long name: " + 1999 * "0" + "7",
]
page = sys.argv[1]
checks = Checks()
same, true = checks.same, checks.true

text = open(page, "rb").read().decode("utf-8")
data = text.split('<script type="application/json" id="profile">')[1]
true("the data ends with its element", "<" not in data[:data.index("</script>")])

with Browser() as browser:
    browser.size(1400, 2000)
    browser.open(page)
    browser.click("#open-all")
    browser.settle()
    shown = browser.js('return [...document.querySelectorAll(".paths .label")].map((l) => l.textContent)')
    for name in NAMES:
        true(f"name {name[:40]!r}", name in shown, shown)
    title = browser.driver.title
    true("title", title.startswith("phases <b>&\"x'"), title)
    same("heading", browser.find("h1").text, "phases <b>&\"x'")
    browser.click("summary")
    command = browser.find(".more").text
    true("command", "</script><script>document.title='run'</script>" in command, command)
    for name in ("__proto__", "</script>", "constructor", "caf"):
        browser.click("#query")
        browser.js("arguments[0].select()", browser.find("#query"))
        browser.find("#query").send_keys(name)
        browser.settle()
        same(f"hits of {name}", browser.find("#hits").text, "1 of 1 hits")
        true("are marked", browser.find(".paths mark").text == name)
    for tab in ("icicle", "regions", "tree"):
        browser.click("#tab-" + tab)
        browser.settle()
    same("scripts", len(browser.all("script")), 2)
    same("images", len(browser.all("img")), 0)
    same("what the browser complains about", browser.complaints(), [])

    browser.scripts(False)
    browser.open(page)
    names = [e.text for e in browser.all("noscript tbody th")]
    same("without scripts", len(names), 50)
    true("the tree is not there", not browser.find("#app").is_displayed())
    same("columns", [e.text for e in browser.all("noscript thead th")],
         ["Region", "Calls", "Inclusive (s)", "Exclusive (s)", "Exclusive"])
    true("markup is text there", len(browser.all("noscript b, noscript img")) == 0)
checks.end()
