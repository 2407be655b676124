/*
 * tree.js - the call tree as a collapsible table (treegrid). The box keeps the focus, and
 * aria-activedescendant names the active row, because rows are created and removed.
 */

/* Deeper rows are not indented further; they show their depth as a number. */
const MOST_INDENT = 16;

function treeColumns(m, unit) {
    return [
        { key: "name", title: "Region", hint: "Sort by name",
            text: (i) => nameOf(m, i) },
        { key: "share", title: "Of total", by: "total",
            hint: "Share of the time of all lanes: pale with children, full without", text: null },
        { key: "total", title: `Inclusive (${unit.name})`, values: m.total,
            hint: "Time with what was called", error: m.error,
            text: (i) => aboutText(unit.text(m.total[i]), m.error[i]) },
        { key: "self", title: `Exclusive (${unit.name})`, values: m.self,
            hint: "Time less that of the children", error: m.selfError,
            text: (i) => aboutText(unit.text(m.self[i]), m.selfError[i]) },
        { key: "calls", title: "Calls", values: m.calls,
            hint: "Calls that ended", text: (i) => countText(m.calls[i]) },
        { key: "max", title: "Longest", optional: true, values: m.max,
            hint: "The longest call", text: (i) => timeText(m.max[i]) },
        { key: "min", title: "Shortest", optional: true, values: m.min,
            hint: "The shortest call", text: (i) => timeText(m.min[i]) },
        { key: "mean", title: "Mean of ranks", optional: true, values: m.mean,
            hint: "The mean of the ranks that were there", text: (i) => timeText(m.mean[i]) },
        { key: "imbalance", title: "Imbalance", optional: true, values: m.imbalance,
            hint: `The time of the longest ${m.job ? "rank" : "lane"} less the mean of those that were there, in percent of that`,
            text: (i) => imbalanceText(m.imbalance[i]) },
        { key: "predicted", title: "Predicted", optional: true, values: m.predicted,
            hint: `Inclusive time predicted for ${m.predictedOn}`, text: (i) => timeText(m.predicted[i]) },
        { key: "missed", title: "Error", optional: true, values: m.missed,
            hint: "Predicted less measured time, in percent of what was measured", text: (i) => missedText(m.missed[i]) },
    ].filter((c) => m.predictedOn !== null || (c.key !== "predicted" && c.key !== "missed")).filter((c) => m.job ? c.key !== "max" && c.key !== "min"
        : c.key !== "mean" && (c.key !== "imbalance" || m.lanes.length > 1));
}

/* Return the optional columns that KEYS selects, as columns of the tree. */
function treeExtras(m, own, keys) {
    return choosable(m, own).filter((c) => keys.has(c.key)).map((c) => {
        if (c.optional)
            return c;
        if (c.key === "error")
            return { ...c, class: "extra", text: (i) => m.error[i] > 0 ? timeText(m.error[i]) : "–" };
        const errors = c.isOwn ? m.selfError : m.error, value = (i) => metricColumn(m, c.metric, c.isOwn)[i];
        return { ...c, class: "extra", get values() { return metricColumn(m, c.metric, c.isOwn); },
            text: (i) => metricText(c.metric, value(i), errors[i] > 0),
            tip: (i) => metricTitle(c.metric, value(i)) };
    });
}

class Tree {
    /* APP provides selected, select(path), isHit(path) and needle. */
    constructor(m, box, app) {
        this.m = m;
        this.app = app;
        this.box = box;
        this.unit = columnUnit(m.total[0]);
        this.own = treeColumns(m, this.unit);
        this.chosen = usualColumns(m, this.own, false);
        this.open = new Uint8Array(m.n);
        this.hot = new Set();
        this.lines = new Int32Array(m.n); // visible paths in order
        this.count = 0;
        this.line = new Int32Array(m.n).fill(-1); // index of each path in lines, or -1
        this.head = null;
        for (const [name, value] of Object.entries({ role: "treegrid", tabindex: 0,
            "aria-label": "Call tree" }))
            box.setAttribute(name, value);
        box.classList.add("grid", "paths");
        this.makeHead();
        this.rows = new Rows(box, (i) => this.row(i), () => this.line[app.selected]);
        box.addEventListener("click", (event) => this.click(event));
        box.addEventListener("dblclick", (event) => this.click(event, true));
        box.addEventListener("keydown", (event) => this.key(event));
        this.setSort("total", true);
    }

    makeHead() {
        const old = this.head, extras = treeExtras(this.m, this.own, this.chosen);
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
        if (this.columns.some((c) => c.key === this.sortKey))
            this.head.show(this.sortKey, this.descending);
        else
            this.setSort("total", true);
        this.update();
    }

