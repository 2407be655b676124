/* main.js - state shared by the views: the selected path, the search, the tabs. */

class App {
    constructor(m) {
        this.m = m;
        this.selected = m.n > 1 ? 1 : 0;
        this.needle = "";
        this.hitRegions = new Uint8Array(m.names.length);
        this.hits = [];
        this.lower = null; // names and locations in lower case
        this.byId = (id) => document.getElementById(id);
        this.byId("app").hidden = false;
        this.tree = new Tree(m, this.byId("view-tree").appendChild(element("div")), this);
        this.icicle = new Icicle(m, this.byId("view-icicle"), this);
        this.regions = new Regions(m, this.byId("view-regions").appendChild(element("div")), this);
        this.views = { tree: this.tree, icicle: this.icicle, regions: this.regions };
        if (m.lanes.length > 1)
            this.views.heat = new Heat(m, this.byId("view-heat"), this);
        if (m.peers.length > 0)
            this.views.peers = new Peers(m, this.byId("view-peers"));
        for (const name of ["heat", "peers"])
            this.byId("tab-" + name).hidden = !this.views[name];
        this.detail = new Detail(m, this.byId("detail"), this);
        this.current = "tree";
        this.makeMenus();
        this.listen();
        this.openTop();
        this.select(this.selected);
        // prepared early, so that the first search is as fast as later ones
        setTimeout(() => this.lowerNames(), 50);
    }

    /*
     * Open the first levels along the longest children, so that the most expensive paths are
     * visible at once.
     */
    openTop() {
        const m = this.m;
        for (let i = 1; i < m.n && m.children[i] > 0 && m.depth[i] < 5; i++)
            this.tree.open[i] = 1;
        this.tree.update();
    }

    /* Make the column menus of the tables. */
    makeMenus() {
        this.menus = {};
        for (const name of ["tree", "regions"]) {
            const view = this.views[name];
            this.menus[name] = columnMenu(choosable(this.m, view.own), view.chosen, () => view.setColumns());
            this.menus[name].hidden = name !== this.current;
            this.byId("menus").append(this.menus[name]);
        }
    }

