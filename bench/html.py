"""html.py PAGE: the response times of PAGE in a headless Chromium, as lines for bench/html.c.

A response is complete when the browser has finished the layout. Each figure is the median of several.
"""

import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "ctests"))
from browser import Browser  # noqa: E402 (the module is among the tests)

MEASURE = """
const [times, done] = arguments;
const query = document.getElementById("query"), tree = document.querySelector("[role=treegrid]");
const type = (text) => { query.value = text; query.dispatchEvent(new Event("input")); };
const key = (name) => tree.dispatchEvent(new KeyboardEvent("keydown", { key: name }));
const click = (selector) => document.querySelector(selector).click();
const work = {
    "search, many hits": () => type("c_"),
    "search, few hits": () => type("c_17"),
    "next hit": () => click("#next"),
    "search cleared": () => type(""),
    "open all": () => click("#open-all"),
    "a row closed, all open": () => { key("Home"); key("ArrowLeft"); },
    "a row opened, all open": () => key("ArrowRight"),
    "sort, all open": () => click(".paths .head .calls button"),
    "close all": () => { click(".paths .head .total button"); click("#close-all"); },
    "icicle": () => click("#tab-icicle"),
    "regions": () => click("#tab-regions"),
    "tree": () => click("#tab-tree"),
};
const taken = Object.fromEntries(Object.keys(work).map((name) => [name, []]));
const frame = () => new Promise((next) => requestAnimationFrame(() => setTimeout(next)));
(async () => {
    for (let i = 0; i < times; i++)
        for (const [name, act] of Object.entries(work)) {
            await frame();
            const begin = performance.now();
            act();
            document.body.getBoundingClientRect();
            taken[name].push(performance.now() - begin);
        }
    const opened = performance.getEntriesByType("navigation")[0].domComplete;
    done({ "page opened": [opened], ...taken });
})();"""

with Browser() as browser:
    browser.open(sys.argv[1])
    browser.driver.set_script_timeout(120)
    taken = browser.driver.execute_async_script(MEASURE, 7)
for name, values in taken.items():
    target = "under 100 ms" if "search" in name or "row" in name or "hit" in name else "shown"
    print(f"html, 50k nodes: {name}\t{sorted(values)[len(values) // 2]:.0f} ms\t{target}")
