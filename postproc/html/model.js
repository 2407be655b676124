/*
 * model.js - the profile as flat arrays, and number formats.
 *
 * A path is a number: 0 is the root, and paths are numbered depth first, so that the descendants of
 * I are I + 1 to end[I] - 1. html_data.c describes the columns.
 */
"use strict";

/*
 * Return the start of each row's items. A row is a place (path), a number of items, and the items
 * of WIDTH numbers each.
 */
function indexRows(flat, width) {
    const begins = new Map();
    for (let at = 0; at < flat.length; at += 2 + width * flat[at + 1])
        begins.set(flat[at], at + 1);
    return begins;
}

function sparse(flat, n) {
    const values = new Float64Array(n);
    for (let at = 0; at < flat.length; at += 2)
        values[flat[at]] = flat[at + 1];
    return values;
}

/* Compute parents, ends of subtrees, numbers of children, and positions among siblings. */
function linkPaths(depth) {
    const n = depth.length;
    const parent = new Int32Array(n), end = new Int32Array(n);
    const children = new Int32Array(n), position = new Int32Array(n);
    const last = [0];
    for (let i = 1; i < n; i++) {
        last.length = depth[i];
        parent[i] = last[depth[i] - 1];
        last.push(i);
        position[i] = ++children[parent[i]];
    }
    for (let i = n - 1; i >= 0; i--) {
        end[i] = Math.max(end[i], i + 1);
        end[parent[i]] = Math.max(end[parent[i]], end[i]);
    }
    return { parent, end, children, position };
}

/* Group paths by region: the paths of R are list[begin[R]] to list[begin[R + 1] - 1]. */
function groupByRegion(region, nnames) {
    const begin = new Int32Array(nnames + 1), list = new Int32Array(region.length - 1);
    for (let i = 1; i < region.length; i++)
        begin[region[i] + 1]++;
    for (let r = 0; r < nnames; r++)
        begin[r + 1] += begin[r];
    const next = begin.slice();
    for (let i = 1; i < region.length; i++)
        list[next[region[i]]++] = i;
    return { begin, list };
}

/* Replace characters that are invisible or reverse the direction of text by their code points. */
function visible(name) {
    const hidden = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u200b-\u200f\u202a-\u202e\u2066-\u2069]/g;
    const text = name.replace(/\\x5c/g, "\\").replace(hidden, (c) => {
        const code = c.charCodeAt(0);
        return code < 256 ? "\\x" + code.toString(16).padStart(2, "0")
            : "\\u" + code.toString(16);
    });
    return text || "(no name)";
}

function readFunctions(flat) {
    const functions = new Map();
    for (let at = 0; at < flat.length; at += 4)
        functions.set(flat[at], { file: flat[at + 1], line: flat[at + 2], module: flat[at + 3] });
    return functions;
}

function readLanes(flat) {
    const lanes = [];
    for (let at = 0; at < flat.length; at += 3)
        lanes.push({ label: flat[at], process: flat[at + 1], thread: flat[at + 2] });
    return lanes;
}

function readModel(raw) {
    const n = raw.depth.length;
    const m = {
        n,
        nregions: raw.regions, // names from this index on represent omitted paths
        names: raw.names.map(visible),
        functions: readFunctions(raw.functions),
        lanes: readLanes(raw.lane),
        depth: Int32Array.from(raw.depth),
        region: Int32Array.from(raw.region),
        calls: Float64Array.from(raw.calls),
        total: Float64Array.from(raw.total),
        self: new Float64Array(n),
        // duration of a call in nanoseconds; NaN if no call ended
        max: new Float64Array(n).fill(NaN),
        min: new Float64Array(n).fill(NaN),
        recurse: sparse(raw.recurse, n),
        open: sparse(raw.open, n),
        unstopped: sparse(raw.unstopped, n),
        edges: raw.edges,
        parts: raw.parts,
        partWidth: 4 + (raw.counts || []).length,
        partsAt: indexRows(raw.parts, 4 + (raw.counts || []).length),
        histograms: raw.histograms,
        histogramsAt: indexRows(raw.histograms, 2),
        tick: raw.tick,
        peers: raw.peers || [],
    };
    for (let i = 0; i < n; i++) {
        m.self[i] = m.total[i] - raw.inside[i];
        if (raw.spread[i] >= 0) {
            m.max[i] = m.total[i] - raw.over[i];
            m.min[i] = m.max[i] - raw.spread[i];
        }
    }
    Object.assign(m, linkPaths(m.depth));
    m.paths = groupByRegion(m.region, m.names.length);
    readRanks(m, raw);
    readExtremes(m, raw);
    readMetrics(m, raw);
    readPredicted(m, raw);
    return m;
}

/* Read the predicted time of each path and its relative error. */
function readPredicted(m, raw) {
    m.predictedOn = raw.predicted ? visible(raw.predictedOn) : null;
    if (raw.doubtful)
        m.predictedOn += " (doubtful: the signature was sampled, with a large error)";
    m.predicted = new Float64Array(m.n).fill(NaN);
    for (let at = 0; raw.predicted && at < raw.predicted.length; at += 2)
        m.predicted[raw.predicted[at]] = raw.predicted[at + 1];
    m.missed = m.predicted.map((ns, i) => m.total[i] > 0 ? ns / m.total[i] - 1 : NaN);
}

