/* regions.js - the flat profile: a row for each region, summed over its paths. */

/*
 * Sum over the paths of each region. A path nested in another path of its region adds no inclusive
 * time.
 */
function sumRegions(m) {
    const sums = Array.from({ length: m.nregions }, (_, r) => ({
        region: r, name: m.names[r], paths: 0, calls: 0, total: 0, self: 0, max: NaN,
        error: 0, selfError: 0, all: new Tally(m), own: new Tally(m),
        until: 0, // end of the last subtree whose root is this region
    }));
    for (let i = 1; i < m.n; i++) {
        if (isRest(m, i))
            continue;
        const sum = sums[m.region[i]];
        sum.paths++;
        sum.calls += m.calls[i];
        sum.self += m.self[i];
        sum.selfError += m.selfError[i];
        sum.own.add(i, m.own);
        sum.max = m.max[i] <= sum.max ? sum.max : m.max[i] >= 0 ? m.max[i] : sum.max;
        if (i >= sum.until) {
            sum.total += m.total[i];
            sum.error += m.error[i];
            sum.all.add(i, m.all);
            sum.until = m.end[i];
        }
    }
    for (const sum of sums)
        for (const metric of m.metrics) {
            sum[metric.key + "all"] = sum.all.value(metric);
            sum[metric.key + "own"] = sum.own.value(metric);
        }
    return sums;
}

/* Return the optional columns that KEYS selects, as columns of regions. */
function regionExtras(m, own, keys) {
    return choosable(m, own).filter((c) => keys.has(c.key)).map((c) => {
        if (c.optional)
            return c;
        if (c.key === "error")
            return { ...c, class: "extra", text: (s) => s.error > 0 ? timeText(s.error) : "–" };
        return { ...c, class: "extra", tip: (s) => metricTitle(c.metric, s[c.key]),
            text: (s) => metricText(c.metric, s[c.key], (c.isOwn ? s.selfError : s.error) > 0) };
    });
}

class Regions {
    constructor(m, box, app) {
        const unit = columnUnit(m.total[0]);
        this.m = m;
        this.app = app;
        this.box = box;
        this.own = [
            { key: "name", title: "Region", hint: "Sort by name" },
            { key: "share", title: "Exclusive of total", by: "self",
                hint: "Share of the time of all lanes: pale with children, full without" },
            { key: "self", title: `Exclusive (${unit.name})`, hint: "Time less that of the children",
                error: "selfError", text: (s) => aboutText(unit.text(s.self), s.selfError) },
            { key: "total", title: `Inclusive (${unit.name})`, hint: "Time with what was called",
                error: "error", text: (s) => aboutText(unit.text(s.total), s.error) },
            { key: "calls", title: "Calls", hint: "Calls that ended", text: (s) => countText(s.calls) },
            { key: "max", title: "Longest", optional: true, hint: "The longest call", text: (s) => timeText(s.max) },
            { key: "paths", title: "Paths", optional: true, hint: "Paths that end in the region",
                text: (s) => countText(s.paths) },
        ];
        this.all = null; // created when the view is first shown
        this.shown = [];
        this.chosen = usualColumns(m, this.own, true);
        this.head = null;
        for (const [name, value] of Object.entries({ role: "grid", tabindex: 0, "aria-label": "Regions" }))
            box.setAttribute(name, value);
        box.classList.add("grid", "flat");
        this.makeHead();
        this.rows = new Rows(box, (k) => this.row(k), () => this.at());
        this.sortKey = "self";
        this.descending = true;
        box.addEventListener("click", (event) => {
            const row = event.target.closest("[data-region]");
            if (row)
                this.choose(Number(row.dataset.region));
        });
        box.addEventListener("keydown", (event) => this.key(event));
    }

    makeHead() {
        const old = this.head, extras = regionExtras(this.m, this.own, this.chosen);
        this.columns = [...this.own.filter((c) => !c.optional), ...extras];
        this.head = tableHead(this.columns, (key) => this.sort(key));
        if (old)
            old.head.replaceWith(this.head.head);
        else
            this.box.append(this.head.head);
        fitColumns(this.box, extras);
    }

    /* Apply a new choice of columns. */
    setColumns() {
        this.makeHead();
        if (!this.columns.some((c) => c.key === this.sortKey))
            this.sortKey = "self";
        this.update();
    }

    sort(key) {
        this.descending = key === this.sortKey ? !this.descending : key !== "name";
        this.sortKey = key;
        this.update();
    }

    /* Show all regions, or only the hits of the current search. */
    update() {
        if (!this.all)
            this.all = sumRegions(this.m);
        const sign = this.descending ? -1 : 1;
        const by = (this.columns.find((c) => c.key === this.sortKey).by) || this.sortKey;
        const value = (s) => Number.isFinite(s[by]) ? s[by] : -Infinity;
        const rank = by === "name" ? nameRanks(this.m) : null;
        const order = rank ? (a, b) => sign * (rank[a.region] - rank[b.region])
            : (a, b) => sign * (value(a) - value(b)) || a.region - b.region;
        this.shown = this.all.filter((s) => !this.app.needle || this.app.isHitRegion(s.region)).sort(order);
        this.head.show(this.sortKey, this.descending);
        this.box.setAttribute("aria-rowcount", this.shown.length + 1);
        this.rows.setCount(this.shown.length);
        this.selected();
    }

    at() {
        const region = this.m.region[this.app.selected];
        return this.shown.findIndex((s) => s.region === region);
    }

    row(k) {
        const m = this.m, sum = this.shown[k], where = whereIs(m, sum.region);
        const chosen = sum.region === m.region[this.app.selected];
        const row = element("div", { role: "row", class: "row", id: "region-" + sum.region,
            "data-region": sum.region, "aria-rowindex": k + 2, "aria-selected": String(chosen) },
        element("div", { role: "rowheader", class: "cell name" },
            element("bdi", { class: "label", title: sum.name + "\n" + whereIs(m, sum.region, true) },
                ...marked(sum.name, this.app.needle)),
            where ? element("bdi", { class: "where" }, ...marked(where, this.app.needle)) : null),
        element("div", { role: "gridcell", class: "cell share" },
            shareBar(sum.total, sum.self, m.total[0]),
            element("span", { class: "number",
                text: aboutText(shareText(sum.self, m.total[0]), sum.selfError) })));
        for (const column of this.columns.slice(2))
            row.append(element("div", { role: "gridcell",
                class: `cell number ${column.class || ""} ${column.key}`, text: column.text(sum),
                title: column.tip ? column.tip(sum) : column.error ? errorTitle(sum[column.error]) : null }));
        return row;
    }

    choose(region) {
        this.app.select(largestPath(this.m, region));
    }

    key(event) {
        if (event.target !== this.box || this.shown.length === 0)
            return;
        const at = this.at(), last = this.shown.length - 1;
        const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: last,
            PageDown: at + this.rows.page, PageUp: at - this.rows.page }[event.key];
        if (to === undefined)
            return;
        this.choose(this.shown[Math.max(0, Math.min(last, to))].region);
        event.preventDefault();
    }

    selected() {
        const at = this.at();
        if (at >= 0) {
            this.rows.reveal(at);
            this.box.setAttribute("aria-activedescendant", "region-" + this.shown[at].region);
        } else {
            this.box.removeAttribute("aria-activedescendant");
        }
        this.rows.draw();
    }
}

function largestPath(m, region) {
    let largest = 0;
    for (const i of pathsOf(m, region))
        if (largest === 0 || m.total[i] > m.total[largest])
            largest = i;
    return largest;
}
