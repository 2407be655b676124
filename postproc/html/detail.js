/* detail.js - the details of the selected path and its region. */

const MOST_LINKS = 20; // callers or callees listed

/*
 * Return the callers and callees of REGION: calls and inclusive time by region, -1 for the top
 * level. Calls over back edges count in the target path, but do not come from its parent.
 */
function linksOf(m, region) {
    const callers = new Map(), callees = new Map();
    const add = (links, other, calls, path) => {
        const link = links.get(other) || { region: other, calls: 0, time: 0, error: 0, tally: new Tally(m) };
        link.calls += calls;
        if (path > 0) {
            link.time += m.total[path];
            link.error += m.error[path];
            link.tally.add(path, m.all);
        }
        links.set(other, link);
    };
    const back = new Map(); // calls over back edges, by target path
    for (let e = 0; e < m.edges.length; e += 3) {
        const [from, to, calls] = [m.edges[e], m.edges[e + 1], m.edges[e + 2]];
        back.set(to, (back.get(to) || 0) + calls);
        if (m.region[to] === region)
            add(callers, from === 0 ? -1 : m.region[from], calls, 0);
        if (m.region[from] === region && from > 0)
            add(callees, m.region[to], calls, 0);
    }
    const straight = (i) => Math.max(0, m.calls[i] - (back.get(i) || 0));
    for (const i of pathsOf(m, region)) {
        add(callers, m.parent[i] === 0 ? -1 : m.region[m.parent[i]], straight(i), i);
        for (let c = i + 1; c < m.end[i]; c = m.end[c])
            add(callees, m.region[c], straight(c), c);
    }
    const sorted = (links) => Array.from(links.values()).sort((a, b) => b.time - a.time || b.calls - a.calls);
    return { callers: sorted(callers), callees: sorted(callees) };
}

class Detail {
    constructor(m, box, app) {
        this.m = m;
        this.app = app;
        this.title = element("h2", { id: "selected" });
        this.where = element("p", { class: "where" });
        this.crumbs = element("nav", { class: "crumbs", "aria-label": "Path" });
        this.facts = element("dl", { class: "figures" });
        this.links = element("section", { class: "links" });
        this.measure = "time";
        box.append(this.title, this.where, this.crumbs, this.facts);
        if (m.lanes.length > 1)
            this.lanes = new Lanes(m, box.appendChild(element("section", { class: "lanes" })));
        this.ranks = new Ranks(m, box.appendChild(element("section", { class: "lanes" })));
        this.histogram = new Histogram(m, box.appendChild(element("section", { class: "lengths" })));
        box.append(this.links);
    }

    show(path) {
        const m = this.m;
        this.title.replaceChildren(element("bdi", { text: nameOf(m, path) }));
        this.where.replaceChildren(element("bdi", { text: whereIs(m, m.region[path], true) }));
        this.showCrumbs(path);
        this.showFacts(path);
        if (this.lanes)
            this.lanes.show(path);
        this.ranks.show(path);
        this.histogram.show(path);
        this.showLinks(path);
    }

    /* Show the path's ancestors; the middle of a long path is elided. */
    showCrumbs(path) {
        const line = ancestors(this.m, path).slice(0, -1);
        const cut = line.length > 7 ? [...line.slice(0, 2), -line.length + 6, ...line.slice(-4)] : line;
        this.crumbs.replaceChildren(...cut.map((i) => i < 0
            ? element("span", { text: `… ${-i} more` })
            : element("button", { text: nameOf(this.m, i), onclick: () => this.app.select(i) })));
    }

