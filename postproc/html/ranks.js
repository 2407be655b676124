/*
 * ranks.js - distribution of the selected path's time over the ranks of a job, with a histogram.
 * The source is either statistics over ranks or the values of each lane: the time of a rank is the
 * time of its longest thread.
 */

/*
 * Return the lower bound of bucket I as in doc/summary.schema.json: four buckets for each power of
 * two nanoseconds.
 */
function rankBucketBegin(i) {
    return i < 8 ? i : (4 + (i - 8) % 4) * 2 ** (Math.floor((i - 8) / 4) + 1);
}

function rankBucket(ns) {
    let bucket = ns < 8 ? Math.floor(ns) : 8 + 4 * (Math.floor(Math.log2(ns)) - 3);
    while (rankBucketBegin(bucket + 1) <= ns)
        bucket++;
    return bucket;
}

/*
 * Add to M: job, the statistics of html_ranks.c by path; null if the lanes are threads, not ranks.
 */
function readRanks(m, raw) {
    m.job = raw.ranks ? { size: raw.ranks, of: new Map() } : null;
    if (!m.job)
        return;
    for (let at = 0; at < raw.rankRows.length; at += 9) {
        const [path, n, mean, deviation, most, mostRank, mostThread, least, leastRank] = raw.rankRows.slice(at, at + 9);
        m.job.of.set(path, { n, mean, deviation, most, least,
            mostOf: `rank ${mostRank} thread ${mostThread}`, leastOf: `rank ${leastRank}`, buckets: null });
    }
    const flat = raw.rankBuckets;
    for (const [path, at] of indexRows(flat, 2))
        m.job.of.get(path).buckets = Array.from({ length: flat[at] },
            (_, k) => [flat[at + 1 + 2 * k], flat[at + 2 + 2 * k]]);
}

/* Compute the same statistics from the lanes; null if the page lacks them. */
function ranksOfLanes(m, path) {
    const at = m.partsAt.get(path), longest = new Map();
    if (at === undefined)
        return null;
    for (let k = 0; k < m.parts[at]; k++) {
        const [lane, , total] = m.parts.slice(at + 1 + m.partWidth * k, at + 4 + m.partWidth * k);
        const process = m.lanes[lane].process;
        longest.set(process, Math.max(total, longest.get(process) || 0));
    }
    const all = Array.from(longest), n = all.length, buckets = new Map();
    const mean = all.reduce((sum, [, ns]) => sum + ns, 0) / n;
    const [mostOf, most] = all.reduce((a, b) => b[1] > a[1] ? b : a);
    const [leastOf, least] = all.reduce((a, b) => b[1] < a[1] ? b : a);
    for (const [, ns] of all)
        buckets.set(rankBucket(ns), (buckets.get(rankBucket(ns)) || 0) + 1);
    return { n, mean, most, mostOf, least, leastOf, buckets: Array.from(buckets).sort((a, b) => a[0] - b[0]),
        deviation: Math.sqrt(all.reduce((sum, [, ns]) => sum + (ns - mean) ** 2, 0) / n) };
}

/* Return the excess of the longest over the mean, as a fraction of the mean. */
function imbalanceOf(most, mean) {
    return mean > 0 ? Math.max(0, most / mean - 1) : NaN;
}

/*
 * Whether the region is a barrier before a collective, in which all ranks wait for the last (option
 * sync_mpi).
 */
function isWaiting(name) {
    return name.startsWith("sync_") && name !== "sync_Recv";
}

class Ranks {
    constructor(m, box) {
        this.m = m;
        this.box = box;
        this.size = m.job ? m.job.size : new Set(m.lanes.map((lane) => lane.process)).size;
    }

    show(path) {
        const m = this.m, of = this.size < 2 ? null : m.job ? m.job.of.get(path) : ranksOfLanes(m, path);
        this.box.hidden = !of;
        if (!of)
            return;
        const text = `${countText(of.n)} of ${countText(this.size)} ranks; mean ${timeText(of.mean)}, ` +
            `most ${timeText(of.most)} (${of.mostOf}), least ${timeText(of.least)} (${of.leastOf}), ` +
            `standard deviation ${timeText(of.deviation)}, imbalance ${imbalanceText(imbalanceOf(of.most, of.mean))}`;
        this.box.replaceChildren(element("h3", { text: "Ranks" }), element("p", { class: "summary", text }));
        if (isWaiting(nameOf(m, path)) && of.n > 1)
            this.box.append(element("p", { class: "summary waiting", text: `Late is ${of.leastOf}: the others waited ` +
                `${timeText(Math.max(0, of.mean - of.least) * of.n)} longer than it, which waited least. Where ranks ` +
                "come last in turn, this is who is late on balance." }));
        if (of.buckets)
            this.box.append(barPicture(joinBuckets(of.buckets), rankBucketBegin, "Histogram of the times of ranks",
                "rank", "ranks"));
    }
}
