"""html_metrics.py: checks the pages of ctests/html_metrics.sh, which has set the numbers."""

from browser import Browser, Checks, Keys

checks = Checks()
same, true = checks.same, checks.true

CELLS = """
const table = arguments[0];
return Object.fromEntries([...document.querySelectorAll(table + " .body .row")].map((row, i) => [
    row.querySelector(".label").textContent + (table === ".paths" ? "/" + row.getAttribute("aria-level") : ""),
    [...row.querySelectorAll("[role=gridcell]")].slice(1).map((cell) => cell.textContent)]))"""


def names(browser, table):
    return [label.text for label in browser.all(table + " .body .label")]


def heads(browser, table):
    return browser.js("return [...document.querySelectorAll(arguments[0] + ' [role=columnheader]')]"
                      ".map((h) => h.textContent)", table)


def chosen_heads(browser, table):
    return heads(browser, table)[5:]


def cells(browser, table, name):
    """Columns of metrics, without the preceding time, time and calls."""
    return browser.js(CELLS, table)[name][3:]


def menu(browser, *labels):
    """Toggle the boxes with these labels in the menu of the current view."""
    browser.click("#menus .menu:not([hidden]) summary")
    for box in browser.all("#menus .menu:not([hidden]) label"):
        if box.text in labels:
            box.click()
    browser.keys(Keys.ESCAPE)
    browser.settle()
    true("Escape closes the menu", not browser.find("#menus .menu:not([hidden])").get_attribute("open"))
    same("and the focus stays", browser.js("return document.activeElement.tagName"), "SUMMARY")


def select(browser, selector, value):
    browser.js("const s = document.querySelector(arguments[0]); s.value = arguments[1];"
               "s.dispatchEvent(new Event('change'));", selector, value)
    browser.settle()


def head(browser):
    text = browser.find("header").text
    true("what was refused", "PAPI_<i>X was not counted in 2 processes: no counter & no \"event\"" in text, text)
    true("what is estimated", "~ is estimated:" in text, text)
    browser.click(".events summary")
    text = browser.find(".events").text
    for wanted in ("things <b>.", "= PAPI_A/PAPI_B. things a bit", "In bits. Counted by 1 of 2 processes.",
                   "Counts for the whole process", "n/a in less than 2.5e-06 s"):
        true("events", wanted in text, wanted, text)
    browser.click(".events summary")


def tree(browser):
    browser.click("#open-all")
    # E is process-wide, and there are two processes: it lacks a sum and a column.
    same("columns", chosen_heads(browser, ".paths"), ["A", "B", "R", "S"])
    # B and R are of rank 0.
    same("main", cells(browser, ".paths", "main/1"), ["4,002", "200", "10.00", "~100.0 M"])
    same("solve", cells(browser, ".paths", "solve/2"), ["2,400", "100", "12.00", "~100.0 M"])
    same("dot in solve", cells(browser, ".paths", "dot/3"), ["~800", "~20", "~20.00", "~100.0 M"])
    same("alone", cells(browser, ".paths", "alone/1"), ["25.00 G", "5", "5.000 G", "~5.000 P"])
    times = browser.js(CELLS, ".paths")
    true("~ before what is estimated", times["dot/3"][0][0] == times["dot/3"][1][0] == "~", times)
    true("and what is left of it", times["solve/2"][0][0] != "~" and times["solve/2"][1][0] == "~", times)
    title = browser.js("return [...document.querySelectorAll('.paths .row')].find((r) => "
                       "r.getAttribute('aria-level') === '3').querySelector('.cell.total').title")
    same("tooltip", title, "± 1.200 µs in 95 of 100 cases")
    menu(browser, "PAPI_A, exclusive", "E, inclusive", "± of inclusive times", "S, inclusive", "GPTL_R, exclusive")
    same("columns", chosen_heads(browser, ".paths"), ["±", "A", "A excl.", "B", "R", "R excl.", "E"])
    same("solve", cells(browser, ".paths", "solve/2"), ["–", "2,400", "~1,600", "100", "12.00", "~10.00", "–"])
    same("dot", cells(browser, ".paths", "dot/3")[0], "1.200 µs")
    same("alone is of one process", cells(browser, ".paths", "alone/1")[-1], "3")
    browser.click(".paths .head .metric2all button")
    same("sorted by R", names(browser, ".paths"), ["alone", "main", "solve", "dot", "dot"])
    same("aria-sort", browser.find(".paths .head .metric2all").get_attribute("aria-sort"), "descending")
    menu(browser, "GPTL_R, inclusive")
    same("without that column", browser.find(".paths .head .total").get_attribute("aria-sort"), "descending")
    focusable = browser.js("return [...document.querySelectorAll('.paths .head button')].every((b) => b.tabIndex === 0)")
    true("heads can be reached by Tab", focusable)
    wide = browser.js("const b = document.querySelector('.paths'); return b.scrollWidth - b.clientWidth")
    browser.size(1000, 800)
    browser.js("document.querySelector('.paths').scrollLeft = 150")
    browser.settle()
    left = browser.js("const r = document.querySelector('.paths .body .row'), b = document.querySelector('.paths');"
                      "return r.querySelector('.name').getBoundingClientRect().left - b.getBoundingClientRect().left")
    true("names stay when it scrolls sideways", abs(left) < 2, left, wide)
    browser.size(1400, 900)