    showFacts(path) {
        const m = this.m, whole = m.total[0], timed = m.calls[path] - m.recurse[path];
        const facts = [
            ["Inclusive", ...this.time(m.total[path], m.error[path], whole)],
            ["Exclusive", ...this.time(m.self[path], m.selfError[path], whole)],
            ["Calls", countText(m.calls[path]),
                m.recurse[path] > 0 ? countText(m.recurse[path]) + " recursive" : ""],
            ["Mean call", timed > 0 ? aboutText(timeText(m.total[path] / timed), m.error[path]) : "–", ""],
        ];
        if (!m.job)
            facts.push(["Longest call", timeText(m.max[path]), ""], ["Shortest call", timeText(m.min[path]), ""]);
        if (m.open[path] > 0)
            facts.push(["Open", countText(m.open[path]), "time so far is counted"]);
        if (m.unstopped[path] > 0)
            facts.push(["Never stopped", countText(m.unstopped[path]), "ended by the library"]);
        if (m.predicted[path] >= 0)
            facts.push(["Predicted", timeText(m.predicted[path]),
                `for ${m.predictedOn}, error ${missedText(m.missed[path])}`]);
        for (const metric of m.metrics.filter((x) => x.shown))
            facts.push([metric.head,
                metricText(metric, metricColumn(m, metric, false)[path], m.error[path] > 0),
                rateText(metric, metricColumn(m, metric, false)[path], m.all[metric.wall][path],
                    m.error[path] > 0) + "exclusive " + metricText(metric, metricColumn(m, metric, true)[path], m.selfError[path] > 0)]);
        this.facts.replaceChildren(...facts.map(([name, value, more]) => element("div", {},
            element("dt", { text: name }), element("dd", {}, element("span", { class: "number", text: value }),
                more ? element("span", { class: "share", text: more }) : null))));
    }

    time(ns, error, whole) {
        return [aboutText(timeText(ns), error),
            shareText(ns, whole) + (error > 0 ? ` ± ${timeText(error)}` : "")];
    }

    showLinks(path) {
        const m = this.m, region = m.region[path];
        if (isRest(m, path)) {
            this.links.replaceChildren(element("p", { class: "summary",
                text: "This row stands for paths that were left out for their number." }));
            return;
        }
        const { callers, callees } = linksOf(m, region);
        const measures = [["time", "Inclusive time"], ...m.metrics.map((metric) => [metric.key, metric.name])];
        this.links.replaceChildren(this.pathChooser(path), m.metrics.length > 0
            ? chooser("Show", this, "measure", measures, () => this.showLinks(path)) : "", this.table("Called by", callers),
            ...(callees.length > 0 ? [this.table("Calls", callees)] : []));
    }

    /*
     * Return a heading with buttons that step through the other paths of the region; the tables
     * show sums over all of them.
     */
    pathChooser(path) {
        const paths = Array.from(pathsOf(this.m, this.m.region[path]));
        const at = paths.indexOf(path), n = paths.length;
        const step = (by, text, label) => element("button", { text, "aria-label": label, title: label,
            onclick: () => this.app.select(paths[(at + by + n) % n]) });
        return element("h3", {}, element("span", { text: "Callers and callees" }),
            ...(n === 1 ? [] : [element("small", { text: `path ${at + 1} of ${n}` }),
                step(-1, "‹", "Previous path of this region"), step(1, "›", "Next path of this region")]));
    }

    table(title, links) {
        const metric = this.m.metrics.find((x) => x.key === this.measure);
        const size = (link) => metric ? metricText(metric, link.tally.value(metric), link.error > 0)
            : link.time > 0 ? aboutText(timeText(link.time), link.error) : "–";
        const rows = links.slice(0, MOST_LINKS).map((link) => element("tr", {},
            element("th", { scope: "row" }, this.link(link.region)),
            element("td", { class: "number", text: countText(link.calls) }),
            element("td", { class: "number", text: size(link) })));
        const more = links.length - rows.length;
        return element("table", {}, element("caption", {
            text: title + (more > 0 ? ` (${more} more are not listed)` : "") }),
        element("thead", {}, element("tr", {}, ...["Region", "Calls", metric ? metric.head : "Inclusive"].map((text) =>
            element("th", { scope: "col", text })))), element("tbody", {}, ...rows));
    }

    link(region) {
        if (region < 0)
            return element("span", { text: "(top level)" });
        return element("button", { class: "link", title: this.m.names[region],
            onclick: () => this.app.select(largestPath(this.m, region)) },
        element("bdi", { text: this.m.names[region] }));
    }
}
