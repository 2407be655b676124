"""html_page.py PAGE TOP_PAGE PROFILE...: a user's actions on the page of gptl report --html.

Everything shown is compared with the JSON reports from which PAGE was made. TOP_PAGE was made from the same with
--top 3.
"""

import sys

from browser import Browser, Checks, Keys
from profile_model import Model

page, top_page, profiles = sys.argv[1], sys.argv[2], sys.argv[3:]
model = Model(profiles)
checks = Checks()
same, true = checks.same, checks.true

ROWS = """
return [...document.querySelectorAll(".paths .body .row")].map((row) => ({
    level: Number(row.getAttribute("aria-level")),
    open: row.getAttribute("aria-expanded"),
    chosen: row.getAttribute("aria-selected") === "true",
    size: Number(row.getAttribute("aria-setsize")),
    position: Number(row.getAttribute("aria-posinset")),
    index: Number(row.getAttribute("aria-rowindex")),
    name: row.querySelector(".label").textContent,
    cells: Object.fromEntries([...row.querySelectorAll("[role=gridcell]")]
        .map((cell) => [cell.classList[cell.classList.length - 1], cell.textContent])),
}))"""


def rows(browser):
    return browser.js(ROWS)


def wheres(shown):
    """The paths of rows."""
    line, found = [], []
    for row in shown:
        line[row["level"] - 1:] = [row["name"]]
        found.append(tuple(line))
    return found


def chosen(browser):
    """The path of the selected row."""
    shown = rows(browser)
    return next((w for w, r in zip(wheres(shown), shown) if r["chosen"]), None)


def number(text):
    return float(text.replace(",", "").lstrip("<").rstrip("%"))


def head(browser):
    text = browser.find("header").text
    same("heading", browser.find("h1").text, "phases")
    true("extent", "2 ranks × 3 threads; times are sums over all threads" in text, text)
    true("title", "phases" in browser.driver.title, browser.driver.title)
    browser.click("summary")
    true("command", "phases" in browser.find(".more code").text)


def all_rows(browser):
    browser.size(1400, 4000)
    browser.click("#open-all")
    shown = rows(browser)
    same("paths", wheres(shown), list(model.walk(lambda w: -model.paths[w].total)))
    same("aria-rowcount", browser.find("[role=treegrid]").get_attribute("aria-rowcount"),
         str(len(model.paths) + 1))
    unit = browser.find(".head .total").text.split("(")[1].rstrip(")")
    size = {"s": 1e9, "ms": 1e6, "µs": 1e3}[unit]
    for at, (row, where) in enumerate(zip(shown, wheres(shown))):
        path, cells = model.paths[where], row["cells"]
        same(f"calls of {where}", number(cells["calls"]), path.calls)
        for key, value in (("total", path.total), ("self", max(path.self, 0))):
            decimals = len(cells[key].partition(".")[2])
            true(f"{key} of {where}", abs(number(cells[key]) - value / size) <= 1.01 * 10 ** -decimals,
                 cells[key], value / size)
        share = 100 * path.total / model.total
        true(f"share of {where}", abs(number(cells["share"]) - share) < 0.1, cells["share"], share)
        if len(path.lanes) > 1 and path.total:
            mean = path.total / len(path.lanes)
            wanted = 100 * (max(path.lanes.values()) / mean - 1)
            true(f"imbalance of {where}", abs(number(cells["imbalance"]) - wanted) < 0.06,
                 cells["imbalance"], wanted)
        else:
            same(f"imbalance of {where}", cells["imbalance"], "–")
        siblings = model.largest_first(model.children(where[:-1]))
        same(f"place of {where}", (row["position"], row["size"], row["index"]),
             (siblings.index(where) + 1, len(siblings), at + 2))
        same(f"whether {where} opens", row["open"], "true" if model.children(where) else None)
    browser.size(1400, 700)
    true("only rows in view exist", len(rows(browser)) < 40, len(rows(browser)))
    browser.click("#close-all")
    same("top level", len(rows(browser)), len(model.children(())))


def pointer(browser):
    same("before", len(rows(browser)), 2)
    browser.click(".paths .body .row .twist")
    opened = rows(browser)
    same("opened by a click", opened[0]["open"], "true")
    same("rows", len(opened), 2 + len(model.children(("main",))))
    browser.all(".paths .body .row")[1].click()
    browser.settle()
    same("chosen by a click", chosen(browser), wheres(opened)[1])
    same("details", browser.find("#selected").text, opened[1]["name"])
    browser.click(".paths .body .row .twist")
    same("closed by a click", len(rows(browser)), 2)


