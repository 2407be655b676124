/*
 * peers.js - messages between ranks: a matrix with a row per sender and a column per receiver, and
 * a table of the pairs that exchange most.
 */

/* Largest matrix; with more ranks, several ranks share a cell. */
const PEERS_MOST = 512, PEERS_ROWS = 200;

const PEERS_MEASURES = { bytes: ["bytes", "bytes"], messages: ["messages", "messages"] };

/*
 * Return messages and bytes by sender and receiver, from the sender's profile, or from the
 * receiver's profile if the sender's is missing.
 */
function readPairs(flat) {
    const pairs = new Map(), have = new Set();
    const put = (from, to, messages, bytes) => {
        if (messages > 0 && from >= 0 && to >= 0)
            pairs.set(from + " " + to, { from, to, messages, bytes });
    };
    for (let at = 0; at < flat.length; at += 6)
        have.add(flat[at]);
    for (let at = 0; at < flat.length; at += 6) {
        const [rank, peer, sent, sentBytes, received, receivedBytes] = flat.slice(at, at + 6);
        put(rank, peer, sent, sentBytes);
        if (!have.has(peer))
            put(peer, rank, received, receivedBytes);
    }
    return [...pairs.values()];
}

class Peers {
    constructor(m, box) {
        this.measure = "bytes";
        this.pairs = readPairs(m.peers);
        this.nranks = 1 + this.pairs.reduce((most, pair) => Math.max(most, pair.from, pair.to), 0);
        this.summary = element("p", { class: "summary" });
        this.canvas = element("canvas", { role: "img" });
        this.table = element("tbody");
        box.append(element("div", { class: "choosers" },
            chooser("Show", this, "measure", Object.entries(PEERS_MEASURES).map(([k, o]) => [k, o[0]]), () => this.update())),
        this.summary,
        element("div", { class: "peers", tabindex: 0, role: "group", "aria-label": "Messages between ranks" }, this.canvas,
            element("table", {}, element("caption", { text: "The pairs that exchange most" }),
                element("thead", {}, element("tr", {}, ...["From", "To", "Messages", "Bytes"].map((text) =>
                    element("th", { scope: "col", text })))), this.table)));
        this.canvas.addEventListener("mousemove", (event) => this.point(event));
    }

    update() {
        const of = this.measure, sorted = [...this.pairs].sort((a, b) => b[of] - a[of] || a.from - b.from || a.to - b.to);
        const sum = sorted.reduce((all, pair) => all + pair[of], 0);
        this.summary.textContent = `${countText(sum)} ${PEERS_MEASURES[of][1]} between ${countText(this.nranks)} ranks, ` +
            `in ${countText(sorted.length)} pairs. Senders from top to bottom, receivers from left to right, both from ` +
            "rank 0; the hotter, the more, by powers.";
        this.table.replaceChildren(...sorted.slice(0, PEERS_ROWS).map((pair) => element("tr", {},
            element("th", { scope: "row", text: "rank " + pair.from }), element("td", { text: "rank " + pair.to }),
            element("td", { text: countText(pair.messages) }), element("td", { text: countText(pair.bytes) }))));
        this.draw(sorted.length > 0 ? sorted[0] : null);
    }

    draw(most) {
        const n = Math.min(this.nranks, PEERS_MOST);
        this.scale = n / this.nranks;
        this.cells = new Float64Array(n * n);
        for (const pair of this.pairs)
            this.cells[Math.floor(pair.from * this.scale) * n + Math.floor(pair.to * this.scale)] += pair[this.measure];
        const [cold, hot] = ["--ground", "--hot"].map(styleColor);
        const top = Math.log1p(this.cells.reduce((a, b) => Math.max(a, b), 0));
        this.canvas.width = this.canvas.height = n;
        const context = this.canvas.getContext("2d"), image = context.createImageData(n, n);
        this.cells.forEach((value, at) => {
            if (!(value > 0))
                return; // transparent
            const part = 0.15 + 0.85 * Math.log1p(value) / top;
            for (let c = 0; c < 3; c++)
                image.data[4 * at + c] = cold[c] + part * (hot[c] - cold[c]);
            image.data[4 * at + 3] = 255;
        });
        context.putImageData(image, 0, 0);
        this.canvas.setAttribute("aria-label", "Heat map of " + this.summary.textContent +
            (most ? ` The most: rank ${most.from} to rank ${most.to}.` : ""));
    }

    /* Show the ranks and the amount of the cell under the pointer as a tooltip. */
    point(event) {
        const n = this.canvas.width, place = (at, size) => Math.max(0, Math.min(n - 1, Math.floor(n * at / size)));
        const from = place(event.offsetY, this.canvas.clientHeight), to = place(event.offsetX, this.canvas.clientWidth);
        const ranks = (at) => {
            const first = Math.ceil(at / this.scale), last = Math.ceil((at + 1) / this.scale) - 1;
            return first === last ? `rank ${first}` : `ranks ${first} to ${last}`;
        };
        this.canvas.title = `${ranks(from)} to ${ranks(to)}: ${countText(this.cells[from * n + to])} ` +
            PEERS_MEASURES[this.measure][1];
    }

    selected() {}
}
