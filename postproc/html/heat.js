/*
 * heat.js - heat map of threads: a row per region, a cell per lane (thread), hotter with more time.
 */

/*
 * Return the inclusive time of each region in each lane: one array per region, NaN where the lane
 * never called it. A region is omitted if the page lacks per-lane values for one of its paths.
 */
function laneTimes(m) {
    const times = new Map(), unknown = new Set();
    const until = new Int32Array(m.nregions);
    for (let i = 1; i < m.n; i++) {
        const region = m.region[i];
        if (isRest(m, i) || i < until[region])
            continue;
        until[region] = m.end[i];
        const at = m.partsAt.get(i);
        if (at === undefined) {
            unknown.add(region);
            continue;
        }
        if (!times.has(region))
            times.set(region, new Float64Array(m.lanes.length).fill(NaN));
        const sums = times.get(region);
        for (let k = 0; k < m.parts[at]; k++) {
            const [lane, , total] = m.parts.slice(at + 1 + m.partWidth * k, at + 4 + m.partWidth * k);
            sums[lane] = (sums[lane] >= 0 ? sums[lane] : 0) + total;
        }
    }
    for (const region of unknown)
        times.delete(region);
    return { times, nunknown: unknown.size };
}

function heatRow(m, region, times) {
    const row = { region, times, n: 0, sum: 0, most: -1, least: -1 };
    for (let lane = 0; lane < times.length; lane++) {
        if (!(times[lane] >= 0))
            continue;
        row.n++;
        row.sum += times[lane];
        if (row.most < 0 || times[lane] > times[row.most])
            row.most = lane;
        if (row.least < 0 || times[lane] < times[row.least])
            row.least = lane;
    }
    row.mean = row.sum / row.n;
    row.lost = times[row.most] - row.mean;
    row.imbalance = imbalanceOf(times[row.most], row.mean);
    return row;
}

/* Return red, green and blue of a color of the style sheet, which defines it in hexadecimal. */
function styleColor(name) {
    const text = getComputedStyle(document.documentElement).getPropertyValue(name).trim().slice(1);
    const long = text.length === 3 ? text.replace(/./g, "$&$&") : text;
    return [0, 2, 4].map((at) => parseInt(long.slice(at, at + 2), 16));
}

const HEAT_ORDERS = {
    lost: ["most lost first", (a, b) => b.lost - a.lost],
    sum: ["largest first", (a, b) => b.sum - a.sum],
    name: ["by name", null],
};

class Heat {
    constructor(m, box, app) {
        this.m = m;
        this.app = app;
        this.order = "lost";
        this.all = null; // created when the view is first shown
        this.shown = [];
        this.summary = element("p", { class: "summary" });
        this.box = element("div", { class: "grid heat", role: "grid", tabindex: 0, "aria-label": "Regions by lanes" });
        box.append(element("div", { class: "choosers" },
            chooser("Sort", this, "order", Object.entries(HEAT_ORDERS).map(([k, o]) => [k, o[0]]), () => this.update())),
        this.summary, this.box);
        this.rows = new Rows(this.box, (k) => this.row(k), () => this.at());
        this.box.addEventListener("click", (event) => {
            const row = event.target.closest("[data-region]");
            if (row)
                this.choose(Number(row.dataset.region));
        });
        this.box.addEventListener("mousemove", (event) => this.point(event));
        this.box.addEventListener("keydown", (event) => this.key(event));
    }

    update() {
        const m = this.m, app = this.app;
        if (!this.all) {
            const { times, nunknown } = laneTimes(m);
            this.all = Array.from(times, ([region, one]) => heatRow(m, region, one));
            this.nunknown = nunknown;
        }
        const ranks = this.order === "name" ? nameRanks(m) : null;
        this.shown = this.all.filter((row) => !app.needle || app.isHitRegion(row.region))
            .sort(ranks ? (a, b) => ranks[a.region] - ranks[b.region] : HEAT_ORDERS[this.order][1]);
        this.summary.textContent = `Inclusive time of ${m.lanes.length} lanes, ${m.lanes[0].label} at the left; ` +
            "the hotter, the nearer to the longest of its row. Lost: the longest less the mean." +
            (this.nunknown > 0 ? ` ${this.nunknown} regions with small paths are left out.` : "");
        this.colors = ["--ground", "--hot"].map(styleColor);
        this.rows.setCount(this.shown.length);
        this.selected();
    }

    at() {
        const region = this.m.region[this.app.selected];
        return this.shown.findIndex((row) => row.region === region);
    }

    /* Draw one pixel per lane; the style sheet stretches them. */
    picture(row) {
        const canvas = element("canvas", { width: row.times.length, height: 1, "aria-hidden": "true" });
        const context = canvas.getContext("2d"), image = context.createImageData(row.times.length, 1);
        const [cold, hot] = this.colors, most = row.times[row.most];
        row.times.forEach((time, lane) => {
            if (!(time >= 0))
                return; // transparent
            const part = most > 0 ? time / most : 0;
            for (let c = 0; c < 3; c++)
                image.data[4 * lane + c] = cold[c] + part * (hot[c] - cold[c]);
            image.data[4 * lane + 3] = 255;
        });
        context.putImageData(image, 0, 0);
        return canvas;
    }

    row(k) {
        const m = this.m, row = this.shown[k];
        const text = `${row.n} of ${m.lanes.length} lanes, most ${timeText(row.times[row.most])} (${m.lanes[row.most].label}), ` +
            `least ${timeText(row.times[row.least])} (${m.lanes[row.least].label})`;
        return element("div", { role: "row", class: "row", id: "heat-" + row.region, "data-region": row.region, "data-row": k,
            "aria-rowindex": k + 1, "aria-selected": String(row.region === m.region[this.app.selected]) },
        element("div", { role: "rowheader", class: "cell name" },
            element("bdi", { class: "label", title: m.names[row.region] }, ...marked(m.names[row.region], this.app.needle))),
        element("div", { role: "gridcell", class: "cell strip", "aria-label": text }, this.picture(row)),
        element("div", { role: "gridcell", class: "cell number", title: text, text: timeText(row.lost) + " lost" }),
        element("div", { role: "gridcell", class: "cell number", title: text, text: imbalanceText(row.imbalance) }));
    }

    /* Show the lane and time of the cell under the pointer as a tooltip. */
    point(event) {
        if (event.target.tagName !== "CANVAS")
            return;
        const row = this.shown[Number(event.target.closest("[data-row]").dataset.row)];
        const n = row.times.length, lane = Math.min(n - 1, Math.floor(n * event.offsetX / event.target.clientWidth));
        event.target.title = `${this.m.lanes[lane].label}: ${timeText(row.times[lane])}`;
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
            this.box.setAttribute("aria-activedescendant", "heat-" + this.shown[at].region);
        } else {
            this.box.removeAttribute("aria-activedescendant");
        }
        this.rows.draw();
    }
}
