// A task's page: order, progress, drafts, checks and sending. It is pasted into MTurk layouts, where a dollar sign
// before a brace would be taken for a field: there is none here. Texts go in and out as text, never as markup.
(() => {
  "use strict";
  const root = document.getElementById("task");
  if (!root) return;
  const set = root.dataset;
  const inMturk = set.mode === "mturk";
  const writing = set.phase === "writing";
  const query = new URLSearchParams(location.search);
  const given = (...names) => names.map((name) => (query.get(name) || "").trim()).find(Boolean) || "";
  const byId = (id) => document.getElementById(id);
  const show = (node, text) => { if (node && node.textContent !== text) node.textContent = text; };
  const element = (name, text) => { const made = document.createElement(name); made.textContent = text; return made; };

  // MTurk pads short tasks and says in which order to ask.
  const items = () => Array.from(root.querySelectorAll(".item"));
  if (inMturk && !writing) {
    const list = byId("items");
    for (const item of items()) if (item.querySelector(".statement").textContent.trim() === "BLANK") item.remove();
    const slots = new Map(items().map((item) => [item.dataset.slot, item]));
    for (const slot of set.order.split(" ")) if (slots.has(slot)) list.append(slots.get(slot));
    items().forEach((item, at) => show(item.querySelector(".number"), String(at + 1)));
    byId("done-share").max = items().length;
  }
  const asked = items();

  // Who works.
  const workerField = byId("worker");
  const fromUrl = set.worker || given("worker", "PROLIFIC_PID", "workerId");
  const worker = () => fromUrl || (workerField ? workerField.value.trim() : "");
  if (fromUrl && byId("who")) byId("who").hidden = true;
  const assignment = given("assignmentId");
  const preview = inMturk && assignment === "ASSIGNMENT_ID_NOT_AVAILABLE";

  // What was answered.
  const field = (item) => item.querySelector("textarea");
  const clean = (text) => text.replace(/\s+/g, " ").trim();
  const value = (item) => {
    if (writing) return clean(field(item).value);
    const chosen = item.querySelector("input:checked");
    return chosen ? chosen.value : "";
  };

  // The draft: in this browser only, until it is sent.
  const random = () => Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, "0")).join("");
  let draft = { session: set.session || given("SESSION_ID", "session") || random(), started: new Date().toISOString(), seconds: 0 };
  let finished = false;
  let last = ""; // what this tab has kept or brought back: if something else is kept, another tab did it
  const place = (name) => ["pyramidion", set.study, set.task, inMturk ? assignment : name].map(encodeURIComponent).join(":");
  const kept = (store, action) => { try { return action(store === "tab" ? sessionStorage : localStorage); } catch { return undefined; } };
  const nameless = inMturk && !assignment; // a layout that is only looked at: drafts of all tasks would be one
  const save = () => {
    if (finished || preview || nameless) return;
    draft.values = Object.fromEntries(asked.map((item) => [item.id, writing ? field(item).value : value(item)]));
    last = JSON.stringify(draft);
    const done = kept("browser", (store) => { store.setItem(place(worker()), last); return true; });
    if (!fromUrl) kept("tab", (store) => store.setItem(place(""), worker()));
    show(byId("saved"), done ? "Saved in this browser until you send it." : "This browser keeps no drafts: do not close the page before you have sent it.");
  };
  const stored = () => (nameless ? "" : kept("browser", (store) => store.getItem(place(worker()))) || "");
  const restore = () => {
    const text = stored();
    let found = null;
    try { found = JSON.parse(text || "null"); } catch { found = null; }
    if (!found || typeof found !== "object" || !found.values) return;
    const session = set.session || given("SESSION_ID", "session");
    last = text;
    draft = { session: session || String(found.session || draft.session), started: String(found.started || draft.started), seconds: Number(found.seconds) || 0 };
    for (const item of asked) {
      const old = found.values[item.id];
      if (typeof old !== "string") continue;
      if (writing) field(item).value = old;
      else for (const input of item.querySelectorAll("input")) input.checked = input.value === old;
    }
    if (asked.some(value)) show(byId("saved"), "Your answers were brought back from this browser.");
  };
  const forget = () => {
    finished = true;
    kept("browser", (store) => store.removeItem(place(worker())));
    kept("tab", (store) => store.removeItem(place("")));
  };

  // Active seconds: the page is seen and somebody did something within the last half minute.
  let touched = performance.now();
  for (const kind of ["keydown", "pointerdown", "pointermove", "scroll", "input", "touchstart"])
    addEventListener(kind, () => { touched = performance.now(); }, { passive: true, capture: true });
  setInterval(() => { if (!finished && !document.hidden && performance.now() - touched < 30000) draft.seconds += 1; }, 1000);
  addEventListener("pagehide", () => { if (stored() === last) save(); });

  // Words and places of the text.
  const segmenter = (granularity) => (typeof Intl === "object" && Intl.Segmenter ? new Intl.Segmenter(undefined, { granularity }) : null);
  const [wordly, sentencely] = [segmenter("word"), segmenter("sentence")];
  const words = (text) => (wordly
    ? Array.from(wordly.segment(text)).filter((one) => one.isWordLike).map((one) => one.segment)
    : text.match(/[\p{L}\p{M}\p{N}]+(?:['’-][\p{L}\p{M}\p{N}]+)*/gu) || []);
  // How many words a person counts: tests/crowd/statements/word_counts.json has the cases for this and for Python's.
  const unspaced = /(?=[\p{L}\p{Nl}])[\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\ua9e0-\ua9ff\uaa60-\uaa7f\uf900-\ufaff\uff66-\uff9f\u{1b000}-\u{1b16f}\u{20000}-\u{323af}]/gu;
  const countWords = (text) => {
    const spaced = text.replace(unspaced, "").split(/[\s\u001c-\u001f\u0085]+/u).filter((run) => /[\p{L}\p{N}]/u.test(run));
    return spaced.length + Math.ceil((text.match(unspaced) || []).length / 2);
  };
  const key = (text) => words(text.normalize("NFKC").toLowerCase()).join(" ");
  const content = (text) => {
    const every = words(text.normalize("NFKC").toLowerCase());
    const long = every.filter((word) => word.length > 3 || /\p{N}/u.test(word));
    return new Set(long.length ? long : every);
  };
  const sentences = (text) => {
    const parts = sentencely ? Array.from(sentencely.segment(text), (one) => one.segment) : text.match(/[^.!?\n]*[.!?\n]+\s*|[^.!?\n]+$/g) || [];
    const joined = [];
    for (const part of parts) // "Dr. Lee left.": a part of one or two words belongs to the next
      if (joined.length && words(joined[joined.length - 1]).length < 3) joined[joined.length - 1] += part;
      else joined.push(part);
    return joined;
  };
  const places = [];
  if (writing) {
    const text = byId("text");
    const parts = sentences(text.textContent);
    text.textContent = "";
    for (const part of parts) {
      const node = text.appendChild(element("span", part.trimEnd()));
      text.append(part.slice(part.trimEnd().length));
      const has = content(part);
      if (has.size) places.push({ node, words: has, text: clean(part) });
    }
  }
  const from = (item) => { // the sentence that shares most words with a statement, if it is at least a third of them
    const mine = content(value(item));
    let [best, most] = [-1, 0];
    places.forEach((one, at) => {
      const share = mine.size ? Array.from(mine).filter((word) => one.words.has(word)).length / mine.size : 0;
      if (share > most) [best, most] = [at, share];
    });
    return most >= 1 / 3 ? best : -1;
  };
  const marks = () => {
    const used = new Set(asked.map(from));
    places.forEach((one, at) => one.node.classList.toggle("used", used.has(at)));
    byId("key").hidden = !places.some((_, at) => used.has(at));
  };

  // What the page shows while somebody works.
  const total = () => asked.filter(value).length;
  const count = (item) => {
    const [has, most] = [countWords(value(item)), Number(set.most)];
    const node = byId(item.id + "-count");
    show(node, has + " of " + most + " words" + (has > most ? ": please shorten it" : ""));
    node.classList.toggle("over", has > most);
  };
  const refresh = () => {
    show(byId("progress"), total() + " of " + asked.length + (writing ? " written" : " answered"));
    byId("done-share").value = total();
    if (writing) { asked.forEach(count); marks(); }
  };

  // What is wrong with it: errors must be mended; hints are guesses of a program, so a person may overrule them.
  const number = (item) => asked.indexOf(item) + 1;
  const controls = (item) => (writing ? [field(item)] : Array.from(item.querySelectorAll("input")));
  const check = () => {
    const [errors, hints] = [[], []];
    if (workerField && !worker()) errors.push({ node: workerField, note: byId("worker-error"), text: "Write your name or code.", inline: "Write your name or code." });
    const add = (list, item, text) => list.push({ node: controls(item)[0], item, note: byId(item.id + "-error"), text: "Statement " + number(item) + ": " + text, inline: text });
    const seen = new Map();
    const used = new Map();
    for (const item of asked) {
      const text = value(item);
      if (!writing) { if (!text) add(errors, item, "choose an answer."); continue; }
      if (!text) { add(errors, item, "write a statement."); continue; }
      const size = countWords(text);
      const same = seen.get(key(text));
      if (same) { add(errors, item, "the same as statement " + same + "; write another fact."); continue; }
      seen.set(key(text), number(item));
      if (size > Number(set.most)) { add(errors, item, size + " words; shorten it to " + set.most + " at most."); continue; }
      if (size < Number(set.least)) { add(errors, item, "too short for a sentence; write at least " + set.least + " words."); continue; }
      if (/[\p{L}\p{N}]{4,}[.!?]["'”’)]*\s+["'“‘(]*\p{Lu}|[。！？]./u.test(text)) add(hints, item, "this looks like two sentences; one fact is enough.");
      const at = from(item);
      if (at < 0) { add(hints, item, "this does not seem to come from the text."); continue; }
      used.set(at, (used.get(at) || []).concat(item));
    }
    const allowed = places.length ? Math.ceil(asked.length / places.length) : asked.length;
    for (const [, several] of used) if (several.length > allowed)
      for (const item of several.slice(allowed)) add(hints, item, "this seems to come from the same sentence as statement " + number(several[0]) + "; choose another place.");
    return { errors, hints };
  };

  const box = byId("problems");
  let overruled = "";
  const clear = (only) => {
    for (const item of only) {
      item.classList.remove("wrong");
      show(byId(item.id + "-error"), "");
      for (const control of controls(item)) control.removeAttribute("aria-invalid");
      for (const line of box.querySelectorAll("li")) if (line.dataset.of === item.id) line.remove();
    }
    if (box.firstChild && !box.querySelector("li")) box.replaceChildren();
  };
  const complain = (list, hints) => {
    box.replaceChildren(element("h3", hints ? "Please look at this again" : list.length === 1 ? "One thing is missing or wrong" : list.length + " things are missing or wrong"));
    const lines = box.appendChild(document.createElement("ul"));
    for (const one of list) {
      const line = lines.appendChild(document.createElement("li"));
      line.dataset.of = one.item ? one.item.id : "worker";
      const link = line.appendChild(element("a", one.text));
      link.href = "#" + one.node.id;
      link.addEventListener("click", (event) => { event.preventDefault(); (one.item || one.node).scrollIntoView(); one.node.focus({ preventScroll: true }); });
      show(one.note, one.inline[0].toUpperCase() + one.inline.slice(1));
      if (one.item) one.item.classList.add("wrong");
      for (const control of one.item ? controls(one.item) : [one.node]) if (!hints) control.setAttribute("aria-invalid", "true");
    }
    if (hints) {
      const label = box.appendChild(document.createElement("label"));
      const tick = label.appendChild(document.createElement("input"));
      tick.type = "checkbox";
      tick.id = "overrule";
      label.append("I have looked, and want to send it as it is.");
    }
    box.scrollIntoView();
    box.focus({ preventScroll: true });
  };
  const fine = () => {
    const tick = byId("overrule");
    const { errors, hints } = check();
    const wanted = JSON.stringify(hints.map((one) => [one.text, value(one.item)]));
    if (tick && tick.checked) overruled = wanted;
    clear(asked);
    show(byId("worker-error"), "");
    box.replaceChildren();
    if (errors.length) complain(errors, false);
    else if (hints.length && overruled !== wanted) complain(hints, true);
    else return true;
    return false;
  };

  // Sending.
  const record = () => ({
    pyramidion: "submission-1", study: set.study, task: set.task, phase: set.phase, worker: worker(), session: draft.session,
    answers: writing ? {} : Object.fromEntries(asked.filter((item) => item.dataset.statement).map((item) => [item.dataset.statement, value(item)])),
    checks: writing ? {} : Object.fromEntries(asked.filter((item) => item.dataset.check).map((item) => [item.dataset.check, value(item)])),
    written: writing ? asked.map(value) : [],
    started: draft.started, submitted: new Date().toISOString(), seconds: draft.seconds,
  });
  const button = byId("send");
  const fail = (text) => {
    box.replaceChildren(element("h3", "Your answers could not be sent"), element("p", text + " They are still here: please try again."));
    box.scrollIntoView();
    box.focus({ preventScroll: true });
  };
  const answeredBefore = (next) => { // here or in another tab, and otherwise: trying again would not help
    forget();
    const link = element("a", "Go on with the next task");
    link.href = next;
    box.replaceChildren(element("h3", "You have answered this task before"), element("p", "Your first answers stand; these were not kept."), link);
    box.scrollIntoView();
    box.focus({ preventScroll: true });
  };
  const post = async () => {
    button.disabled = true;
    try {
      const reply = await fetch(set.post, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(Object.assign(record(), { ticket: set.ticket || "" })) });
      const said = await reply.json();
      const next = said.next + (set.session ? "&session=" + encodeURIComponent(set.session) : "");
      if (reply.status === 409) { answeredBefore(next); return; }
      if (!reply.ok) throw new Error(said.error || "The server refused them (" + reply.status + ").");
      forget();
      location.assign(next);
    } catch (error) {
      button.disabled = false;
      fail(error instanceof TypeError ? "The server does not answer." : error.message);
    }
  };
  const download = (text, name) => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  };
  const finish = () => {
    const name = [set.task, worker()].map((part) => part.replace(/[^\p{L}\p{N}._-]+/gu, "-").slice(0, 60)).join("-") + ".json";
    const text = JSON.stringify(record(), null, 1) + "\n";
    forget();
    download(text, name);
    show(byId("file"), name);
    byId("copy").value = text;
    byId("again").addEventListener("click", () => download(text, name));
    for (const part of root.children) part.hidden = part.id !== "finished";
    if (set.completion) {
      byId("completion").hidden = false;
      byId("completion-link").href = set.completion;
      const code = new URL(set.completion).searchParams.get("cc");
      show(byId("code"), code ? "Completion code: " + code : "");
    }
    byId("finished").focus();
  };

  if (inMturk) {
    let form = root.closest("form");
    if (!form) { // a layout that MTurk did not wrap: a question made by its API
      form = document.createElement("form");
      form.method = "post";
      const host = /^https?:/.test(given("turkSubmitTo")) ? given("turkSubmitTo") : "https://www.mturk.com";
      form.action = host.replace(/\/+$/, "") + "/mturk/externalSubmit";
      const id = form.appendChild(document.createElement("input"));
      [id.type, id.name, id.value] = ["hidden", "assignmentId", assignment];
      root.before(form);
      form.append(root);
    }
    form.noValidate = true;
    addEventListener("load", () => { // MTurk's own button comes after the layout; ours does the same
      const theirs = form.querySelector("#submitButton");
      if (theirs) theirs.hidden = true;
    });
    form.addEventListener("submit", (event) => {
      if (preview || !fine()) { event.preventDefault(); event.stopImmediatePropagation(); return; }
      byId("seconds").value = String(draft.seconds);
      for (const item of asked) if (writing) field(item).value = value(item);
      finished = true; // if it does not arrive, the draft is still there: the next task removes it
      kept("browser", (store) => store.setItem(sent, place("")));
    }, true);
    const sent = "pyramidion:sent";
    kept("browser", (store) => {
      const old = store.getItem(sent);
      if (old && old !== place("")) [old, sent].forEach((one) => store.removeItem(one));
    });
    byId("preview").hidden = !preview;
    if (preview) for (const control of root.querySelectorAll("textarea, input, button")) control.disabled = true;
  } else {
    button.addEventListener("click", () => { if (fine()) { if (set.post) post(); else finish(); } });
  }

  // On a small screen the text stays at the top: what is scrolled to must come to rest below it.
  const panel = root.querySelector(".text");
  const measure = () => {
    const beside = getComputedStyle(root.querySelector(".desk")).gridTemplateColumns.split(" ").length > 1;
    document.documentElement.style.setProperty("--top", (beside ? 0 : panel.offsetHeight) + "px");
  };
  new ResizeObserver(measure).observe(panel);

  // The first look.
  const guide = byId("guide");
  const known = "pyramidion:guide:" + set.phase;
  if (kept("browser", (store) => store.getItem(known))) guide.open = false;
  guide.addEventListener("toggle", () => kept("browser", (store) => (guide.open ? store.removeItem(known) : store.setItem(known, "read"))));
  if (!fromUrl && workerField) workerField.value = kept("tab", (store) => store.getItem(place(""))) || workerField.value;
  restore();
  refresh();
  root.addEventListener("input", (event) => {
    const item = event.target.closest(".item");
    if (item) clear([item]);
    if (event.target === workerField) { show(byId("worker-error"), ""); return; }
    refresh();
    save();
  });
  if (workerField) workerField.addEventListener("change", () => {
    if (!asked.some(value)) restore();
    kept("browser", (store) => store.removeItem(place("")));
    refresh();
    save();
  });
})();