    /* ---- Order ---- */

    setSort(key, descending) {
        this.sortKey = key;
        this.descending = descending;
        this.sorted = new Map(); // children of a path in sort order
        this.position = this.isNatural ? this.m.position : new Int32Array(this.m.n);
        this.rank = null;
        this.head.show(key, descending);
    }

    sort(key) {
        const again = key === this.sortKey;
        this.setSort(key, again ? !this.descending : key !== "name");
        this.update();
        this.app.orderHits();
    }

    compare() {
        const m = this.m, sign = this.descending ? -1 : 1;
        if (this.sortKey === "name") {
            const rank = nameRanks(m), region = m.region;
            return (a, b) => sign * (rank[region[a]] - rank[region[b]]) || a - b;
        }
        const column = this.columns.find((c) => c.key === this.sortKey);
        const values = column.values || m[column.by];
        const value = (i) => Number.isFinite(values[i]) ? values[i] : -Infinity;
        return (a, b) => sign * (value(a) - value(b)) || a - b;
    }

    /*
     * Whether the sort order is by inclusive time: paths arrive in that order, so nothing is
     * sorted.
     */
    get isNatural() {
        return this.descending && (this.sortKey === "total" || this.sortKey === "share");
    }

    childrenOf(path) {
        const m = this.m;
        let list = this.sorted.get(path);
        if (list)
            return list;
        list = new Int32Array(m.children[path]);
        for (let i = path + 1, k = 0; i < m.end[path]; i = m.end[i])
            list[k++] = i;
        list.sort(this.compare());
        list.forEach((i, k) => { this.position[i] = k + 1; });
        this.sorted.set(path, list);
        return list;
    }

    /* Call SEE with each path in order; skips paths in closed subtrees unless EVERYTHING. */
    walk(everything, see) {
        const m = this.m;
        if (this.isNatural)
            for (let i = 1; i < m.n; i = everything || this.open[i] ? i + 1 : m.end[i])
                see(i);
        else
            this.walkSorted(everything, see);
    }

    walkSorted(everything, see) {
        const lists = [this.childrenOf(0)], at = [0];
        while (lists.length > 0) {
            const top = lists.length - 1;
            if (at[top] === lists[top].length) {
                lists.pop();
                at.pop();
                continue;
            }
            const path = lists[top][at[top]++];
            see(path);
            if (this.m.children[path] > 0 && (everything || this.open[path])) {
                lists.push(this.childrenOf(path));
                at.push(0);
            }
        }
    }

    /* Return the position of each path in the fully opened tree. */
    ranks() {
        if (!this.rank) {
            this.rank = new Int32Array(this.m.n);
            let n = 0;
            this.walk(true, (path) => { this.rank[path] = n++; });
        }
        return this.rank;
    }

    /* ---- Visible rows ----- */

    update() {
        for (let k = 0; k < this.count; k++)
            this.line[this.lines[k]] = -1;
        this.count = 0;
        this.walk(false, (path) => {
            this.line[path] = this.count;
            this.lines[this.count++] = path;
        });
        this.box.setAttribute("aria-rowcount", this.count + 1);
        this.rows.setCount(this.count);
        this.showActive();
    }

    showActive() {
        const line = this.line[this.app.selected];
        if (line >= 0)
            this.box.setAttribute("aria-activedescendant", "path-" + this.app.selected);
        else
            this.box.removeAttribute("aria-activedescendant");
    }

    /* Open all ancestors of PATH and scroll it into view. */
    reveal(path) {
        let changed = this.line[path] < 0;
        for (let i = this.m.parent[path]; i > 0; i = this.m.parent[i])
            if (!this.open[i]) {
                this.open[i] = 1;
                changed = true;
            }
        if (changed)
            this.update();
        this.rows.reveal(this.line[path]);
        this.rows.draw();
        this.showActive();
    }

    setOpen(path, open) {
        if (this.m.children[path] === 0 || !!this.open[path] === open)
            return;
        this.open[path] = open ? 1 : 0;
        this.update();
    }

    setAll(open) {
        this.open.fill(open ? 1 : 0);
        this.hot.clear();
        if (!open)
            while (this.m.parent[this.app.selected] > 0)
                this.app.selected = this.m.parent[this.app.selected];
        this.update();
        this.app.select(this.app.selected);
    }