/*
 * Read the load imbalance over lanes or ranks: the excess of the longest over the mean, as a
 * fraction of the mean.
 */
function readExtremes(m, raw) {
    const several = m.lanes.length > 1;
    m.imbalance = new Float64Array(m.n).fill(NaN);
    if (m.job) {
        m.mean = new Float64Array(m.n).fill(NaN);
        for (const [i, of] of m.job.of) {
            m.imbalance[i] = imbalanceOf(of.most, of.mean);
            m.mean[i] = of.mean;
        }
    }
    m.nlanes = several ? Int32Array.from(raw.lanes) : new Int32Array(m.n).fill(m.lanes.length);
    m.least = several ? Float64Array.from(raw.least) : m.total;
    m.most = several ? Float64Array.from(raw.most) : m.total;
    for (let i = 1; i < m.n; i++)
        if (m.nlanes[i] > 1 && m.total[i] > 0)
            m.imbalance[i] = imbalanceOf(m.most[i], m.total[i] / m.nlanes[i]);
}

function nameOf(m, path) {
    return path === 0 ? "All" : m.names[m.region[path]];
}

/* Return the rank of each name in sorted order, computed at the first request. */
function nameRanks(m) {
    if (!m.ranks) {
        const order = new Intl.Collator("en", { numeric: true }).compare;
        const sorted = Array.from(m.names.keys()).sort((a, b) => order(m.names[a], m.names[b]));
        m.ranks = new Int32Array(sorted.length);
        sorted.forEach((name, k) => { m.ranks[name] = k; });
    }
    return m.ranks;
}

function isRest(m, path) {
    return path > 0 && m.region[path] >= m.nregions;
}

/* Return "solver.c:12", "libm.so" or ""; with WHOLE, the full path of the file. */
function whereIs(m, region, whole) {
    const f = m.functions.get(region);
    if (!f)
        return "";
    if (!f.file)
        return f.module;
    const file = whole ? f.file : f.file.slice(f.file.lastIndexOf("/") + 1);
    return visible(file) + (f.line ? ":" + f.line : "");
}

function pathsOf(m, region) {
    return m.paths.list.subarray(m.paths.begin[region], m.paths.begin[region + 1]);
}

/* Return the call path from the top level to PATH. */
function ancestors(m, path) {
    const line = [];
    for (let i = path; i > 0; i = m.parent[i])
        line.push(i);
    return line.reverse();
}

/* ---- Numbers ------------------------------------------------------------------------------- */

const grouped = new Intl.NumberFormat("en-US");

function countText(n) {
    return grouped.format(n);
}

const UNITS = [["s", 1e9], ["ms", 1e6], ["µs", 1e3], ["ns", 1]];

/* Format NS with four digits in a suitable unit: "12.35 ms". */
function timeText(ns) {
    if (!(ns >= 0))
        return "–";
    const [unit, size] = UNITS.find((u) => ns >= u[1]) || UNITS[3];
    const value = ns / size;
    if (size === 1)
        return value.toFixed(0) + " ns";
    const digits = value >= 999.95 ? 0 : value >= 99.995 ? 1 : value >= 9.9995 ? 2 : 3;
    return (value >= 9999.5 ? grouped.format(Math.round(value)) : value.toFixed(digits)) + " " + unit;
}

/*
 * Return one unit for a column, so that its numbers are comparable at a glance: the unit of WHOLE,
 * the largest number, with enough decimals for a hundred-thousandth of it.
 */
function columnUnit(whole) {
    const [name, size] = UNITS.find((u) => whole >= u[1]) || UNITS[3];
    const before = Math.max(1, Math.floor(Math.log10(Math.max(1, whole / size))) + 1);
    const decimals = size === 1 ? 0 : Math.max(0, 5 - before);
    const format = new Intl.NumberFormat("en-US",
        { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
    const least = 0.5 * size * 10 ** -decimals;
    return {
        name,
        text: (ns) => ns === 0 ? "0" : ns < least ? "<" + format.format(10 ** -decimals)
            : format.format(ns / size),
    };
}

/* Mark a time as estimated if it has an error; errorTitle gives its tooltip. */
function aboutText(text, error) {
    return error > 0 ? "~" + text : text;
}

function errorTitle(error) {
    return error > 0 ? `± ${timeText(error)} in 95 of 100 cases` : null;
}

function shareText(part, whole) {
    if (!(whole > 0))
        return "–";
    const share = 100 * part / whole;
    return share > 0 && share < 0.05 ? "<0.1%" : share.toFixed(1) + "%";
}

function missedText(value) {
    return Number.isNaN(value) ? "–" : (value < 0 ? "−" : "+") + (100 * Math.abs(value)).toFixed(1) + "%";
}

function imbalanceText(value) {
    return Number.isNaN(value) ? "–" : (100 * value).toFixed(1) + "%";
}
