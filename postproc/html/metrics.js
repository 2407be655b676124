/*
 * metrics.js - counters and derived metrics. A metric is computed from slots, which are summed over
 * paths; html_counts.c describes their encoding.
 */

/* Marks a time too short for an estimate; sorted last, like NaN. */
const TOO_SHORT = -Infinity;

function readSlot(flat, total) {
    const [form, ...rest] = flat, n = total.length;
    if (form === 0)
        return Float64Array.from(rest);
    const values = sparse(rest, n);
    return form === 1 ? values : values.map((less, i) => total[i] - less);
}

function ownOf(m, all, exceptions) {
    const own = all.slice();
    for (let i = 1; i < m.n; i++)
        own[m.parent[i]] -= all[i];
    for (let i = 0; i < m.n; i++)
        if (own[i] < 0 && all[i] >= 0)
            own[i] = 0;
    for (let at = 0; at < exceptions.length; at += 2)
        own[exceptions[at]] = exceptions[at + 1];
    return own;
}

/* Add metrics, slots and time errors to M. */
function readMetrics(m, raw) {
    m.metrics = raw.metrics || [];
    m.metrics.forEach((metric, k) => {
        metric.key = "metric" + k;
        metric.head = visible(metric.head);
        metric.name = visible(metric.name);
    });
    m.all = (raw.counts || []).map((flat) => readSlot(flat, m.total));
    m.own = m.all.map((all, s) => ownOf(m, all, raw.own[s]));
    m.first = raw.first || null;
    // slots counted per process: only the first lane's value is valid
    m.ofAll = m.all.map(() => false);
    for (const metric of m.metrics.filter((x) => x.ofAll))
        for (const s of slotsOf(metric))
            m.ofAll[s] = true;
    m.error = sparse(raw.error || [], m.n);
    m.selfError = m.error.slice();
    for (let i = 1; i < m.n; i++)
        m.selfError[m.parent[i]] += m.error[i];
    m.error[0] = m.selfError[0];
    m.isEstimated = m.selfError.some((e) => e > 0);
}

function slotsOf(metric) {
    const steps = (metric.steps || []).filter((step) => step[0] === "v").map((step) => Number(step.slice(1)));
    return [metric.wall, ...(metric.steps ? steps : [metric.slot])];
}

function evaluate(steps, values, seconds) {
    const stack = [];
    for (const step of steps) {
        const rest = step.slice(1);
        switch (step[0]) {
        case "n": stack.push(Number(rest)); break;
        case "w": stack.push(seconds); break;
        case "v": stack.push(values[Number(rest)]); break;
        case "~": stack.push(-stack.pop()); break;
        default: {
            const b = stack.pop(), a = stack.pop();
            stack.push(step === "+" ? a + b : step === "-" ? a - b : step === "*" ? a * b
                : b !== 0 ? a / b : NaN);
        }
        }
    }
    return Number.isFinite(stack[0]) ? stack[0] : NaN;
}

/* Return METRIC computed from sums by slot. SEVERAL: the sums cover several processes. */
function metricOf(metric, values, several) {
    const seconds = values[metric.wall] * 1e-9;
    if ((metric.ofAll && several) || (!metric.everywhere && seconds === 0))
        return NaN;
    if (metric.estimated && seconds < metric.least)
        return TOO_SHORT;
    return metric.steps ? evaluate(metric.steps, values, seconds) : values[metric.slot];
}

/* A sum over paths. A per-process counter is stored in the first lane of the process. */
class Tally {
    constructor(m) {
        this.m = m;
        this.values = new Float64Array(m.all.length);
        this.lane = -1;
        this.several = false;
    }

    add(path, slots) {
        const m = this.m, lane = m.first ? m.first[path] : 0;
        const process = (l) => m.lanes[l].process;
        if (lane < 0 || (this.lane >= 0 && lane !== this.lane && process(lane) !== process(this.lane)))
            this.several = true;
        const better = lane >= 0 && (this.lane < 0 || lane < this.lane);
        for (let s = 0; s < slots.length; s++) {
            if (!m.ofAll[s])
                this.values[s] += slots[s][path];
            else if (better)
                this.values[s] = slots[s][path];
            else if (lane === this.lane)
                this.values[s] += slots[s][path];
        }
        if (better)
            this.lane = lane;
    }

    value(metric) {
        return metricOf(metric, this.values, this.several);
    }
}

/* Return METRIC of each path, computed at the first request. */
function metricColumn(m, metric, isOwn) {
    const kind = isOwn ? "own" : "all";
    metric.columns = metric.columns || {};
    if (!metric.columns[kind]) {
        const values = new Float64Array(m.n), sums = new Float64Array(m.all.length);
        for (let i = 0; i < m.n; i++) {
            for (let s = 0; s < sums.length; s++)
                sums[s] = m[kind][s][i];
            values[i] = metricOf(metric, sums, m.first !== null && m.first[i] < 0);
        }
        metric.columns[kind] = values;
    }
    return metric.columns[kind];
}

