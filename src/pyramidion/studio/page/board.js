// The topic that a page shows: what the server last said of it, and how it is changed. One change at a time; what the
// server refuses is shown as it is there.

import { $, data, get, say, send, t, toast } from "./core.js";

export class Board {
  constructor(redraw) {
    this.redraw = redraw;
    this.scus = new Map();
    this.queue = Promise.resolve();
    this.take(data.view);
  }

  // Takes over an answer: all SCUs, or only those that changed.
  take(view) {
    const known = this.scus;
    const fresh = new Map(view.pyramid.scus.map((scu) => [scu.id, scu]));
    this.scus = new Map(view.pyramid.order.map((id) => [id, fresh.get(id) ?? known.get(id)]));
    Object.assign(this, { version: view.version, undo: view.undo, redo: view.redo, tiers: view.pyramid.tiers, size: view.pyramid.size });
    this.repeats = new Set(view.pyramid.repeats);
    this.reading = view.reading;
    this.suggestions = view.suggestions ?? [];
    this.matcher = view.matcher;
    if (this.texts !== undefined && view.texts !== this.texts) location.reload();
    this.texts = view.texts;
    for (const name of ["undo", "redo"]) if ($(`#${name}`)) $(`#${name}`).disabled = !view[name];
  }

  get path() {
    return `/topics/${data.topic}`;
  }

  get asked() {
    return data.reader ? `?${new URLSearchParams(data.reader)}` : "";
  }

  // Makes an edit after those before it; true if the server took it.
  edit(kind, operation) {
    return this.change("operations", () => ({ kind, operation, base: this.version }));
  }

  change(what, body = () => ({})) {
    if (!data.edit) {
      toast(t("read_only"));
      return Promise.resolve(false);
    }
    this.queue = this.queue.then(async () => {
      say(t("saving"));
      try {
        this.take(await send(`${this.path}/${what}`, { ...body(), ...data.reader }));
        say(t("saved"));
        this.redraw();
        return true;
      } catch (problem) {
        say("");
        if (problem.status === 409) await this.refresh().catch(() => {});
        return false;
      }
    });
    return this.queue;
  }

  async refresh() {
    const view = await get(`${this.path}/document${this.asked}`);
    if (view.version < this.version) return;
    this.scus = new Map();
    this.take(view);
    this.redraw();
  }

  // Listens for the changes of others while somebody looks: browsers have few connections for all tabs together.
  listen() {
    let stream = null;
    const begin = () => {
      if (stream || document.hidden) return;
      stream = new EventSource(`${this.path}/events`);
      stream.onmessage = (event) => {
        this.queue = this.queue.then(async () => {
          if (Number(event.data) <= this.version) return;
          await this.refresh().catch(() => {});
          say(t("others_changed"));
        });
      };
    };
    const end = () => {
      stream?.close();
      stream = null;
    };
    document.addEventListener("visibilitychange", () => (document.hidden ? end() : begin()));
    addEventListener("pagehide", end);
    begin();
  }
}
