"""html_peers.py: checks the pages of ctests/html_peers.sh, which has set the numbers."""

from browser import Browser, Checks

checks = Checks()
same, true = checks.same, checks.true


def rows(browser):
    return [row.text for row in browser.all("#view-peers tbody tr")]


def picture(browser):
    """For each sender, the cells of the receivers: red, green, blue, alpha."""
    n, data = browser.js("const c = document.querySelector('#view-peers canvas');"
                         "return [c.width, [...c.getContext('2d').getImageData(0, 0, c.width, c.height).data]]")
    return [[data[4 * (n * row + column):][:4] for column in range(n)] for row in range(n)]


with Browser() as browser:
    browser.open("page.html")
    browser.click("#tab-peers")
    browser.settle()
    same("pairs", rows(browser), ["rank 0 rank 1 1 4,000", "rank 2 rank 0 5 600", "rank 1 rank 0 1 7"])
    canvas = browser.find("#view-peers canvas")
    same("cells", canvas.get_attribute("width"), "3")
    hot = browser.js("return getComputedStyle(document.documentElement).getPropertyValue('--hot').trim()")
    cells = picture(browser)
    same("the hottest", cells[0][1], [int(hot[c:c + 2], 16) for c in (1, 3, 5)] + [255])
    same("no message", cells[1][2][3], 0)
    true("the direction", cells[2][0][3] == 255 and cells[0][2][3] == 0)
    label = canvas.get_attribute("aria-label")
    true("said in words", "4,607 bytes between 3 ranks" in label and "rank 0 to rank 1" in label, label)
    browser.js("const s = document.querySelector('#view-peers select'); s.value = 'messages';"
               "s.dispatchEvent(new Event('change'));")
    browser.settle()
    same("by messages", rows(browser)[0], "rank 2 rank 0 5 600")
    same("complaints", browser.complaints(), [])
    browser.open("many.html")
    browser.click("#tab-peers")
    browser.settle()
    same("several ranks share a cell", browser.find("#view-peers canvas").get_attribute("width"), "512")
    same("the first pairs only", len(rows(browser)), 200)
    same("complaints", browser.complaints(), [])
    browser.open("none.html")
    true("no messages", not browser.find("#tab-peers").is_displayed())
checks.end()