def keyboard(browser):
    grid = browser.find("[role=treegrid]")
    browser.js("arguments[0].focus()", grid)
    browser.keys(Keys.HOME)
    same("Home", chosen(browser), ("main",))
    browser.keys(Keys.ARROW_RIGHT)
    same("Right opens", rows(browser)[0]["open"], "true")
    same("and stays", chosen(browser), ("main",))
    browser.keys(Keys.ARROW_RIGHT)
    first = model.largest_first(model.children(("main",)))[0]
    same("Right again goes in", chosen(browser), first)
    active = browser.js("return document.getElementById(arguments[0].getAttribute('aria-activedescendant'))"
                        ".getAttribute('aria-selected')", grid)
    same("aria-activedescendant", active, "true")
    browser.keys(Keys.ARROW_DOWN)
    same("Down", chosen(browser), model.largest_first(model.children(("main",)))[1])
    browser.keys(Keys.ARROW_UP)
    same("Up", chosen(browser), first)
    browser.keys(Keys.ENTER)
    same("Enter opens", rows(browser)[1]["open"], "true")
    browser.keys(Keys.ARROW_LEFT)
    same("Left closes", rows(browser)[1]["open"], "false")
    browser.keys(Keys.ARROW_LEFT)
    same("Left goes out", chosen(browser), ("main",))
    browser.keys(Keys.END)
    same("End", chosen(browser), ("matvec",))
    browser.click("#open-all")
    browser.js("arguments[0].focus()", grid)
    browser.keys(Keys.END)
    browser.keys(Keys.PAGE_UP)
    true("Page Up", len(rows(browser)) > 5 and chosen(browser) != ("matvec",), chosen(browser))
    browser.js("arguments[0].scrollTop = 0", grid)
    browser.settle()
    true("the active row exists out of view", chosen(browser) is not None)
    browser.click("#close-all")
    outline = browser.js("return getComputedStyle(document.querySelector('.row[aria-selected=true]')).boxShadow")
    browser.js("arguments[0].focus()", grid)
    browser.keys(Keys.HOME)
    focused = browser.js("return getComputedStyle(document.querySelector('.row[aria-selected=true]')).boxShadow")
    true("the focus is seen", focused not in ("none", outline), focused)
    browser.keys("/")
    same("/ leads to the search", browser.js("return document.activeElement.id"), "query")


def search(browser):
    before = len(rows(browser))
    hits = [w for w in model.walk(lambda w: -model.paths[w].total) if "mat" in w[-1]]
    browser.click("#query")
    browser.keys("MAT")
    browser.settle()
    same("hits", browser.find("#hits").text, f"1 of {len(hits)} hits")
    same("announced", browser.find("#hits").get_attribute("role"), "status")
    shown = wheres(rows(browser))
    true("ancestors are open", all(h in shown for h in hits), hits, shown)
    same("marked", {m.text for m in browser.all(".paths mark")}, {"mat"})
    same("first hit", chosen(browser), hits[0])
    browser.keys(Keys.ENTER)
    browser.settle()
    same("next hit", chosen(browser), hits[1])
    same("its number", browser.find("#hits").text, f"2 of {len(hits)} hits")
    browser.click("#next")
    same("and around", chosen(browser), hits[0])
    browser.click("#previous")
    same("previous hit", chosen(browser), hits[-1])
    browser.click("#query")
    browser.keys("no such region")
    same("no hits", browser.find("#hits").text, "no hits")
    true("nothing to step to", not browser.find("#next").is_enabled())
    browser.keys(Keys.ESCAPE)
    browser.settle()
    same("Escape clears", browser.find("#query").get_attribute("value"), "")
    same("and closes what was opened", len(rows(browser)), before)
    same("and leads back", browser.js("return document.activeElement.getAttribute('role')"), "treegrid")


def sorting(browser):
    browser.size(1400, 4000)
    browser.click("#open-all")
    orders = {"calls": lambda w: -model.paths[w].calls, "self": lambda w: -model.paths[w].self,
              "name": lambda w: [int(p) if p.isdigit() else p for p in w[-1].replace("_", "_ ").split()]}
    for key, order in orders.items():
        browser.click(f".paths .head .{key} button")
        got = wheres(rows(browser))
        true(f"by {key}", all(order(a) <= order(b) for a, b in zip(got, got[1:]) if a[:-1] == b[:-1]), got)
        same("none is lost", sorted(got), sorted(model.paths))
        sort = {c.get_attribute("class").split()[-1]: c.get_attribute("aria-sort")
                for c in browser.all(".paths [role=columnheader]")}
        wanted = "ascending" if key == "name" else "descending"
        same("aria-sort", {k: v for k, v in sort.items() if v != "none"}, {key: wanted})
    browser.click(".paths .head .name button")
    same("and the other way", wheres(rows(browser))[0], ("matvec",))
    positions = [(r["level"], r["position"]) for r in rows(browser)]
    same("positions", positions[:2], [(1, 1), (1, 2)])
    browser.click(".paths .head .total button")
    browser.click("#close-all")
    browser.size(1400, 900)


