// Tables of scores: sorted by the buttons in their headings, filtered by the box, and always those of the corrected data.
import { $, make, shown, tell, byText } from "./dom.js";
import { data, topics, margin, percent, unclear } from "./state.js";
import { systemMeans } from "./overview.js";

const ROWS = 200;
let allRows = false;

export function sortable(table, changed) {
  const body = table.tBodies[0];
  const headings = [...table.tHead.rows[0].cells];
  headings.forEach((heading, column) => heading.querySelector("button").addEventListener("click", () => {
    const isNumber = body.rows.length > 0 && body.rows[0].cells[column].hasAttribute("data-v");
    const before = heading.getAttribute("aria-sort");
    const down = before === "none" ? isNumber : before === "ascending";
    headings.forEach((other) => other.setAttribute("aria-sort", "none"));
    heading.setAttribute("aria-sort", down ? "descending" : "ascending");
    const key = (row) => isNumber ? Number(row.cells[column].dataset.v) : row.cells[column].textContent.trim();
    const rows = [...body.rows].map((row) => [key(row), row]);
    rows.sort(([a], [b]) => (isNumber ? a - b : byText(a, b)) * (down ? -1 : 1));
    body.append(...rows.map(([, row]) => row));
    changed();
  }));
}

const tables = () => [$("class-table"), $("scores-table")];
export function filter() {
  const wanted = $("filter").value.trim().toLocaleLowerCase();
  for (const table of tables()) {
    const rows = [...table.tBodies[0].rows];
    let found = 0;
    const name = (row) => [...row.cells].filter((cell) => !cell.hasAttribute("data-v")).map((cell) => cell.textContent).join("\n");
    for (const row of rows) {
      row.hidden = wanted !== "" && !name(row).toLocaleLowerCase().includes(wanted);
      row.classList.toggle("beyond", !row.hidden && !allRows && found >= ROWS);
      found += !row.hidden;
    }
    if (table.id !== "class-table") continue;
    tell($("filtered"), wanted ? `${found} of ${rows.length}` : "");
    $("more-rows").hidden = allRows || found <= ROWS;
    $("more-rows").textContent = `Show all ${found} rows`;
  }
  drawBars();
}
export function filterBy(name) {
  $("filter").value = name;
  filter();
}

// The bars of the rows that are seen: coverage, and the doubt about it as a line.
function drawBars() {
  for (const cell of document.querySelectorAll("tr:not([hidden], .beyond) > td.lead")) {
    if (cell.querySelector(".gauge")) continue;
    const gauge = make("span", { class: "gauge", "aria-hidden": "true" }, make("i", {}), make("b", {}));
    const value = Math.max(0, Number(cell.dataset.v)), low = Number(cell.dataset.low ?? value), high = Number(cell.dataset.high ?? value);
    gauge.style.setProperty("--value", `${Math.min(100, value)}%`);
    gauge.style.setProperty("--low", `${Math.max(0, Math.min(100, low))}%`);
    gauge.style.setProperty("--span", `${Math.max(0, Math.min(100, high) - Math.max(0, low))}%`);
    cell.prepend(gauge);
  }
}

function lead(cell, value, words, low, high) {
  cell.dataset.v = value === null ? -1 : value;
  cell.replaceChildren(make("span", { class: "number" }, percent(value)), words ? make("span", { class: "number small soft doubt" }, ` ${words}`) : "");
  if (low === null) { delete cell.dataset.low; delete cell.dataset.high; } else { cell.dataset.low = low; cell.dataset.high = high; }
}
function put(cell, value, decimals) {
  cell.dataset.v = value === null ? -1 : value;
  tell(cell, value === null ? "-" : value.toFixed(decimals));
}

// After a correction: the cells of the topic's summaries, and the means of systems.
export function updateTables(t) {
  topics[t].summaries.forEach((summary, s) => {
    const values = { ...summary.scores, found: summary.expressed.length, missing: summary.missed.length, unclear: unclear(summary) };
    for (const link of document.querySelectorAll(`tbody a[href="#summary-${t}-${s}"]`)) {
      const row = link.closest("tr");
      const headings = row.closest("table").tHead.rows[0].cells;
      for (const cell of row.cells) {
        const { key, d } = headings[cell.cellIndex].dataset;
        if (key === "percent") lead(cell, summary.percent, margin(summary.margin), summary.margin === null ? null : summary.percent - summary.margin, summary.percent + summary.margin);
        else if (key in values) put(cell, values[key], Number(d || 0));
      }
      row.classList.toggle("changed", summary.percent !== data.topics[t].summaries[s].percent);
    }
  });
  if ($("systems-glance")) {
    const means = systemMeans();
    for (const row of $("systems-glance").tBodies[0].rows) {
      const own = means.get(row.dataset.system);
      if (own) lead(row.querySelector(".lead"), 100 * own.coverage, "", null, null);
    }
  }
  drawBars();
}

// The rows for researchers, where they are so many that the page does not bring them.
function drawFullTable() {
  const table = $("scores-table");
  if (table.tBodies[0].rows.length) return;
  const headings = [...table.tHead.rows[0].cells].map((heading) => heading.dataset);
  const cell = (t, s, summary, { key, d }) => {
    if (key === "topic") return make("td", { dir: "auto" }, shown(topics[t].id));
    if (key === "annotator") return make("td", { dir: "auto" }, shown(summary.annotator));
    if (key === "summary") return make("th", { scope: "row", dir: "auto" }, make("a", { href: `#summary-${t}-${s}` }, shown(summary.id)), summary.role === "reference" ? [" ", make("span", { class: "tag" }, "reference")] : "");
    const made = make("td", { class: "number" });
    put(made, summary.scores[key], Number(d || 0));
    return made;
  };
  table.tBodies[0].append(...topics.flatMap((one, t) => one.summaries.map((summary, s) => make("tr", {}, headings.map((heading) => cell(t, s, summary, heading))))));
  filter();
}

export function startTables() {
  $("researchers").addEventListener("toggle", () => { if ($("researchers").open) drawFullTable(); });
  for (const table of tables()) sortable(table, filter);
  for (const id of ["systems-table", "systems-glance"]) if ($(id)) sortable($(id), () => {});
  $("filter").addEventListener("input", filter);
  $("more-rows").addEventListener("click", () => { allRows = true; filter(); });
  $("filter-box").hidden = $("class-table").tBodies[0].rows.length < 2;
  filter();
}
