/* histogram.js - duration histogram of the calls of the selected path or its region. */

/* Return the smallest duration in ticks of bucket I ("buckets" in timing.schema.json). */
function bucketBegin(i) {
    return i < 32 ? i : (32 + i % 32) * 2 ** Math.floor((i - 32) / 32);
}

/* Return [bucket, calls] summed over PATHS in bucket order; empty if no path has a histogram. */
function sumBuckets(m, paths) {
    const sum = new Map();
    for (const path of paths) {
        const at = m.histogramsAt.get(path);
        for (let k = 0; at !== undefined && k < m.histograms[at]; k++) {
            const bucket = m.histograms[at + 1 + 2 * k];
            sum.set(bucket, (sum.get(bucket) || 0) + m.histograms[at + 2 + 2 * k]);
        }
    }
    return Array.from(sum).sort((a, b) => a[0] - b[0]);
}

/* Return the quantile FRACTION of the call durations in nanoseconds: the midpoint of its bucket. */
function quantile(m, buckets, fraction) {
    const all = buckets.reduce((sum, b) => sum + b[1], 0);
    let seen = 0;
    for (const [bucket, calls] of buckets) {
        seen += calls;
        if (seen >= fraction * all)
            return m.tick * (bucket < 32 ? bucket : (bucketBegin(bucket) + bucketBegin(bucket + 1)) / 2);
    }
    return NaN;
}

/* Merge adjacent buckets until at most 64 remain: [first bucket, bucket after the last, calls]. */
function joinBuckets(buckets) {
    let shift = 0;
    const first = buckets[0][0], last = buckets[buckets.length - 1][0];
    while ((last >> shift) - (first >> shift) >= 64)
        shift++;
    const joined = new Map();
    for (const [bucket, calls] of buckets)
        joined.set(bucket >> shift, (joined.get(bucket >> shift) || 0) + calls);
    return Array.from(joined, ([b, calls]) => [b << shift, (b + 1) << shift, calls]);
}

const PICTURE = { width: 360, height: 130, foot: 18, top: 6 };

/*
 * Return the drawing of BARS: [first bucket, bucket after the last, count of ONE]. BEGIN returns
 * the lower bound of a bucket in nanoseconds.
 */
function barPicture(bars, begin, label, one, several) {
    const { width, height, foot, top } = PICTURE;
    const time = (bucket) => Math.log10(Math.max(begin(bucket), 0.5));
    const left = time(bars[0][0]), right = time(bars[bars.length - 1][1]);
    const x = (log) => (log - left) / (right - left) * width;
    // Bucket widths differ on the logarithmic axis, so areas, not heights, represent counts.
    const density = ([from, to, number]) => number / (time(to) - time(from));
    const most = Math.max(...bars.map(density));
    const svg = drawing("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", class: "histogram",
        "aria-label": label });
    for (const bar of bars) {
        const [from, to, number] = bar;
        const tall = Math.max(1.5, density(bar) / most * (height - foot - top));
        const at = x(time(from)), wide = Math.max(1, x(time(to)) - at - 0.5);
        const title = drawing("title", {});
        title.textContent = `${timeText(10 ** time(from))} to ${timeText(10 ** time(to))}: ` +
            `${countText(number)} ${number === 1 ? one : several}`;
        svg.append(drawing("rect", { x: at, y: height - foot - tall, width: wide, height: tall }, title));
    }
    svg.append(drawing("line", { x1: 0, x2: width, y1: height - foot, y2: height - foot }));
    drawAxis(svg, left, right, x);
    return svg;
}

/* Label powers of ten, and multiples between them if the picture spans few powers. */
function drawAxis(svg, left, right, x) {
    const steps = right - left > 2.5 ? [1] : right - left > 0.8 ? [1, 2, 5] : [1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9];
    let free = 0; // x position after the last label
    for (let power = Math.floor(left); power <= right; power++)
        for (const step of steps) {
            const at = x(power + Math.log10(step));
            if (at < free || at > PICTURE.width - 28)
                continue;
            const label = drawing("text", { x: at + 3, y: PICTURE.height - 4 });
            label.textContent = timeText(step * 10 ** power).replace(/\.0+ /, " ").replace(/(\.\d*?)0+ /, "$1 ");
            svg.append(label, drawing("line", { x1: at, x2: at, y1: PICTURE.height - PICTURE.foot,
                y2: PICTURE.height - PICTURE.foot + 5 }));
            free = at + 48;
        }
}

class Histogram {
    constructor(m, box) {
        this.m = m;
        this.over = "path";
        this.box = box;
    }

    show(path) {
        const m = this.m, all = isRest(m, path) ? [path] : pathsOf(m, m.region[path]);
        const buckets = sumBuckets(m, this.over === "path" ? [path] : all);
        this.path = path;
        this.box.hidden = sumBuckets(m, all).length === 0;
        if (this.box.hidden)
            return;
        this.box.replaceChildren(element("h3", { text: "Lengths of calls" }));
        if (all.length > 1)
            this.box.append(element("div", { class: "choosers" }, chooser("Of", this, "over",
                [["path", "this path"], ["region", `all ${all.length} paths`]], () => this.show(path))));
        if (buckets.length === 0) {
            this.box.append(element("p", { class: "summary", text: "This path has no histogram." }));
            return;
        }
        const text = [[0.5, "half"], [0.95, "95%"], [0.99, "99%"]].map(([fraction, share]) =>
            `${share} within ${timeText(quantile(m, buckets, fraction))}`).join(", ");
        this.box.append(element("p", { class: "summary", text: text }), barPicture(joinBuckets(buckets),
            (bucket) => bucketBegin(bucket) * m.tick, "Histogram of the lengths of calls: " + text, "call", "calls"));
    }
}