def hot_path(browser):
    browser.click(".paths .body .row .label")
    start = chosen(browser)
    browser.click("#hot")
    browser.settle()
    same("hot path", chosen(browser), model.hot_path(start))
    true("is announced", model.hot_path(start)[-1] in browser.find("#said").get_attribute("textContent"))


def choose(browser, *names):
    """By the search, like a user; on a screen that shows all rows above the row."""
    browser.size(1400, 4000)
    browser.click("#query")
    browser.js("arguments[0].select()", browser.find("#query"))
    browser.keys(names[-1])
    for _ in model.paths:
        if chosen(browser) == names:
            break
        browser.keys(Keys.ENTER)
    browser.keys(Keys.ESCAPE)
    browser.settle()
    same("chosen", chosen(browser), names)
    browser.size(1400, 900)


def lanes(browser):
    where = ("matvec",)
    choose(browser, *where)
    lanes_of = model.paths[where].lanes
    bars = [b.text.split("\n") for b in browser.all(".bars .row")]
    same("lanes", [b[0] for b in bars], [f"rank {r} thread {t}" for r, t in sorted(lanes_of)])
    most = max(lanes_of, key=lanes_of.get)
    summary = browser.find(".lanes .summary").text
    true("summary", f"4 of {model.nlanes} lanes" in summary and f"rank {most[0]} thread {most[1]}" in summary,
         summary)
    widths = browser.js("return [...document.querySelectorAll('.bars i')].map((i) => parseFloat(i.style.width))")
    wanted = [100 * lanes_of[k] / lanes_of[most] for k in sorted(lanes_of)]
    true("widths", all(abs(a - b) < 0.1 for a, b in zip(widths, wanted)), widths, wanted)
    browser.js("const s = document.querySelectorAll('.lanes select');"
               "s[1].value = 'process'; s[1].dispatchEvent(new Event('change'));"
               "s[2].value = 'size'; s[2].dispatchEvent(new Event('change'));")
    browser.settle()  # fewer bars: the rows are redrawn because their box shrinks
    same("by process", [b.text.split("\n")[0] for b in browser.all(".bars .row")],
         sorted(("rank 0", "rank 1"), key=lambda p: -sum(v for (r, _), v in lanes_of.items() if p[-1] == str(r))))
    browser.js("const s = document.querySelectorAll('.lanes select');"
               "s[0].value = 'self'; s[0].dispatchEvent(new Event('change'));")
    choose(browser, "main")
    selves = {lane: total - sum(model.paths[c].lanes.get(lane, 0) for c in model.children(("main",)))
              for lane, total in model.paths[("main",)].lanes.items()}
    widths = browser.js("return [...document.querySelectorAll('.bars i')].map((i) => parseFloat(i.style.width))")
    wanted = sorted((100 * s / max(selves.values()) for s in selves.values()), reverse=True)
    true("exclusive", all(abs(a - b) < 0.1 for a, b in zip(widths, wanted)), widths, wanted)
    choose(browser, "main", "setup")
    true("setup ran in two lanes", f"2 of {model.nlanes} lanes" in browser.find(".lanes .summary").text)