def regions(browser):
    browser.click("#tab-regions")
    browser.settle()
    same("columns", chosen_heads(browser, ".flat"), ["A excl.", "B excl.", "R excl.", "S excl."])
    # 4 x 200 in solve, and 4 x 90 in main; B of rank 0: 2 x 10 and 2 x 30.
    same("dot", cells(browser, ".flat", "dot"), ["~1,160", "~80", "~7.250", "~58.00 M"])
    same("main", cells(browser, ".flat", "main"), ["1,242", "40", "15.50", "~310.5 M"])
    browser.click(".flat .head .metric0own button")
    same("sorted", names(browser, ".flat"), ["alone", "solve", "main", "dot"])
    menu(browser, "PAPI_A, inclusive")
    same("with inclusive", cells(browser, ".flat", "main")[0], "4,002")


def icicle(browser):
    browser.click("#tab-icicle")
    browser.settle()
    same("widths", browser.js("return [...document.querySelector('.icicle-head select').options].map((o) => o.text)"),
         ["Time", "A", "B"])
    select(browser, ".icicle-head select", "metric1")
    true("said", "PAPI_B" in browser.find(".zoomed").text, browser.find(".zoomed").text)
    # Of the 205 of B, main has 200.
    browser.js("""const c = document.querySelector("canvas"), r = c.getBoundingClientRect();
        c.dispatchEvent(new MouseEvent("mousemove",
            { clientX: r.left + r.width * 0.96, clientY: r.top + 33 }))""")
    same("at 96 % is main", browser.find(".tip .label").text, "main")
    true("with its count", "200 B, 97.6% of total; exclusive 40" in browser.find(".tip").text,
         browser.find(".tip").text)
    browser.js("""const c = document.querySelector("canvas"), r = c.getBoundingClientRect();
        c.dispatchEvent(new MouseEvent("mousemove",
            { clientX: r.left + r.width * 0.99, clientY: r.top + 33 }))""")
    same("at 99 % is the other", browser.find(".tip .label").text, "alone")


def details(browser):
    browser.click("#tab-tree")
    browser.click("#query")
    browser.keys("solve", Keys.ENTER)
    browser.settle()
    facts = browser.find("#detail .figures").text
    true("facts", "A\n2,400\n100 million a second, exclusive ~1,600" in facts.replace("\n\n", "\n"), facts)
    true("±", "± 1.200 µs" in facts, facts)
    select(browser, ".links select", "metric2")
    rows = [r.text for r in browser.all(".links tbody tr")]
    same("callers and callees", rows, ["main 16 12.00", "dot 4,000 ~20.00"])
    select(browser, ".lanes select", "metric0")
    bars = [b.text.split("\n") for b in browser.all(".bars .row")]
    same("lanes", [b[-1] for b in bars], ["600", "600", "600", "600"])


with Browser() as browser:
    browser.open("page.html")
    for look in (head, tree, regions, icicle, details):
        look(browser)
    same("complaints", browser.complaints(), [])
    browser.open("one.html")
    browser.click("#open-all")
    same("one process", chosen_heads(browser, ".paths"), ["A", "B", "R", "E"])
    same("its first thread", cells(browser, ".paths", "main/1")[-1], "50")
    same("what another has", cells(browser, ".paths", "alone/1")[-1], "3")
    browser.click("#tab-regions")
    browser.settle()
    same("the first of a region", cells(browser, ".flat", "dot")[-1], "~12")
    same("complaints", browser.complaints(), [])
    browser.open("chosen.html")
    same("--metrics", chosen_heads(browser, ".paths"), ["B"])
    browser.scripts(False)
    browser.open("page.html")
    text = browser.find(".plain table").text
    true("without scripts", "PAPI_A, exclusive" in text and "~" in text, text)
checks.end()
