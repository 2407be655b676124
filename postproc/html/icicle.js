/*
 * icicle.js - the call tree as an icicle plot: a row per level, widths are inclusive times or
 * counts.
 * The canvas stays in view and draws only the levels scrolled into view, so depth costs nothing.
 */

const LEVEL = 22; // pixels

/* Compute each path's extent between 0 and 1; children wider than their parent are compressed. */
function layOut(m, widths) {
    const below = new Float64Array(m.n), scale = new Float64Array(m.n);
    const left = new Float64Array(m.n), right = new Float64Array(m.n), next = new Float64Array(m.n);
    for (let i = 1; i < m.n; i++)
        below[m.parent[i]] += widths[i];
    right[0] = 1;
    for (let i = 0; i < m.n; i++) {
        if (i > 0) {
            const width = widths[i] * scale[m.parent[i]];
            left[i] = next[m.parent[i]];
            right[i] = next[m.parent[i]] = left[i] + width;
        }
        next[i] = left[i];
        const longest = Math.max(widths[i], below[i]);
        scale[i] = longest > 0 ? (right[i] - left[i]) / longest : 0;
    }
    return { left, right };
}

/* Return the paths of each level, ordered from left to right. */
function groupByDepth(m) {
    let deepest = 0;
    for (let i = 0; i < m.n; i++)
        deepest = Math.max(deepest, m.depth[i]);
    const begin = new Int32Array(deepest + 2), list = new Int32Array(m.n);
    for (let i = 0; i < m.n; i++)
        begin[m.depth[i] + 1]++;
    for (let d = 0; d <= deepest; d++)
        begin[d + 1] += begin[d];
    const next = begin.slice(), index = new Int32Array(m.n);
    for (let i = 0; i < m.n; i++) {
        index[i] = next[m.depth[i]]++;
        list[index[i]] = i;
    }
    return { begin, list, index, deepest };
}

/*
 * Return a color derived from the name, equal in all reports. Hues range only from blue to violet
 * and from yellow to orange, and lightness varies, so that readers with red-green color blindness
 * can distinguish them.
 */
function colorOf(name, dark) {
    let hash = 2166136261;
    for (let i = 0; i < name.length; i++)
        hash = Math.imul(hash ^ name.charCodeAt(i), 16777619) >>> 0;
    const hue = (hash & 1 ? 55 : 225) + ((hash >>> 1) % 8) * 6;
    const lightness = (dark ? 34 : 80) + ((hash >>> 5) % 5) * (dark ? 3.5 : 3);
    return `oklch(${lightness}% ${dark ? 0.065 : 0.06} ${hue})`;
}

class Icicle {
    constructor(m, view, app) {
        this.m = m;
        this.app = app;
        this.top = 0; // path that fills the width of the picture
        this.width = "time";
        this.place = layOut(m, this.widths);
        this.levels = groupByDepth(m);
        this.dark = matchMedia("(prefers-color-scheme: dark)");
        this.colors = new Map();
        this.canvas = element("canvas", { tabindex: 0, role: "application",
            "aria-label": "Icicle of the call tree. Arrows move, Enter zooms, Escape zooms out. " +
                "The tree shows the same as a table.", "aria-describedby": "said" });
        this.tip = element("div", { class: "tip", hidden: "" });
        this.spacer = element("div", { class: "spacer" }, this.canvas);
        this.box = element("div", { class: "icicle" }, this.spacer);
        this.out = element("button", { text: "Zoom out", onclick: () => this.zoom(m.parent[this.top]) });
        this.line = element("p", { class: "zoomed" });
        view.append(element("div", { class: "icicle-head" }, this.line, this.chooser(), this.out), this.box,
            this.tip);
        this.listen();
        this.zoom(0);
    }

    /* Offer time and counters as widths; derived metrics have no meaningful sum. */
    chooser() {
        const counted = this.m.metrics.filter((metric) => !metric.steps && hasSum(this.m, metric));
        if (counted.length === 0)
            return null;
        return chooser("Width", this, "width", [["time", "Time"], ...counted.map((c) => [c.key, c.head])], () => {
            this.place = layOut(this.m, this.widths);
            this.zoom(this.top);
        });
    }

    get metric() {
        return this.m.metrics.find((metric) => metric.key === this.width);
    }

    get widths() {
        if (this.width === "time")
            return this.m.total;
        return metricColumn(this.m, this.metric, false).map((value) => value > 0 ? value : 0);
    }

    /* Return the size of PATH as text. */
    size(path) {
        const m = this.m;
        if (this.width === "time")
            return `${aboutText(timeText(m.total[path]), m.error[path])}, ` +
                `${shareText(m.total[path], m.total[0])} of total`;
        const values = metricColumn(m, this.metric, false);
        return `${metricText(this.metric, values[path], m.error[path] > 0)} ${this.metric.head}, ` +
            `${shareText(values[path], values[0])} of total`;
    }