def heat(browser):
    """The position of a cell's color between cold and hot is its lane's time relative to the longest."""
    browser.size(1400, 4000)  # main may have lost less than many others, and be far down the list
    browser.click("#tab-heat")
    browser.settle()
    rows = {r.find_element("css selector", ".label").text: r for r in browser.all("#view-heat .body .row")}
    where = ("main",)
    lanes_of = model.paths[where].lanes
    strip = browser.js(
        "const c = arguments[0].querySelector('canvas');"
        "return [c.width, Array.from(c.getContext('2d').getImageData(0, 0, c.width, 1).data)]", rows["main"])
    same("cells", strip[0], model.nlanes)
    alpha = strip[1][3::4]
    same("lanes that called it", sum(a == 255 for a in alpha), len(lanes_of))
    hot = browser.js("return getComputedStyle(document.documentElement).getPropertyValue('--hot').trim()")
    most = max(lanes_of.values())
    hottest = [k for k, a in enumerate(alpha) if a and strip[1][4 * k:4 * k + 3] ==
               [int(hot[c:c + 2], 16) for c in (1, 3, 5)]]
    same("the hottest", len(hottest), sum(t == most for t in lanes_of.values()))
    label = rows["main"].find_element("css selector", ".strip").get_attribute("aria-label")
    longest = max(lanes_of, key=lanes_of.get)
    true("said in words", f"rank {longest[0]} thread {longest[1]}" in label and f"{len(lanes_of)} of" in label, label)
    mean = sum(lanes_of.values()) / len(lanes_of)
    same("imbalance", rows["main"].text.split()[-1], f"{100 * (most / mean - 1):.1f}%")
    rows["main"].click()
    browser.settle()
    same("chosen", browser.find("#view-heat .row[aria-selected=true] .label").text, "main")
    browser.js("document.querySelector('#view-heat .grid').focus()")
    browser.keys(Keys.END)
    browser.settle()
    last = browser.all("#view-heat .body .row")[-1]
    same("by keyboard", last.get_attribute("aria-selected"), "true")
    browser.click("#tab-tree")
    browser.size(1400, 900)


def links(browser):
    choose(browser, "main", "loop", "solve", "cycle")
    tables = browser.all(".links table")
    got = {}
    for row in tables[0].find_elements("css selector", "tbody tr"):
        cells = [c.text for c in row.find_elements("css selector", "th, td")]
        got[cells[0]] = number(cells[1])
    same("callers of cycle", got, {k or "(top level)": v for k, v in model.callers("cycle").items()})
    true("cycle calls itself", got.get("cycle", 0) > 0, got)
    tables[1].find_element("css selector", ".link").click()
    browser.settle()
    true("a callee is a step away", browser.find("#selected").text in ("cycle", "smooth"))


def histogram(browser):
    choose(browser, "main", "loop", "solve", "matvec")
    drawn = browser.js("""return [...document.querySelectorAll(".lengths .histogram rect title")].map(
        (t) => Number(t.textContent.match(/: ([\\d,]+) call/)[1].replace(/,/g, "")))""")
    same("calls in the histogram", sum(drawn), sum(model.paths["main", "loop", "solve", "matvec"].buckets.values()))
    browser.js("const s = document.querySelector('.lengths select');"
               "s.value = 'region'; s.dispatchEvent(new Event('change'));")
    drawn = browser.js("""return [...document.querySelectorAll(".lengths .histogram rect title")].map(
        (t) => Number(t.textContent.match(/: ([\\d,]+) call/)[1].replace(/,/g, "")))""")
    same("of all paths", sum(drawn), sum(sum(p.buckets.values()) for w, p in model.paths.items() if w[-1] == "matvec"))


PAINTED = """
const shown = document.querySelector("canvas"), c = document.createElement("canvas"), colors = new Set();
[c.width, c.height] = [shown.width, shown.height];
const context = c.getContext("2d", { willReadFrequently: true });
context.drawImage(shown, 0, 0);
const d = context.getImageData(0, 0, c.width, c.height).data;
for (let i = 0; i < d.length; i += 4)
    if (d[i + 3] === 255)
        colors.add(d[i] << 16 | d[i + 1] << 8 | d[i + 2]);
return colors.size"""
POINT = """
const c = document.querySelector("canvas"), r = c.getBoundingClientRect();
c.dispatchEvent(new MouseEvent(arguments[0], { clientX: r.left + arguments[1], clientY: r.top + arguments[2] }));"""


def icicle(browser):
    browser.click("#tab-icicle")
    browser.settle()
    true("it is painted", browser.js(PAINTED) > 4, browser.js(PAINTED))
    same("the tab", browser.find("#tab-icicle").get_attribute("aria-selected"), "true")
    browser.js(POINT, "mousemove", 20, 22 + 11)
    first = model.largest_first(model.children(()))[0]
    true("tooltip", browser.find(".tip").text.startswith(first[-1]), browser.find(".tip").text)
    browser.js(POINT, "click", 20, 22 + 11)
    browser.settle()
    true("a click zooms", f"Zoomed to {first[-1]}:" in browser.find(".zoomed").text, browser.find(".zoomed").text)
    same("and chooses", browser.find("#selected").text, first[-1])
    browser.js("document.querySelector('canvas').focus()")
    browser.keys(Keys.ARROW_DOWN)
    browser.settle()
    child = model.largest_first(model.children(first))[0]
    same("Down goes in", browser.find("#selected").text, child[-1])
    true("and says where", child[-1] in browser.find("#said").get_attribute("textContent"))
    browser.keys(Keys.ENTER)
    true("Enter zooms", f"Zoomed to {child[-1]}:" in browser.find(".zoomed").text)
    browser.keys(Keys.ARROW_UP)
    browser.settle()
    same("Up goes out", browser.find("#selected").text, first[-1])
    browser.keys(Keys.ENTER)
    true("Enter zooms to it", f"Zoomed to {first[-1]}:" in browser.find(".zoomed").text)
    browser.keys(Keys.ESCAPE)
    true("Escape zooms out", "Zoomed" not in browser.find(".zoomed").text)


