/* lanes.js - a bar per lane (thread of a process) for the selected path. */

const MEASURES = {
    total: { title: "Inclusive", text: timeText },
    self: { title: "Exclusive", text: timeText },
    calls: { title: "Calls", text: countText },
};

/* Return MEASURES plus the metrics that each thread counts separately. */
function measuresOf(m) {
    const measures = { ...MEASURES };
    for (const metric of m.metrics.filter((x) => !x.ofAll))
        measures[metric.key] = { title: metric.head, metric, text: (value) => metricText(metric, value) };
    return measures;
}

/* Return a drop-down list; the choice is stored in HOLDER[KEY]. */
function chooser(label, holder, key, choices, changed) {
    const select = element("select", { onchange: () => { holder[key] = select.value; changed(); } });
    for (const [value, text] of choices)
        select.append(element("option", { value, text }));
    select.value = holder[key];
    return element("label", { class: "chooser" }, element("span", { text: label }), select);
}

class Lanes {
    constructor(m, box) {
        this.m = m;
        this.measures = measuresOf(m);
        this.measure = "total";
        this.group = "lane";
        this.order = "number";
        this.bars = [];
        const again = () => this.show(this.path);
        this.summary = element("p", { class: "summary" });
        this.box = element("div", { class: "bars", role: "list", tabindex: 0, "aria-label": "Lanes" });
        this.rows = new Rows(this.box, (k) => this.row(k));
        this.rows.body.setAttribute("role", "presentation");
        this.controls = element("div", { class: "choosers" },
            chooser("Show", this, "measure", Object.keys(this.measures).map((k) => [k, this.measures[k].title]), again),
            this.hasGroups ? chooser("By", this, "group",
                [["lane", "lane"], ["process", "process"], ["thread", "thread"]], again) : null,
            chooser("Sort", this, "order", [["number", "by number"], ["size", "largest first"]], again));
        box.append(element("h3", { text: "Lanes" }), this.summary, this.controls, this.box);
    }

    /* Whether the page shows several processes with several threads each. */
    get hasGroups() {
        const lanes = this.m.lanes;
        return new Set(lanes.map((l) => l.process)).size > 1 && new Set(lanes.map((l) => l.thread)).size > 1;
    }

    /* Return the calls and times of each lane on PATH, or null if the page lacks them. */
    partsOf(path) {
        const m = this.m, at = m.partsAt.get(path);
        if (at === undefined)
            return null;
        return Array.from({ length: m.parts[at] }, (_, k) => {
            const begin = at + 1 + m.partWidth * k;
            const [lane, calls, total, inside, ...counts] = m.parts.slice(begin, begin + m.partWidth);
            return { lane, calls, total, self: total - inside, counts };
        });
    }

    grouped(parts) {
        const bars = new Map(), metric = this.measures[this.measure].metric;
        for (const part of parts) {
            const lane = this.m.lanes[part.lane];
            const label = this.group === "lane" ? lane.label
                : this.group === "process" ? lane.process : "thread " + lane.thread;
            const values = metric ? part.counts : [part[this.measure]];
            bars.set(label, bars.has(label) ? bars.get(label).map((sum, s) => sum + values[s]) : values);
        }
        return Array.from(bars, ([label, values]) => {
            const value = metric ? metricOf(metric, values, false) : values[0];
            return { label, value: value > 0 ? value : 0, text: this.measures[this.measure].text(value) };
        });
    }

    get isRatio() {
        const metric = this.measures[this.measure].metric;
        return metric !== undefined && metric.steps !== undefined;
    }

    show(path) {
        const m = this.m, parts = this.partsOf(path);
        this.path = path;
        this.controls.hidden = this.box.hidden = !parts;
        if (!parts) {
            this.summary.textContent = `${m.nlanes[path]} of ${m.lanes.length} lanes; shortest ` +
                `${timeText(m.least[path])}, mean ${timeText(m.total[path] / m.nlanes[path])}, longest ` +
                `${timeText(m.most[path])}. The numbers of each lane are kept for larger paths only.`;
            return;
        }
        this.bars = this.grouped(parts);
        this.largest = this.bars.reduce((a, b) => b.value > a.value ? b : a);
        this.mean = this.bars.reduce((sum, b) => sum + b.value, 0) / this.bars.length;
        if (this.order === "size")
            this.bars.sort((a, b) => b.value - a.value);
        const text = this.measures[this.measure].text;
        const mean = this.measure !== "total" && this.measure !== "self" && !this.isRatio ? Math.round(this.mean) : this.mean;
        this.summary.textContent = `${parts.length} of ${m.lanes.length} lanes; mean ${text(mean)}, ` +
            `most ${text(this.largest.value)} (${this.largest.label}), imbalance ` +
            imbalanceText(imbalanceOf(this.largest.value, this.mean));
        this.box.style.setProperty("--mean", 100 * this.share(this.mean) + "%");
        this.rows.setCount(this.bars.length);
    }

    share(value) {
        return this.largest.value > 0 ? value / this.largest.value : 0;
    }

    row(k) {
        const bar = this.bars[k], fill = element("i");
        fill.style.width = 100 * this.share(bar.value) + "%";
        return element("div", { class: bar === this.largest ? "row most" : "row", role: "listitem" },
            element("span", { class: "label", text: bar.label }),
            element("span", { class: "track", "aria-hidden": "true" }, fill),
            element("span", { class: "number", text: bar.text }));
    }
}