    listen() {
        new ResizeObserver(() => this.draw()).observe(this.box);
        this.box.addEventListener("scroll", () => this.draw());
        this.dark.addEventListener("change", () => { this.colors.clear(); this.draw(); });
        this.canvas.addEventListener("mousemove", (e) => this.point(e));
        this.canvas.addEventListener("mouseleave", () => { this.tip.hidden = true; });
        this.canvas.addEventListener("click", (e) => this.click(e));
        this.canvas.addEventListener("keydown", (e) => this.key(e));
        this.canvas.addEventListener("focus", () => this.draw());
        this.canvas.addEventListener("blur", () => this.draw());
    }

    zoom(path) {
        this.top = path;
        this.out.disabled = path === 0;
        const what = this.width === "time" ? "inclusive times" : "inclusive counts of " + this.metric.name;
        this.line.textContent = path === 0 ? `Widths are ${what}. Click a bar to zoom.`
            : `Zoomed to ${nameOf(this.m, path)}: ${this.size(path)}`;
        this.draw();
    }

    /* ---- Drawing ---- */

    get range() {
        const left = this.place.left[this.top];
        return { left, width: Math.max(this.place.right[this.top] - left, 1e-12) };
    }

    /* Deepest level of the zoomed subtree. */
    get depth() {
        const m = this.m;
        if (this.top === 0)
            return this.levels.deepest;
        let deepest = 0;
        for (let i = this.top; i < m.end[this.top]; i++)
            deepest = Math.max(deepest, m.depth[i]);
        return deepest;
    }

    draw() {
        const width = this.box.clientWidth, height = this.box.clientHeight;
        if (width === 0 || height === 0)
            return; // another view is visible
        const ratio = devicePixelRatio || 1, canvas = this.canvas;
        this.spacer.style.height = (this.depth + 1) * LEVEL + "px";
        canvas.style.height = height + "px";
        canvas.width = Math.round(width * ratio);
        canvas.height = Math.round(height * ratio);
        const context = this.context = canvas.getContext("2d");
        context.scale(ratio, ratio);
        const style = getComputedStyle(canvas);
        context.font = style.font;
        context.textBaseline = "middle";
        this.ink = style.color;
        this.ground = style.backgroundColor;
        this.letter = context.measureText("m").width;
        const first = Math.floor(this.box.scrollTop / LEVEL);
        const last = Math.min(this.depth, first + Math.ceil(height / LEVEL));
        for (let level = first; level <= last; level++)
            this.drawLevel(level, width);
        this.drawSelected(width);
    }

    /*
     * Return the index in the level's list of the first path of LEVEL that ends to the right of X.
     */
    find(level, x) {
        let low = this.levels.begin[level], high = this.levels.begin[level + 1];
        while (low < high) {
            const middle = (low + high) >> 1;
            if (this.place.right[this.levels.list[middle]] <= x)
                low = middle + 1;
            else
                high = middle;
        }
        return low;
    }

    frame(path, width) {
        const { left, width: whole } = this.range;
        const from = Math.max(0, (this.place.left[path] - left) / whole * width);
        const to = Math.min(width, (this.place.right[path] - left) / whole * width);
        return { x: from, width: to - from, y: this.m.depth[path] * LEVEL - this.box.scrollTop };
    }

    drawLevel(level, width) {
        const { left, width: whole } = this.range, m = this.m, context = this.context;
        let drawn = -1; // right end of the last bar too narrow for a gap
        for (let k = this.find(level, left); k < this.levels.begin[level + 1]; k++) {
            const path = this.levels.list[k];
            if (this.place.left[path] >= left + whole)
                break;
            const bar = this.frame(path, width);
            if (bar.x + bar.width < drawn + 0.5)
                continue;
            drawn = bar.x + bar.width;
            const dimmed = this.app.needle !== "" && !this.app.isHit(path);
            context.globalAlpha = dimmed ? 0.25 : m.depth[path] < m.depth[this.top] ? 0.5 : 1;
            context.fillStyle = this.color(path);
            context.fillRect(bar.x, bar.y, Math.max(bar.width - 1, 0.5), LEVEL - 1);
            context.globalAlpha = dimmed ? 0.6 : 1;
            if (bar.width > 5 * this.letter)
                this.drawName(nameOf(m, path), bar);
        }
        context.globalAlpha = 1;
    }