def flat(browser):
    browser.size(1400, 4000)
    browser.click("#tab-regions")
    regions = {}
    for where, path in model.paths.items():
        sums = regions.setdefault(where[-1], [0, 0, 0])
        sums[0] += path.calls
        sums[1] += path.self
        sums[2] += 1
    got = browser.js("""return [...document.querySelectorAll(".flat .body .row")].map((r) =>
        [r.querySelector(".label").textContent, r.querySelector(".calls").textContent,
         r.querySelector("[role=gridcell].paths").textContent])""")
    same("regions", {n: (number(c), number(p)) for n, c, p in got},
         {n: (s[0], s[2]) for n, s in regions.items()})
    selves = [regions[n][1] for n, _, _ in got]
    same("by exclusive time", selves, sorted(selves, reverse=True))
    browser.js("document.querySelector('.flat').focus()")
    browser.keys(Keys.HOME)
    browser.settle()
    same("chosen by key", browser.find("#selected").text, got[0][0])
    browser.click("#query")
    browser.keys("part_")
    browser.settle()
    same("only hits are shown", len(browser.all(".flat .body .row")), 40)
    browser.keys(Keys.ESCAPE)
    browser.click("#tab-tree")
    browser.size(1400, 900)


def looks(browser):
    browser.size(320, 800)
    for tab in ("tree", "icicle", "regions"):
        browser.click("#tab-" + tab)
        width = browser.js("return document.documentElement.scrollWidth")
        true(f"{tab} fits 320 pixels", width <= 320, width)
    browser.click("#tab-tree")
    browser.size(1400, 900)
    light = browser.js("return getComputedStyle(document.body).backgroundColor")
    browser.media(prefers_color_scheme="dark")
    dark = browser.js("return getComputedStyle(document.body).backgroundColor")
    level = lambda color: sum(int(c) for c in color[4:-1].split(","))
    true("dark is dark", level(dark) < 150 < 600 < level(light), dark, light)
    browser.media(prefers_color_scheme="light")
    browser.click("#open-all")
    browser.js("dispatchEvent(new Event('beforeprint'))")
    same("all is printed", len(rows(browser)), len(model.paths))
    browser.js("dispatchEvent(new Event('afterprint'))")
    true("and then shown as before", len(rows(browser)) < len(model.paths))


def policy(browser):
    blocked = browser.driver.execute_async_script("""
        const done = arguments[0], seen = [];
        document.addEventListener("securitypolicyviolation", (e) => seen.push(e.effectiveDirective));
        const image = document.createElement("img");
        image.src = "http://127.0.0.1:9/x.png";
        document.body.append(image);
        const span = document.createElement("span");
        span.innerHTML = "<b onclick=\\"document.title='run'\\" style='color:red'>b</b>";
        document.body.append(span);
        span.firstChild.click();
        fetch("http://127.0.0.1:9/").catch(() => setTimeout(() => done(seen), 50));""")
    same("blocked", sorted(set(blocked)), ["connect-src", "img-src", "script-src-attr", "style-src-attr"])
    true("nothing was run", browser.driver.title != "run")


def rest(browser):
    browser.open(top_page)
    browser.click("#open-all")
    browser.settle()
    shown = rows(browser)
    folded = [r for r in shown if r["name"].endswith(" more)")]
    true("paths left out have a row", len(folded) > 0, [r["name"] for r in shown])
    true("and a notice", "left out" in browser.find(".notices").text)
    browser.find(".paths .rest").click()
    browser.settle()
    true("and details", "left out" in browser.find("#detail").text)


with Browser() as browser:
    browser.open(page)
    for check in (head, all_rows, pointer, keyboard, search, sorting, hot_path, lanes, heat, links, histogram,
                  icicle, flat, looks):
        check(browser)
    same("what the browser complains about", browser.complaints(), [])
    addresses = browser.requests()
    true("no address but its own", all(u.startswith(("file:", "data:")) for u in addresses), addresses)
    policy(browser)
    rest(browser)
checks.end()