    /* Open the path of the largest children from PATH down to a leaf; return the leaf. */
    openHotPath(path) {
        const m = this.m;
        this.hot = new Set(ancestors(m, path));
        while (m.children[path] > 0) {
            let largest = path + 1;
            for (let i = path + 1; i < m.end[path]; i = m.end[i])
                if (m.total[i] > m.total[largest])
                    largest = i;
            this.open[path] = 1;
            path = largest;
            this.hot.add(path);
        }
        this.update();
        return path;
    }

    /* ---- Row ------ */

    row(k) {
        const m = this.m, path = this.lines[k], inner = m.children[path] > 0;
        const row = element("div", {
            role: "row", id: "path-" + path, class: this.classes(path), "data-path": path,
            "aria-level": m.depth[path], "aria-rowindex": k + 2,
            "aria-setsize": m.children[m.parent[path]], "aria-posinset": this.position[path],
            "aria-expanded": inner ? String(!!this.open[path]) : null,
            "aria-selected": String(path === this.app.selected),
        }, this.nameCell(path, inner));
        for (const column of this.columns.slice(1))
            row.append(column.key === "share" ? this.shareCell(path)
                : element("div", { role: "gridcell",
                    class: `cell number ${column.class || ""} ${column.key}`, text: column.text(path),
                    title: column.tip ? column.tip(path) : column.error ? errorTitle(column.error[path]) : null }));
        return row;
    }

    classes(path) {
        return "row" + (isRest(this.m, path) ? " rest" : "") + (this.hot.has(path) ? " hot" : "") +
            (this.app.isHit(path) ? " hit" : "");
    }

    nameCell(path, inner) {
        const m = this.m, depth = m.depth[path], region = m.region[path];
        const cell = element("div", { role: "rowheader", class: "cell name" });
        cell.style.setProperty("--level", Math.min(depth, MOST_INDENT) - 1);
        const needle = this.app.isHit(path) ? this.app.needle : "";
        const where = whereIs(m, region), whole = whereIs(m, region, true);
        cell.append(element("span", { class: inner ? "twist" : "twist leaf", "aria-hidden": "true" }));
        if (depth > MOST_INDENT)
            cell.append(element("span", { class: "deep", title: "Depth", text: String(depth) }));
        cell.append(element("bdi", { class: "label",
            title: nameOf(m, path) + (whole ? "\n" + whole : "") }, ...marked(nameOf(m, path), needle)));
        if (where)
            cell.append(element("bdi", { class: "where", title: whole }, ...marked(where, needle)));
        for (const [values, text] of [[m.open, "open"], [m.unstopped, "unstopped"]])
            if (values[path] > 0)
                cell.append(element("span", { class: "badge", text }));
        return cell;
    }

    shareCell(path) {
        const m = this.m;
        return element("div", { role: "gridcell", class: "cell share" },
            shareBar(m.total[path], m.self[path], m.total[0]),
            element("span", { class: "number",
                text: aboutText(shareText(m.total[path], m.total[0]), m.error[path]) }));
    }

    /* ---- Pointer and keys ---- */

    click(event, twice) {
        const row = event.target.closest("[data-path]");
        if (!row)
            return;
        const path = Number(row.dataset.path), twist = event.target.closest(".twist");
        if (twist ? !twice : twice)
            this.setOpen(path, !this.open[path]);
        this.app.select(path);
    }

    /* Return the line that KEY moves to from LINE, or -1. */
    target(key, line) {
        const m = this.m, path = this.lines[line], last = this.count - 1;
        switch (key) {
        case "ArrowDown": return Math.min(last, line + 1);
        case "ArrowUp": return Math.max(0, line - 1);
        case "PageDown": return Math.min(last, line + this.rows.page);
        case "PageUp": return Math.max(0, line - this.rows.page);
        case "Home": return 0;
        case "End": return last;
        case "ArrowRight": return m.children[path] > 0 && this.open[path] ? line + 1 : -1;
        case "ArrowLeft": return this.open[path] && m.children[path] > 0 ? -1 : this.line[m.parent[path]];
        default: return -1;
        }
    }

    key(event) {
        if (event.target !== this.box || event.altKey || event.ctrlKey || event.metaKey ||
            this.count === 0)
            return;
        const line = Math.max(0, this.line[this.app.selected]), path = this.lines[line];
        const to = this.target(event.key, line);
        if (to >= 0)
            this.app.select(this.lines[to]);
        else if (event.key === "ArrowRight" || event.key === "ArrowLeft")
            this.setOpen(path, event.key === "ArrowRight");
        else if (event.key === "Enter" || event.key === " ")
            this.setOpen(path, !this.open[path]);
        else
            return;
        event.preventDefault();
    }

    selected() {
        this.reveal(this.app.selected);
    }
}