    drawName(name, bar) {
        const context = this.context, room = Math.floor((bar.width - 10) / this.letter);
        context.save();
        context.beginPath();
        context.rect(bar.x, bar.y, bar.width - 2, LEVEL);
        context.clip();
        context.fillStyle = this.ink;
        context.fillText(name.length > room ? name.slice(0, room - 1) + "…" : name,
            bar.x + 5, bar.y + LEVEL / 2);
        context.restore();
    }

    drawSelected(width) {
        const bar = this.frame(this.app.selected, width), context = this.context;
        if (bar.width <= 0)
            return;
        context.strokeStyle = this.ink;
        context.lineWidth = 2;
        context.strokeRect(bar.x + 1, bar.y + 1, Math.max(bar.width - 3, 1), LEVEL - 3);
    }

    color(path) {
        const m = this.m, region = path === 0 || isRest(m, path) ? -1 : m.region[path];
        if (!this.colors.has(region))
            this.colors.set(region, region < 0 ? `oklch(${this.dark.matches ? 32 : 88}% 0 0)`
                : colorOf(m.names[region], this.dark.matches));
        return this.colors.get(region);
    }

    /* ---- Pointer and keys ---- */

    /* Return the path at the pointer, or -1. */
    at(event) {
        const frame = this.canvas.getBoundingClientRect();
        const level = Math.floor((event.clientY - frame.top + this.box.scrollTop) / LEVEL);
        if (level < 0 || level > this.levels.deepest)
            return -1;
        const { left, width } = this.range;
        const x = left + (event.clientX - frame.left) / frame.width * width;
        const k = this.find(level, x);
        const path = this.levels.list[k];
        return k < this.levels.begin[level + 1] && this.place.left[path] <= x ? path : -1;
    }

    describe(path) {
        const m = this.m;
        const own = this.width === "time" ? aboutText(timeText(m.self[path]), m.selfError[path])
            : metricText(this.metric, metricColumn(m, this.metric, true)[path], m.selfError[path] > 0);
        return `${nameOf(m, path)}: ${this.size(path)}` +
            (path === 0 ? "" : `; exclusive ${own}; ` +
                `${countText(m.calls[path])} ${m.calls[path] === 1 ? "call" : "calls"}`);
    }

    point(event) {
        const path = this.at(event), tip = this.tip;
        tip.hidden = path < 0;
        this.canvas.style.cursor = path < 0 ? "default" : "pointer";
        if (path < 0)
            return;
        tip.replaceChildren(element("bdi", { class: "label", text: nameOf(this.m, path) }),
            element("span", { text: this.describe(path).slice(nameOf(this.m, path).length + 2) }));
        const room = document.documentElement.clientWidth - tip.offsetWidth - 8;
        tip.style.left = Math.max(8, Math.min(event.clientX + 12, room)) + "px";
        const below = event.clientY + 18 + tip.offsetHeight < innerHeight;
        tip.style.top = (below ? event.clientY + 18 : event.clientY - tip.offsetHeight - 10) + "px";
    }

    /* Zoom to the clicked path, or out to its parent if it already fills the picture. */
    click(event) {
        const path = this.at(event);
        if (path < 0)
            return;
        this.tip.hidden = true;
        this.zoom(path === this.top ? this.m.parent[path] : path);
        if (path > 0)
            this.app.select(path);
    }

    /* Return the neighbor of PATH on its level, STEP positions to the right. */
    beside(path, step) {
        const { begin, list, index } = this.levels, level = this.m.depth[path];
        const to = index[path] + step;
        return to >= begin[level] && to < begin[level + 1] ? list[to] : path;
    }

    key(event) {
        const m = this.m, path = this.app.selected;
        const moves = {
            // the longest child comes first
            ArrowDown: () => m.children[path] > 0 ? path + 1 : path,
            ArrowUp: () => m.parent[path] || path,
            ArrowLeft: () => this.beside(path, -1),
            ArrowRight: () => this.beside(path, 1),
        };
        if (moves[event.key])
            this.app.select(moves[event.key]());
        else if (event.key === "Enter" || event.key === " ")
            this.zoom(path);
        else if (event.key === "Escape" || event.key === "Backspace")
            this.zoom(event.key === "Escape" ? 0 : m.parent[this.top]);
        else
            return;
        event.preventDefault();
    }

    /* Bring the selected path into view. */
    selected() {
        const m = this.m, path = this.app.selected;
        if (path < this.top || path >= m.end[this.top])
            this.zoom(m.parent[path]);
        this.draw(); // the box needs its final height before it can scroll
        const y = m.depth[path] * LEVEL, box = this.box;
        if (y < box.scrollTop)
            box.scrollTop = y;
        else if (y + LEVEL > box.scrollTop + box.clientHeight)
            box.scrollTop = y + LEVEL - box.clientHeight;
        this.draw();
        if (document.activeElement === this.canvas)
            this.app.say(this.describe(path));
    }
}
