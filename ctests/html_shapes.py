"""html_shapes.py: checks the pages of ctests/html_shapes.sh."""

from browser import Browser, Checks, Keys

checks = Checks()
same, true = checks.same, checks.true


def chosen(browser):
    return browser.find(".paths .row[aria-selected=true] .label").text


def every_view(browser):
    for tab in ("icicle", "regions", "heat", "tree"):
        if not browser.find("#tab-" + tab).is_displayed():
            continue  # there are no lanes to compare
        browser.click("#tab-" + tab)
        browser.settle()
    for button in ("hot", "open-all", "close-all"):
        browser.click("#" + button)
        browser.settle()
    browser.click("#query")
    browser.keys("a", Keys.ENTER, Keys.ESCAPE)
    browser.settle()


def deep(browser):
    browser.click("#open-all")
    browser.js("document.querySelector('.paths').focus()")
    browser.keys(Keys.END)
    browser.settle()
    same("the deepest", chosen(browser), "level_20000")
    row = browser.find(".paths .row[aria-selected=true]")
    same("its level", row.get_attribute("aria-level"), "20000")
    true("how deep it is, is seen", "20000" in row.text)
    name = browser.js("return arguments[0].getBoundingClientRect()", row.find_element("css selector", ".label"))
    true("so is its name", name["width"] > 50 and name["right"] < 1400, name)
    same("the way there is cut", len(browser.all(".crumbs > *")), 7)
    browser.click("#tab-icicle")
    browser.settle()
    true("the icicle is scrolled to it", browser.js("return document.querySelector('.icicle').scrollTop") > 400000)


def wide(browser):
    browser.click("#open-all")
    browser.settle()
    same("lanes of the largest", len(browser.all(".bars .row")) > 5, True)
    true("only those in view exist", len(browser.all(".bars .row")) < 40)
    same("they can be scrolled", browser.js(
        "const b = document.querySelector('.bars'); return b.scrollHeight > 50 * b.clientHeight"), True)
    browser.js("document.querySelector('.paths').focus()")
    browser.keys(Keys.END)
    browser.settle()
    same("the smallest", chosen(browser), "part_41")
    summary = browser.find(".lanes .summary").text
    true("has a summary", "3000 of 3000 lanes" in summary and "larger paths only" in summary, summary)
    same("and no bars", len([b for b in browser.all(".bars .row") if b.is_displayed()]), 0)


def limits(browser):
    shown = {r.find_element("css selector", ".label").text: r.text for r in browser.all(".paths .body .row")}
    true("calls", "9,223,372,036,854," in shown["ages"], shown)
    true("time", "9,000,000,000" in shown["ages"], shown)
    browser.click("#open-all")
    browser.click("#tab-icicle")
    browser.settle()


with Browser() as browser:
    for name, look in (("empty", None), ("none", None), ("deep", deep), ("wide", wide), ("limits", limits)):
        browser.open(name + ".html")
        every_view(browser)
        if look:
            look(browser)
        same(f"complaints of {name}", browser.complaints(), [])
checks.end()
