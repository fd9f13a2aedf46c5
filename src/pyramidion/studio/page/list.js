// The list of SCUs: found, ordered, chosen. Only the chosen one shows its words and what can be done with it.

import { $, make, t } from "./core.js";

export class List {
  // page: {details(scu), state(scu), texts: Map of id to Text, chosen(scu)}
  constructor(board, page) {
    Object.assign(this, { board, page, node: $("#scus"), chosen: null });
    this.find = $("#find");
    this.order = $("#order");
    this.order.value = sessionStorage.getItem("order") ?? "weight";
    this.find.addEventListener("input", () => this.draw());
    this.find.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === "Escape") {
        if (event.key === "Escape") this.find.value = "";
        this.draw();
        this.choose(event.key === "Enter" ? this.shown[0]?.id : this.chosen, true);
      }
    });
    this.order.addEventListener("change", () => {
      sessionStorage.setItem("order", this.order.value);
      this.draw();
    });
  }

  nextOrder() {
    this.order.selectedIndex = (this.order.selectedIndex + 1) % this.order.options.length;
    this.order.dispatchEvent(new Event("change"));
  }

  get scu() {
    return this.board.scus.get(this.chosen);
  }

  get sorted() {
    const scus = [...this.board.scus.values()];
    const places = [...this.page.texts.keys()];
    const first = (scu) => Math.min(...scu.contributors.map((one) => 1e6 * places.indexOf(one.summary) + (one.spans[0]?.[0] ?? 1e5)));
    const by = { weight: (a, b) => b.weight - a.weight, text: (a, b) => first(a) - first(b), label: (a, b) => a.label.localeCompare(b.label) };
    return scus.sort(by[this.order.value]);
  }

  choose(id, focus = false) {
    if (!this.board.scus.has(id)) id = null;
    this.chosen = id;
    this.page.chosen(this.scu);
    this.draw();
    const node = this.node.querySelector("[aria-current] .pick");
    node?.scrollIntoView({ block: "nearest" });
    if (focus) node?.focus();
  }

  step(by) {
    const ids = this.shown.map((scu) => scu.id);
    const place = ids.indexOf(this.chosen);
    const next = place < 0 ? (by > 0 ? 0 : ids.length - 1) : Math.max(0, Math.min(ids.length - 1, place + by));
    this.choose(ids[next], true);
  }

  draw() {
    const wanted = this.find.value.trim().toLowerCase();
    const words = (scu) => [scu.label, scu.comment, ...scu.contributors.map((one) => this.words(one))].join(" ").toLowerCase();
    this.shown = this.sorted.filter((scu) => !wanted || words(scu).includes(wanted));
    const focused = this.node.contains(document.activeElement) && document.activeElement.classList.contains("pick");
    this.node.replaceChildren(...(this.shown.length ? this.shown.map((scu) => this.card(scu)) : [make("li", { class: "soft empty" }, t(wanted ? "find" : "no_scus"))]));
    if (focused) this.node.querySelector("[aria-current] .pick")?.focus();
    this.drawTiers();
  }

  words(contributor) {
    return this.page.texts.get(contributor.summary)?.quote(contributor.spans) || contributor.label || "";
  }

  card(scu) {
    const chosen = scu.id === this.chosen;
    const state = this.page.state?.(scu) ?? "";
    const twice = this.board.repeats.has(scu.id);
    const node = make("li", { class: `scu ${state}`, "aria-current": chosen ? "true" : null },
      make("button", { type: "button", class: "pick", "aria-expanded": String(chosen), onclick: () => this.choose(chosen ? null : scu.id, true) },
        make("span", { class: `weight s${Math.min(5, scu.weight)}`, title: t("weight_of", scu) }, String(scu.weight)),
        make("span", { class: "label words", dir: "auto" }, scu.label),
        state ? make("span", { class: `verdict ${state.split(" ")[0]}` }, this.page.verdict(scu)) : "",
        twice ? make("span", { class: "warn", title: t("warning_twice") }, "!", make("span", { class: "unseen" }, t("warning_twice"))) : ""),
      chosen && scu.comment ? make("p", { class: "comment small words", dir: "auto" }, scu.comment) : "",
      chosen && twice ? make("p", { class: "warning small" }, t("warning_twice")) : "",
      chosen ? this.page.details(scu) : "");
    this.page.prepare?.(node, scu);
    return node;
  }

  drawTiers() {
    const tiers = Object.entries(this.board.tiers).map(([weight, count]) => [Number(weight), count]).sort((a, b) => b[0] - a[0]);
    const most = Math.max(1, ...tiers.map(([, count]) => count));
    $("#tiers").replaceChildren(...tiers.map(([weight, count]) => {
      const bar = make("span", { class: `tier s${Math.min(5, weight)}`, role: "img", "aria-label": t("tier", { count, weight }), title: t("tier", { count, weight }) }, String(count));
      bar.style.width = `${Math.max(1.6, (count / most) * 12)}rem`;
      return bar;
    }));
  }
}