/* ---- Numbers ------------------------------------------------------------------------------- */

const LARGE = [["P", 1e15], ["T", 1e12], ["G", 1e9], ["M", 1e6]];

/* Format VALUE: "1,234,567" or "12.35 G"; four digits for a ratio. */
function metricText(metric, value, about) {
    if (value === TOO_SHORT)
        return "n/a";
    if (Number.isNaN(value) || value === undefined)
        return "–";
    const mark = about || metric.estimated ? "~" : "", size = Math.abs(value);
    if (!metric.steps && size < 1e7)
        return mark + grouped.format(value);
    if (metric.steps && size < 1e6)
        return mark + (size !== 0 && size < 1e-3 ? value.toExponential(3)
            : size === 0 ? "0" : value.toPrecision(size < 1e4 ? 4 : 6));
    const [unit, by] = LARGE.find((u) => size >= u[1]) || ["", 1];
    return mark + (value / by).toPrecision(4) + (unit ? " " + unit : "");
}

/*
 * Return the rate of an inclusive counted VALUE, e.g. "12.35 million a second, ", or "" if
 * undefined.
 */
function rateText(metric, value, ns, about) {
    if (metric.steps || !Number.isFinite(value) || !(ns > 0))
        return "";
    const rate = value / ns * 1e3, mark = about || metric.estimated ? "~" : "";
    return `${mark}${rate.toLocaleString("en-US", { maximumFractionDigits: 2 })} million a second, `;
}

/* Return VALUE with all digits, for a tooltip. */
function metricTitle(metric, value) {
    const number = Number.isFinite(value) ? (metric.steps ? String(value) : grouped.format(value)) : "none";
    return `${metric.name}: ${number}${metric.unit ? " " + metric.unit : ""}`;
}

/* ---- Columns ------------------------------------------------------------------------------- */

/*
 * Return the selectable columns: the optional columns of OWN, the error of times, and each metric
 * as inclusive and exclusive. The keys are also class names and keys of sums over regions.
 */
function choosable(m, own) {
    const columns = own.filter((c) => c.optional).map((c) => ({ ...c, label: c.hint }));
    if (m.isEstimated)
        columns.push({ key: "error", title: "±", label: "± of inclusive times", values: m.error,
            hint: "In 95 of 100 cases, how far from the inclusive time the true one is at most" });
    for (const metric of m.metrics)
        for (const isOwn of [false, true])
            columns.push({ key: metric.key + (isOwn ? "own" : "all"), metric, isOwn,
                title: metric.head + (isOwn ? " excl." : ""),
                label: metric.name + (isOwn ? ", exclusive" : ", inclusive"),
                hint: metric.name + (metric.about ? ": " + metric.about : "") +
                    (isOwn ? ", without what was called" : ", with what was called") });
    return columns;
}

/* Whether the sum of METRIC over all lanes is meaningful. */
function hasSum(m, metric) {
    return !metric.ofAll || m.lanes.every((l) => l.process === m.lanes[0].process);
}

/*
 * Return the initial columns, at most four: metrics if there are any, else the optional columns of
 * OWN.
 */
function usualColumns(m, own, isOwn) {
    const metrics = choosable(m, own).filter((c) => c.metric && c.metric.shown && c.isOwn === isOwn &&
        hasSum(m, c.metric));
    return new Set((metrics.length > 0 ? metrics.slice(0, 4) : own.filter((c) => c.optional)).map((c) => c.key));
}

/* Return the menu that selects from COLUMNS. It changes the set KEYS and calls CHANGED. */
function columnMenu(columns, keys, changed) {
    const boxes = columns.map((column) => {
        const box = element("input", { type: "checkbox", onchange: () => {
            keys[box.checked ? "add" : "delete"](column.key);
            changed();
        } });
        box.checked = keys.has(column.key);
        return element("label", {}, box, element("bdi", { text: column.label }));
    });
    return element("details", { class: "menu" }, element("summary", { text: "Columns" }),
        element("fieldset", {}, element("legend", { class: "unseen", text: "Columns" }), ...boxes));
}

/* Reserve space for the chosen COLUMNS in the table BOX; the style sheet defines some widths. */
function fitColumns(box, columns) {
    box.style.setProperty("--extra", columns.map((c) => `var(--w-${c.key}, 6rem)`).join(" ") || " ");
    box.style.setProperty("--nextra", columns.filter((c) => !c.optional).length);
}
