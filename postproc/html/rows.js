/* rows.js - elements, tables that create only the visible rows, and table heads. */

/* Create an element. TEXT is never parsed as markup, so names cannot inject any. */
function element(tag, attributes, ...children) {
    const e = document.createElement(tag);
    for (const [key, value] of Object.entries(attributes || {}))
        if (key === "text")
            e.textContent = value;
        else if (key.startsWith("on"))
            e.addEventListener(key.slice(2), value);
        else if (value !== null && value !== undefined && value !== false)
            e.setAttribute(key, value);
    e.append(...children.filter((c) => c !== null && c !== undefined));
    return e;
}

function drawing(tag, attributes, ...children) {
    const e = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [key, value] of Object.entries(attributes))
        e.setAttribute(key, value);
    e.append(...children);
    return e;
}

/* Return TEXT with each occurrence of NEEDLE (lower case) marked. */
function marked(text, needle) {
    const lower = text.toLowerCase();
    if (!needle || lower.length !== text.length)
        return [text];
    const parts = [];
    let from = 0;
    for (let at; (at = lower.indexOf(needle, from)) >= 0; from = at + needle.length)
        parts.push(text.slice(from, at), element("mark", { text: text.slice(at, at + needle.length) }));
    parts.push(text.slice(from));
    return parts;
}

/* Row limit of a printed table; more would print a book. */
const MOST_PRINTED = 2000;

/*
 * A scrolling list of rows of equal height in BOX. MAKE(I) returns the element of row I. Only the
 * visible rows exist, and the row that KEEP() returns, for aria-activedescendant.
 */
class Rows {
    constructor(box, make, keep) {
        this.box = box;
        this.make = make;
        this.keep = keep || (() => -1);
        this.count = 0;
        this.height = 1.75 * parseFloat(getComputedStyle(document.documentElement).fontSize);
        this.body = element("div", { class: "body", role: "rowgroup" });
        box.append(this.body);
        box.addEventListener("scroll", () => this.draw());
        new ResizeObserver(() => this.draw()).observe(box);
        addEventListener("beforeprint", () => this.drawAll());
        addEventListener("afterprint", () => { this.printed = false; this.draw(); });
    }

    /* Height of the part of the box that shows rows, in pixels. */
    get shown() {
        return this.box.clientHeight - this.body.offsetTop;
    }

    draw() {
        if (this.printed)
            return;
        const first = Math.max(0, Math.floor(this.box.scrollTop / this.height));
        const last = Math.min(this.count, Math.ceil((this.box.scrollTop + this.shown) / this.height) + 1);
        const keep = this.keep(), rows = [];
        if (keep >= 0 && keep < first)
            rows.push(this.placed(keep));
        for (let i = first; i < last; i++)
            rows.push(this.placed(i));
        if (keep >= last && keep < this.count)
            rows.push(this.placed(keep));
        this.body.style.height = this.count * this.height + "px";
        this.body.replaceChildren(...rows);
    }

    drawAll() {
        this.printed = true;
        const rows = [];
        for (let i = 0; i < Math.min(this.count, MOST_PRINTED); i++)
            rows.push(this.make(i));
        this.body.style.height = "auto";
        this.body.replaceChildren(...rows);
    }

    placed(i) {
        const row = this.make(i);
        row.style.top = i * this.height + "px";
        return row;
    }

    setCount(count) {
        this.count = count;
        this.body.style.height = count * this.height + "px";
        this.draw();
    }

    reveal(i) {
        const top = i * this.height, box = this.box;
        if (top < box.scrollTop)
            box.scrollTop = top;
        else if (top + this.height > box.scrollTop + this.shown)
            box.scrollTop = top + this.height - this.shown;
    }

    get page() {
        return Math.max(1, Math.floor(this.shown / this.height) - 1);
    }
}

/*
 * Return the head of a table as an element, and a function that shows the sort order. COLUMNS: key,
 * title, hint; CHOSEN(key) sorts.
 */
function tableHead(columns, chosen) {
    const cells = new Map();
    for (const c of columns)
        cells.set(c.key, element("div", { role: "columnheader",
            class: `cell ${c.class || ""} ${c.key}` },
            element("button", { title: c.hint, text: c.title, onclick: () => chosen(c.key) })));
    const head = element("div", { class: "head", role: "rowgroup" },
        element("div", { class: "row", role: "row", "aria-rowindex": 1 }, ...cells.values()));
    const show = (key, descending) => {
        for (const [own, cell] of cells)
            cell.setAttribute("aria-sort", own !== key ? "none" : descending ? "descending" : "ascending");
    };
    return { head, show };
}

/* Return a bar of the share of the whole: pale for inclusive, solid for exclusive. */
function shareBar(total, self, whole) {
    const bar = element("span", { class: "bar", "aria-hidden": "true" });
    for (const [kind, value] of [["total", total], ["self", self]]) {
        const part = element("i", { class: kind });
        part.style.width = (whole > 0 ? Math.min(100, 100 * value / whole) : 0) + "%";
        bar.append(part);
    }
    return bar;
}