    listen() {
        const on = (id, action) => this.byId(id).addEventListener("click", action);
        on("next", () => this.step(1));
        on("previous", () => this.step(-1));
        on("open-all", () => this.tree.setAll(true));
        on("close-all", () => this.tree.setAll(false));
        on("hot", () => this.hotPath());
        for (const name of Object.keys(this.views))
            on("tab-" + name, () => this.show(name));
        this.byId("query").addEventListener("input", (event) => this.search(event.target.value));
        this.byId("query").addEventListener("keydown", (event) => this.queryKey(event));
        document.querySelector("[role=tablist]").addEventListener("keydown", (event) => this.tabKey(event));
        addEventListener("click", (event) => this.closeMenus(event.target));
        addEventListener("keydown", (event) => {
            if (event.key === "Escape")
                this.closeMenus(null);
            if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey ||
                event.target.matches("input, select, textarea"))
                return;
            this.byId("query").select();
            event.preventDefault();
        });
    }

    /* Close all menus that do not contain TARGET. The focus moves to the closed menu's button. */
    closeMenus(target) {
        for (const menu of Object.values(this.menus)) {
            if (!menu.open || (target && menu.contains(target)))
                continue;
            if (menu.contains(document.activeElement))
                menu.firstElementChild.focus();
            menu.open = false;
        }
    }

    say(text) {
        this.byId("said").textContent = text;
    }

    /* ---- The selected path ---- */

    select(path) {
        if (path <= 0)
            return;
        this.selected = path;
        this.views[this.current].selected();
        if (this.pending)
            return;
        // Auto-repeated keys must not wait for the details of each path they pass.
        this.pending = requestAnimationFrame(() => {
            this.pending = 0;
            this.detail.show(this.selected);
            this.showHit();
        });
    }

    hotPath() {
        this.show("tree");
        const path = this.tree.openHotPath(this.selected);
        this.select(path);
        this.say(`Hot path opened down to ${nameOf(this.m, path)}`);
    }

    /* ---- Views ---- */

    show(name) {
        this.current = name;
        for (const other of Object.keys(this.views)) {
            const tab = this.byId("tab-" + other);
            tab.setAttribute("aria-selected", String(other === name));
            tab.tabIndex = other === name ? 0 : -1;
            this.byId("view-" + other).hidden = other !== name;
            if (this.menus[other])
                this.menus[other].hidden = other !== name;
        }
        document.body.dataset.view = name;
        this.updateTable();
        this.views[name].selected();
    }

    /* Update the current table. The tree is already up to date, and the icicle needs no update. */
    updateTable() {
        if (["regions", "heat", "peers"].includes(this.current))
            this.views[this.current].update();
    }

    tabKey(event) {
        const names = Object.keys(this.views), at = names.indexOf(this.current);
        const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: names.length - 1 }[event.key];
        if (to === undefined)
            return;
        const name = names[(to + names.length) % names.length];
        this.show(name);
        this.byId("tab-" + name).focus();
        event.preventDefault();
    }

    /* ---- Search ---- */

    isHitRegion(region) {
        return this.needle !== "" && this.hitRegions[region] === 1;
    }

    isHit(path) {
        return path > 0 && this.isHitRegion(this.m.region[path]);
    }

    lowerNames() {
        const m = this.m;
        if (!this.lower)
            this.lower = m.names.map((name, r) => [name.toLowerCase(), whereIs(m, r).toLowerCase()]);
    }

    search(text) {
        const m = this.m;
        this.lowerNames();
        if (this.needle === "")
            this.openBefore = this.tree.open.slice();
        this.needle = text.toLowerCase();
        this.tree.open.set(this.openBefore);
        this.lower.forEach(([name, where], r) => {
            this.hitRegions[r] = name.includes(this.needle) || where.includes(this.needle) ? 1 : 0;
        });
        this.hits = [];
        for (let i = 1; this.needle !== "" && i < m.n; i++)
            if (this.isHit(i)) {
                this.hits.push(i);
                for (let p = m.parent[i]; p > 0 && this.tree.open[p] !== 2; p = m.parent[p])
                    this.tree.open[p] = 2; // marked as visited
            }
        if (!this.tree.isNatural)
            this.orderHits();
        this.tree.update();
        this.updateTable();
        if (this.hits.length > 0 && !this.isHit(this.selected))
            this.select(this.hits[0]);
        else
            this.select(this.selected);
        this.showHit();
    }

    /* Sort the hits in the order in which the tree shows them. */
    orderHits() {
        const rank = this.hits.length > 0 ? this.tree.ranks() : null;
        this.hits.sort((a, b) => rank[a] - rank[b]);
        this.showHit();
    }

    showHit() {
        const n = this.hits.length, at = n > 0 && this.isHit(this.selected) ? this.hits.indexOf(this.selected) : -1;
        const text = this.needle === "" ? "" : n === 0 ? "no hits"
            : at >= 0 ? `${countText(at + 1)} of ${countText(n)} hits` : `${countText(n)} hits`;
        const hits = this.byId("hits");
        if (hits.textContent !== text)
            hits.textContent = text;
        this.byId("next").disabled = this.byId("previous").disabled = n === 0;
    }

    step(by) {
        const n = this.hits.length;
        if (n === 0)
            return;
        const at = this.hits.indexOf(this.selected);
        this.select(this.hits[at < 0 ? (by > 0 ? 0 : n - 1) : (at + by + n) % n]);
    }

    queryKey(event) {
        if (event.key === "Enter") {
            this.step(event.shiftKey ? -1 : 1);
        } else if (event.key === "Escape") {
            event.target.value = "";
            this.search("");
            this.tree.box.focus();
        } else {
            return;
        }
        event.preventDefault();
    }
}

new App(readModel(JSON.parse(document.getElementById("profile").textContent)));
