"use strict";
(() => {
  document.getElementById("no-script").remove();
  const data = JSON.parse(document.getElementById("data").textContent);
  const $ = (id) => document.getElementById(id);
  const ROWS = 200, MAP_ROWS = 60, MAP_COLUMNS = 100, LABELLED = 12, LISTED = 15;
  const state = { topic: 0, summary: 0, scu: 0, opener: null, wholeMap: false };

  // Texts reach the page as text only, never as markup; control characters are shown as their pictures.
  const shown = (text) => String(text).replace(/\r\n?/g, "\n").replace(/[\0-\x08\x0b\x0c\x0e-\x1f]/g,
    (c) => String.fromCharCode(c.charCodeAt(0) + 0x2400)).replace(/\x7f/g, "\u2421").replace(/[\x80-\x9f\ufffe\uffff]/g, "\ufffd");
  const make = (tag, attributes, ...children) => {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) {
      if (value === true) node.setAttribute(name, "");
      else if (value !== false && value !== null && value !== undefined) node.setAttribute(name, value);
    }
    node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== ""));
    return node;
  };
  const words = (text, tag = "span", cls = "words") => make(tag, { class: cls, dir: "auto" }, shown(text));
  const trimmed = (text) => text.replace(/^[\s.,;:]+(?=\S)/, "").replace(/(?:\.\.\.[\s.]*|[\s,;:]+)$/, ""); // of what hangs from the ends of a segment
  const quoted = (text, tag = "span") => !text ? make(tag, { class: "soft" }, "without its words") : make(tag, { class: "words said", dir: "auto" }, "\u201c" + shown(trimmed(text) || text) + "\u201d");
  const level = (share) => share <= 0 ? 0 : Math.min(5, Math.ceil(share * 5 - 1e-9));
  const count = (n, one, many) => `${n} ${n === 1 ? one : many}`;
  const fixed = (value) => value === null ? "-" : value.toFixed(3);
  const brief = (value) => String(Number(value.toFixed(2)));
  const NEGLIGIBLE = .05;
  // A judge gives every SCU a probability; other matchers give a match its similarity, and people neither.
  const judged = (summary) => summary.probabilities.length > 0;
  const likely = (summary, number) => judged(summary) && summary.probabilities[number - 1] >= NEGLIGIBLE ? summary.probabilities[number - 1].toFixed(2) : "";
  const CROSS = "\u2715";
  const surely = (one) => one.probability < 1 ? `probability ${one.probability.toFixed(2)}` : ""; // of a contradiction
  const sure = (summary, score) => judged(summary) ? `probability ${score.toFixed(2)}` : score < 1 ? `similarity ${score.toFixed(2)}` : "";

  // ---- Score tables: sorted by the buttons in their headings, filtered by the box ----
  const tell = (element, text) => { element.textContent = text; };
  const byText = new Intl.Collator("en", { numeric: true, sensitivity: "base" }).compare;
  function sortable(table, changed) {
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
  const scores = $("scores-table");
  let allRows = false;
  function filter() {
    const wanted = $("filter").value.trim().toLocaleLowerCase();
    const rows = [...scores.tBodies[0].rows];
    let found = 0;
    for (const row of rows) {
      const name = [...row.cells].filter((cell) => !cell.hasAttribute("data-v")).map((cell) => cell.textContent).join("\n");
      row.hidden = !name.toLocaleLowerCase().includes(wanted);
      row.classList.toggle("beyond", !row.hidden && !allRows && found >= ROWS);
      found += !row.hidden;
    }
    tell($("filtered"), wanted ? `${found} of ${rows.length}` : "");
    $("more-rows").hidden = allRows || found <= ROWS;
    $("more-rows").textContent = `Show all ${found} rows`;
  }
  sortable(scores, filter);
  if ($("systems-table")) sortable($("systems-table"), () => {});
  $("filter").addEventListener("input", filter);
  $("more-rows").addEventListener("click", () => { allRows = true; filter(); });
  $("filter-box").hidden = scores.tBodies[0].rows.length < 2;
  filter();

  $("copy").hidden = false;
  $("copy").addEventListener("click", async () => {
    const selection = getSelection();
    selection.selectAllChildren($("signature"));
    let done = false;
    try { await navigator.clipboard.writeText($("signature").textContent); done = true; } catch { done = document.execCommand("copy"); }
    tell($("copied"), done ? "Copied." : "Selected: press Ctrl+C.");
  });

  if (data.topics.length === 0) return;

  // ---- One topic at a time ----
  const topic = () => data.topics[state.topic];
  const nameOf = (summary) => summary.id + (summary.annotator ? ` (by ${summary.annotator})` : "");
  const maxWeight = () => Math.max(1, ...topic().scus.map((scu) => scu.weight));
  const scuName = (scu) => `SCU ${scu.number}, weight ${scu.weight}: ${shown(scu.label)}`;
  const weightBadge = (weight) => make("span", { class: `weight s${level(weight / maxWeight())}`, title: `weight ${weight}` },
    make("span", { class: "unseen" }, "weight "), String(weight));
  let expressedBy = [], contradictedBy = [];

  function index() {
    const by = (list) => {
      const found = topic().scus.map(() => []);
      topic().summaries.forEach((summary, s) => summary[list].forEach((one) => found[one.scu - 1].push({ s, summary, one })));
      return found;
    };
    expressedBy = by("expressed");
    contradictedBy = by("contradicted");
  }
  const counted = () => topic().summaries.filter((summary) => summary.role === "peer").length || topic().summaries.length;
  const countOf = (scu, by = expressedBy) => {
    const every = by[scu.number - 1];
    const peers = every.filter((entry) => entry.summary.role === "peer").length;
    return topic().summaries.some((summary) => summary.role === "peer") ? peers : every.length;
  };

  // Arrow keys move within a group of buttons that is one stop of the Tab key.
  function roving(root, buttons) {
    buttons.forEach((button, i) => { button.tabIndex = i === 0 ? 0 : -1; });
    root.addEventListener("keydown", (event) => {
      const at = buttons.indexOf(document.activeElement);
      if (at < 0) return;
      let to = -1;
      if (event.key === "ArrowRight") to = Math.min(at + 1, buttons.length - 1);
      else if (event.key === "ArrowLeft") to = Math.max(at - 1, 0);
      else if (event.key === "Home") to = 0;
      else if (event.key === "End") to = buttons.length - 1;
      else if (event.key === "ArrowDown" || event.key === "ArrowUp") to = vertical(buttons, at, event.key === "ArrowDown");
      if (to < 0) return;
      event.preventDefault();
      buttons[at].tabIndex = -1;
      buttons[to].tabIndex = 0;
      buttons[to].focus();
    });
  }
  function vertical(buttons, at, down) {
    const here = buttons[at].getBoundingClientRect();
    const middle = here.left + here.width / 2;
    let best = -1, distance = Infinity;
    buttons.forEach((button, i) => {
      const there = button.getBoundingClientRect();
      const rows = down ? there.top - here.top : here.top - there.top;
      if (rows <= 2) return;
      const d = rows * 1e3 + Math.abs(there.left + there.width / 2 - middle);
      if (d < distance) { distance = d; best = i; }
    });
    return best;
  }

  function drawPyramid() {
    const tiers = new Map();
    for (const scu of topic().scus) tiers.set(scu.weight, [...(tiers.get(scu.weight) || []), scu]);
    const list = make("ol", { class: "pyramid", "aria-label": "The pyramid's tiers, heaviest first" });
    let share = 0, at = 0;
    for (const [weight, scus] of tiers) {
      const compact = scus.length > LABELLED;
      const linear = tiers.size === 1 ? 100 : 38 + 62 * at / (tiers.size - 1);
      const row = compact ? scus.length / 6 : scus.length > 3 ? scus.length / 2 : scus.length;
      share = Math.max(share, linear, Math.min(100, Math.ceil(row) * (compact ? 7 : 15.5)));
      at += 1;
      const cells = make("ul", { class: compact ? "cells compact" : "cells", "aria-label": `Weight ${weight}: ${count(scus.length, "SCU", "SCUs")}` });
      for (const scu of scus) {
        const said = countOf(scu), denied = countOf(scu, contradictedBy);
        const button = make("button", {
          type: "button", class: `s${level(said / counted())}`, "data-scu": scu.number, "aria-pressed": "false",
          title: shown(scu.label), "aria-label": `${scuName(scu)}. Expressed by ${said} of ${count(counted(), "summary", "summaries")}${denied ? `, contradicted by ${denied}` : ""}`,
        }, make("b", {}, String(scu.number), denied ? make("span", { class: "no" }, CROSS + denied) : ""), words(scu.label, "span", "label"));
        cells.append(make("li", {}, button));
      }
      const tier = make("li", { class: "tier" }, make("span", { class: "weight", "aria-hidden": "true", title: `weight ${weight}` }, String(weight)), cells);
      tier.style.setProperty("--share", `${share}%`);
      list.append(tier);
    }
    $("pyramid").replaceChildren(topic().scus.length ? list : make("p", { class: "soft" }, "There is no SCU: no shared content was found in the references."));
    roving(list, [...list.querySelectorAll("button")]);
    const steps = ["none", "up to 20\u00a0%", "40\u00a0%", "60\u00a0%", "80\u00a0%", "100\u00a0%"];
    $("pyramid-legend").replaceChildren(make("span", {}, "Expressed by"), ...steps.map((text, i) => make("span", {}, make("i", { class: `s${i}` }), text)),
      ...(contradictedBy.some((by) => by.length) ? [make("span", {}, make("span", { class: "no" }, `${CROSS}1`), "contradicted by so many")] : []));
  }

  function drawMap() {
    const ranked = topic().summaries.map((summary, s) => ({ summary, s }))
      .sort((a, b) => b.summary.scores.coverage - a.summary.scores.coverage || byText(nameOf(a.summary), nameOf(b.summary)));
    const rows = state.wholeMap ? ranked : ranked.slice(0, MAP_ROWS);
    const scus = state.wholeMap ? topic().scus : topic().scus.slice(0, MAP_COLUMNS);
    const graded = topic().summaries.some((summary) => summary.expressed.some((one) => one.score < 1));
    const believed = topic().summaries.some(judged);
    tell($("map-note"), (believed ? "The stronger a cell, the more probable it is that the summary expresses the SCU; cells with a dot are matched; "
      : graded ? "The stronger a cell, the more similar the words; " : "A filled cell: the summary expresses the SCU; ")
      + "summaries by falling coverage, SCUs by falling weight."
      + (rows.length < ranked.length || scus.length < topic().scus.length
        ? ` Shown are ${rows.length} of ${ranked.length} summaries and ${scus.length} of ${topic().scus.length} SCUs.` : ""));
    if (contradictedBy.some((by) => by.length)) $("map-note").append(" ", make("span", { class: "key no" }, CROSS), " the summary contradicts the SCU.");
    $("map-more").hidden = rows.length === ranked.length && scus.length === topic().scus.length;
    const groups = [];
    for (const scu of scus) {
      if (groups.length && groups[groups.length - 1][0] === scu.weight) groups[groups.length - 1][1] += 1;
      else groups.push([scu.weight, 1]);
    }
    const table = make("table", { class: scus.length > 40 ? "map many" : "map" },
      make("caption", { class: "unseen" }, `Rows are summaries, columns are SCUs; a cell ${believed ? "is the probability that the summary expresses the SCU, and says whether it is matched" : graded ? "is the similarity of the match, or empty" : "says yes where the summary expresses the SCU"}.`),
      make("thead", {},
        make("tr", {}, make("td", {}), groups.map(([weight, n]) => make("th", { scope: "colgroup", colspan: n, class: "group" },
          make("span", { class: "unseen" }, "weight "), String(weight))), make("td", {})),
        make("tr", {}, make("th", { scope: "col" }, make("span", { class: "unseen" }, "Summary")),
          scus.map((scu) => make("th", { scope: "col" }, make("button", { type: "button", "data-scu": scu.number, title: shown(scu.label), "aria-label": scuName(scu) }, String(scu.number)))),
          make("th", { scope: "col" }, make("span", { class: "unseen" }, "Coverage")))));
    const body = make("tbody");
    for (const { summary, s } of rows) {
      const scores = new Map(summary.expressed.map((one) => [one.scu, one.score]));
      const denied = new Map(summary.contradicted.map((one) => [one.scu, ["contradicted", surely(one)].filter(Boolean).join(", ")]));
      const row = make("tr", {}, make("th", { scope: "row" }, make("button", { type: "button", class: "link", "data-open": s, dir: "auto", title: shown(nameOf(summary)) }, shown(nameOf(summary)))));
      for (const scu of scus) {
        if (denied.has(scu.number)) {
          row.append(make("td", { class: "cell hit no", "data-cell": scu.number, "data-of": s, title: `${shown(nameOf(summary))}, ${scuName(scu)} (${denied.get(scu.number)})` },
            make("span", { "aria-hidden": "true" }, CROSS), make("span", { class: "unseen" }, denied.get(scu.number))));
          continue;
        }
        const matched = scores.has(scu.number);
        const score = matched ? scores.get(scu.number) : likely(summary, scu.number) && summary.probabilities[scu.number - 1];
        const value = !graded && !believed ? "yes" : score && score.toFixed(2);
        row.append(!matched && !score ? make("td", { class: "cell" })
          : make("td", { class: `cell ${matched ? "hit" : ""} ${matched && judged(summary) ? "sure" : ""} s${graded || believed ? Math.max(1, level(score)) : 4}`,
            "data-cell": matched && scu.number, "data-of": matched && s,
            title: `${shown(nameOf(summary))}, ${scuName(scu)}` + (value === "yes" ? "" : ` (${value}${believed && matched ? ", matched" : ""})`) },
          make("span", { class: "unseen" }, value + (matched && judged(summary) ? ", matched" : ""))));
      }
      row.append(make("td", { class: "total" }, fixed(summary.scores.coverage)));
      body.append(row);
    }
    table.append(body);
    $("map").replaceChildren(table);
    roving(table.tHead, [...table.tHead.querySelectorAll("button")]);
  }

  function figures(summary) {
    const s = summary.scores;
    const expected = s.raw !== null && s.raw !== s.counted;
    const ratio = (part, whole, what) => s.pyramids > 1 || s.raw === null ? "" : ` = ${brief(part)}${expected ? ` ${what}` : ""}\u2009/\u2009${brief(whole)}`;
    const pairs = [
      ["coverage", fixed(s.coverage) + ratio(s.raw, s.max_for_average, "expected")], ["quality", fixed(s.quality) + ratio(s.counted, s.max_for_size, "counted")],
      ["comprehensive", fixed(s.comprehensive)], ["SCUs", brief(s.scus)], ["repeated", brief(s.repeated)], ["in no SCU (D0)", brief(s.unmatched)],
    ];
    if (s.contradicted) pairs.splice(4, 0, ["contradicted", brief(s.contradicted)]);
    if (s.pyramids > 1) pairs.push(["mean over", count(s.pyramids, "pyramid", "pyramids")]);
    return make("dl", { class: "figures" }, pairs.map(([name, value]) => make("div", {}, make("dt", {}, name), make("dd", {}, value))));
  }

  function text(summary) {
    const box = make("div", { class: "text", dir: "auto", lang: "" });
    const weights = new Map(summary.expressed.map((one) => [one.scu, one.weight]));
    const denied = new Set(summary.contradicted.map((one) => one.scu));
    for (const piece of summary.text) {
      const inside = piece.in || [], against = piece.against || [];
      if (inside.length || against.length) {
        const heaviest = Math.max(...inside.map((number) => weights.get(number)));
        const kind = against.length ? "against" : `m${level(heaviest / maxWeight())}`;
        box.append(make("mark", { class: `${kind}${inside.length + against.length > 1 ? " several" : ""}`, "data-in": [...inside, ...against].join(" ") }, shown(piece.text)));
      } else box.append(piece.d0 ? make("span", { class: "d0" }, shown(piece.text)) : document.createTextNode(shown(piece.text)));
      for (const number of piece.ends || []) {
        const no = denied.has(number), scu = topic().scus[number - 1];
        box.append(make("button", { type: "button", class: no ? "note no" : "note", "data-scu": number, "aria-label": (no ? "contradicts " : "") + scuName(scu), title: (no ? "contradicts: " : "") + shown(scu.label) }, (no ? CROSS : "") + number));
      }
    }
    if (!summary.text.some((piece) => piece.text.trim())) box.append(make("em", { class: "soft" }, "This summary is empty."));
    return box;
  }

  const contributors = (scu) => make("dl", {}, scu.contributors.map((one) => [words(one.reference, "dt"), quoted(one.words, "dd")]));
  function unit(one, ...more) {
    const scu = topic().scus[one.scu - 1];
    return make("li", { "data-unit": scu.number }, weightBadge(one.weight), make("div", {},
      make("button", { type: "button", class: "link", "data-scu": scu.number }, words(scu.label), make("b", {}, make("span", { class: "unseen" }, " SCU "), String(scu.number))), more));
  }
  const references = (scu) => make("details", {}, make("summary", {}, `in ${count(new Set(scu.contributors.map((one) => one.reference)).size, "reference", "references")}`), contributors(scu));

  // What is noted of an SCU: of a unit of the sources, its sentence there.
  const note = (scu) => [scu.sentence, scu.note].filter(Boolean)
    .map((text) => make("p", { class: "small soft", dir: "auto" }, "Noted: ", quoted(text)));

  // Why it matches, where the matcher says so, and what is noted of it.
  const reasons = (one) => [...one.reasons.map((text) => `why: ${shown(text)}`), ...one.remarks.map((text) => `noted: ${shown(text)}`)]
    .map((text) => make("div", { class: "small soft", dir: "auto" }, text));

  function article(summary, s) {
    const heading = make("h4", { id: `heading-${s}`, tabindex: "-1", dir: "auto" }, shown(nameOf(summary)), summary.role === "reference" ? make("span", { class: "tag" }, "reference") : "");
    const expressed = summary.expressed.map((one) => unit(one,
      one.words.map((said) => make("div", { class: "small" }, quoted(said))),
      make("div", { class: "small soft" }, [one.words.length > 1 ? `said ${one.words.length} times` : "", sure(summary, one.score)].filter(Boolean).join(" \u00b7 ")),
      reasons(one),
      references(topic().scus[one.scu - 1])));
    const contradicted = summary.contradicted.map((one) => {
      const scu = topic().scus[one.scu - 1];
      return unit(one, one.words.length ? one.words.map((said) => make("div", { class: "small" }, "It says: ", quoted(said))) : quoted("", "div"),
        make("div", { class: "small soft" }, ["contradicted", surely(one)].filter(Boolean).join(", ")), reasons(one), references(scu));
    });
    const missed = summary.missed.map((one) => {
      const scu = topic().scus[one.scu - 1];
      const other = scu.contributors.find((said) => said.words.trim() !== scu.label.trim()); // a label may be a contributor's words
      const said = other ? [quoted(other.words), " ", words(other.reference, "span", "words soft")] : ["in ", words(scu.contributors[0].reference)];
      return unit(one, note(scu), make("div", { class: other ? "small" : "small soft" }, said),
        one.unjudged ? make("div", { class: "small soft" }, one.unjudged) : "",
        likely(summary, scu.number) ? make("div", { class: "small soft" }, `probability ${likely(summary, scu.number)}`) : "", scu.contributors.length > 1 ? references(scu) : "");
    });
    const list = (name, items, none, cls) => make("div", { class: cls }, make("h5", {}, name),
      items.length ? make("ul", { class: "units" }, items.slice(0, LISTED)) : make("p", { class: "soft small" }, none),
      items.length > LISTED ? make("details", { class: "rest" }, make("summary", {}, `and ${items.length - LISTED} more`), make("ul", { class: "units" }, items.slice(LISTED))) : "");
    const node = make("article", { class: "summary", id: `text-${s}`, "aria-labelledby": `heading-${s}` }, heading, figures(summary), text(summary),
      summary.role === "reference" ? make("p", { class: "small soft" }, "Scored against the pyramid of the other references.") : "",
      make("div", { class: "lists" },
        make("div", {}, list(`It expresses ${count(expressed.length, "SCU", "SCUs")}`, expressed, "Nothing of the pyramid."),
          contradicted.length ? list(`${CROSS} It contradicts ${count(contradicted.length, "SCU", "SCUs")}`, contradicted, "", "denied") : ""),
        list(missed.length ? `It misses ${count(missed.length, "SCU", "SCUs")}, most important first` : "It misses nothing", missed, contradicted.length ? "It expresses everything that it does not contradict." : "It expresses the whole pyramid.")));
    if (summary.unmatched.length) {
      node.append(make("div", { class: "extra" }, make("h5", {}, `It also says, in no SCU (${summary.unmatched.length})`),
        make("ul", {}, summary.unmatched.map((said) => make("li", { class: "small" }, quoted(said))))));
    }
    if (summary.sentences.length) {
      node.append(make("details", { class: "extra" }, make("summary", {}, "Sentence by sentence, as it was segmented"),
        make("ol", { class: "sentences" }, summary.sentences.map((sentence) => make("li", {},
          make("span", { class: "small soft" }, `Sentence ${sentence.number}, segmentation ${sentence.segmentation}`),
          make("ol", {}, sentence.units.map((one) => make("li", {}, words(one.words, "span", one.scu === null ? "words said soft" : "words said"),
            one.scu === null ? make("span", { class: "small soft" }, "in no SCU")
              : make("button", { type: "button", class: "link small", "data-scu": one.scu }, (one.contradicts
                ? [`${CROSS} contradicts SCU ${one.scu}`, surely({ probability: one.score })] : [`SCU ${one.scu}`, sure(summary, one.score)]).filter(Boolean).join(", "))))))))));
    }
    return node;
  }

  function drawTexts() {
    const all = state.summary === "all";
    $("texts").replaceChildren(...topic().summaries.flatMap((summary, s) => all || s === state.summary ? [article(summary, s)] : []));
    $("summary-choice").value = String(state.summary);
    $("previous").disabled = all || state.summary === 0;
    $("next").disabled = all || state.summary === topic().summaries.length - 1;
    for (const link of scores.querySelectorAll("tbody a")) {
      link.closest("tr").classList.toggle("here", link.hash === `#summary-${state.topic}-${state.summary}`);
    }
    mark();
  }

  function drawTopic() {
    index();
    state.scu = 0;
    state.wholeMap = false;
    const { id, references, scus, summaries } = topic();
    $("topic-heading").replaceChildren("Topic: ", make("bdi", {}, shown(id)));
    tell($("topic-counts"), `${count(references.length, "reference", "references")}, ${count(scus.length, "SCU", "SCUs")}, ${count(summaries.length, "summary", "summaries")} scored`);
    $("topic-choice").value = String(state.topic);
    $("summary-choice").replaceChildren(...summaries.map((summary, s) => make("option", { value: s }, shown(nameOf(summary)))), make("option", { value: "all" }, "all summaries"));
    drawPyramid();
    drawMap();
    drawTexts();
    drawCard();
  }

  // ---- The chosen SCU ----
  function mark() {
    const is = (node, name) => Number(node.dataset[name]) === state.scu;
    for (const node of document.querySelectorAll("#topic [data-scu]")) {
      node.classList.toggle("on", is(node, "scu"));
      if (node.hasAttribute("aria-pressed")) node.setAttribute("aria-pressed", String(is(node, "scu")));
    }
    for (const node of document.querySelectorAll("#topic [data-unit]")) node.classList.toggle("on", is(node, "unit"));
    for (const node of document.querySelectorAll("#topic [data-cell]")) node.classList.toggle("on", is(node, "cell"));
    for (const node of document.querySelectorAll("#topic mark")) node.classList.toggle("on", node.dataset.in.split(" ").includes(String(state.scu)));
  }

  function drawCard() {
    const card = $("card");
    card.classList.toggle("full", state.scu > 0);
    if (!state.scu) {
      card.replaceChildren(make("p", { class: "soft small hint" }, "Choose an SCU in the pyramid, in the map or in a text. Its words in the references, and the summaries that express it, appear here."));
      return;
    }
    const scu = topic().scus[state.scu - 1];
    const by = expressedBy[state.scu - 1];
    const denied = contradictedBy[state.scu - 1];
    const has = new Set(by.map((entry) => entry.s));
    const without = topic().summaries.filter((summary, s) => !has.has(s) && summary.missed.some((one) => one.scu === scu.number));
    const close = make("button", { type: "button", class: "close", "aria-label": "Close the card" }, "\u00d7");
    close.addEventListener("click", unchoose);
    card.replaceChildren(close,
      make("p", { class: "eyebrow" }, `SCU ${scu.number} \u00b7 weight ${scu.weight} of ${topic().references.length}`),
      make("h3", { tabindex: "-1", dir: "auto" }, shown(scu.label)),
      ...note(scu),
      make("h4", {}, "In the references"), contributors(scu),
      make("h4", {}, `In ${by.length} of ${count(topic().summaries.length, "summary", "summaries")}`),
      make("ul", {}, by.map(({ s, summary, one }) => make("li", {},
        make("button", { type: "button", "data-show": s, "aria-label": `${shown(nameOf(summary))}: show these words in the text` }, shown(nameOf(summary))),
        sure(summary, one.score) ? make("span", { class: "small soft" }, ` ${sure(summary, one.score)}`) : "",
        one.words.map((said) => quoted(said, "div")), reasons(one)))),
      ...(denied.length ? [make("h4", { class: "denied" }, `${CROSS} Contradicted by ${count(denied.length, "summary", "summaries")}`),
        make("ul", {}, denied.map(({ s, summary, one }) => make("li", {},
          make("button", { type: "button", "data-show": s, "aria-label": `${shown(nameOf(summary))}: show the words that contradict it` }, shown(nameOf(summary))),
          surely(one) ? make("span", { class: "small soft" }, ` ${surely(one)}`) : "",
          one.words.map((said) => quoted(said, "div")), reasons(one))))] : []),
      without.length ? make("p", { class: "small soft" }, "Not in ", without.flatMap((summary, i) => [i ? ", " : "", make("bdi", {}, shown(nameOf(summary))), likely(summary, scu.number) ? `\u00a0(${likely(summary, scu.number)})` : ""]),
        topic().summaries.some(judged) ? ". The brackets give the probability that it is there after all." : ".") : "");
    card.scrollTop = 0;
  }

  function choose(number, opener) {
    state.scu = number;
    state.opener = opener;
    drawCard();
    mark();
    const scu = topic().scus[number - 1];
    const denied = countOf(scu, contradictedBy);
    tell($("told"), `${scuName(scu)}. Expressed by ${countOf(scu)} of ${count(counted(), "summary", "summaries")}${denied ? `, contradicted by ${denied}` : ""}.`);
    $("card").querySelector("h3").focus({ preventScroll: true });
    const covered = opener && getComputedStyle($("card")).position === "fixed"
      ? opener.getBoundingClientRect().bottom + 24 - $("card").getBoundingClientRect().top : 0;
    if (covered > 0) scrollBy({ top: covered, behavior: calm() });
  }
  function unchoose() {
    if (!state.scu) return;
    state.scu = 0;
    drawCard();
    mark();
    tell($("told"), "");
    if (state.opener && state.opener.isConnected) state.opener.focus({ preventScroll: true });
  }
  const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth";
  function open(s, scu) {
    if (state.summary !== "all" && state.summary !== s) { state.summary = s; drawTexts(); }
    const box = $(`text-${s}`);
    const place = (scu && box.querySelector(`.text [data-scu="${scu}"]`)) || box.querySelector("h4");
    place.focus({ preventScroll: true });
    (place.matches("h4") ? box : place).scrollIntoView({ behavior: calm(), block: place.matches("h4") ? "start" : "center" });
  }
  // Where SCUs overlap, a click takes the one that says least besides; a further click, the next.
  function ofMark(node) {
    const sizes = (number) => [...node.parentElement.querySelectorAll("mark")].filter((other) => other.dataset.in.split(" ").includes(number))
      .reduce((sum, other) => sum + other.textContent.length, 0);
    const numbers = node.dataset.in.split(" ").sort((a, b) => sizes(a) - sizes(b) || a - b);
    return Number(numbers[(numbers.indexOf(String(state.scu)) + 1) % numbers.length]);
  }
  $("topic").addEventListener("click", (event) => {
    const node = event.target.closest("[data-scu], [data-cell], [data-open], [data-show], mark");
    if (!node) return;
    if (node.dataset.scu) choose(Number(node.dataset.scu), node);
    else if (node.dataset.open) open(Number(node.dataset.open), 0);
    else if (node.dataset.show) open(Number(node.dataset.show), state.scu);
    else if (node.dataset.cell) { choose(Number(node.dataset.cell), null); open(Number(node.dataset.of), state.scu); }
    else if (getSelection().isCollapsed) {
      const number = ofMark(node);
      choose(number, node.parentElement.querySelector(`[data-scu="${number}"]`));
    }
  });
  const numbersOf = (node) => node.dataset.scu ? [node.dataset.scu] : node.dataset.cell ? [node.dataset.cell] : node.dataset.in.split(" ");
  function light(event) {
    const node = event.target.closest && event.target.closest("[data-scu], [data-cell], mark");
    const numbers = node ? numbersOf(node) : [];
    for (const other of document.querySelectorAll("#pyramid [data-scu], #texts mark")) other.classList.toggle("lit", numbersOf(other).some((number) => numbers.includes(number)));
  }
  $("topic").addEventListener("mouseover", light);
  $("topic").addEventListener("focusin", light);
  $("topic").addEventListener("mouseleave", light);
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") unchoose(); });

  $("map-more").addEventListener("click", () => { state.wholeMap = true; drawMap(); mark(); });
  $("topic-choice").append(...data.topics.map((one, t) => make("option", { value: t }, shown(one.id))));
  $("topic-choice").addEventListener("change", (event) => { state.topic = Number(event.target.value); state.summary = 0; drawTopic(); });
  $("topic-tools").hidden = data.topics.length < 2;
  const show = (choice) => { state.summary = choice; drawTexts(); };
  $("summary-choice").addEventListener("change", (event) => show(event.target.value === "all" ? "all" : Number(event.target.value)));
  $("previous").addEventListener("click", () => show(state.summary - 1));
  $("next").addEventListener("click", () => show(state.summary + 1));

  // A link of the score table opens a text, and so does the page's address.
  function follow() {
    const found = /^#summary-(\d+)-(\d+)$/.exec(location.hash);
    if (!found) return;
    const [t, s] = [Number(found[1]), Number(found[2])];
    if (!data.topics[t] || !data.topics[t].summaries[s]) return;
    if (t !== state.topic) { state.topic = t; state.summary = s; drawTopic(); }
    open(s, 0);
  }
  addEventListener("hashchange", follow);
  scores.addEventListener("click", (event) => { if (event.target.closest("tbody a") && event.target.closest("a").hash === location.hash) follow(); });

  $("topic").hidden = false;
  drawTopic();
  follow();
})();
