// Find positions by a query, or draw one at random.
import { api, type Search, sentence } from "./api";
import { cards } from "./cards";
import { byId, fill, h } from "./dom";
import { openRandom, pager } from "./endgame";
import type { Explorer } from "./explorer";
import { builtMaterials, materialBox } from "./materials";
import { choice } from "./verdict";
import { counted } from "./words";

const PAGE = 12;
/** The words of queries; those of the 50-move rule and of promotions are of chess alone. */
const WORDS = ["wtm", "btm", "win", "draw", "loss", "white wins", "black wins", "dtm == max", "dtc == max", "dtz == max", "moves >= 10",
  "mate in 3", "mated in 3", "mate", "stalemate", "check", "zugzwang", "full zugzwang", "half zugzwang", "only move", "cursed win",
  "blessed loss", "underpromotion", "and", "or", "not", "(", ")"];
const CHESS_WORDS = new Set(["dtz == max", "cursed win", "blessed loss", "underpromotion", "stalemate"]);
const EXAMPLES = ["wtm win and dtm == max", "zugzwang", "only move and moves >= 5", "mate in 2", "btm draw and check"];

const KINDS = [["any", "any"], ["won", "won"], ["drawn", "drawn"], ["lost", "lost"], ["zugzwang", "zugzwang"], ["only", "only move"]] as const;
type Kind = (typeof KINDS)[number][0];

export class FindPanel {
  private material = "";
  private followed = "";
  private query = "wtm win and dtm == max";
  private offset = 0;
  private answer: Search | null = null;
  private problem: string | null = null;
  private busy = false;
  private names: string[] = [];
  private kind: Kind = "any";
  private comment = "";
  private game = "";
  private controller = new AbortController();

  constructor(private readonly explorer: Explorer) {}

  render(): void {
    const { explorer } = this;
    if (explorer.tab !== "find" || !explorer.answer || explorer.pending) return;
    this.follow(explorer.material);
    if (this.game === explorer.game) return;
    this.game = explorer.game;
    this.answer = this.problem = null;
    this.draw();
    builtMaterials(explorer.game).then((names) => {
      this.names = names;
      this.draw();
    }, () => undefined);
  }

  /** The box names the endgame on the board when another one comes there. */
  private follow(material: string | null): void {
    if (!material || material === this.followed) return;
    this.followed = this.material = material;
    const input = document.getElementById("find-material");
    if (input instanceof HTMLInputElement) input.value = material;
  }

  private draw(): void {
    const host = byId("panel-find");
    const focused = host.contains(document.activeElement) ? document.activeElement?.id : null;
    fill(host, this.form(), this.results(), this.random());
    if (focused) document.getElementById(focused)?.focus();
  }

  private form(): HTMLElement {
    const chess = this.explorer.game === "chess";
    const words = WORDS.filter((word) => chess || !CHESS_WORDS.has(word))
      .map((word) => (chess ? word : word.replace("white", "red")));
    return h("section", {},
      h("h2", {}, "Find positions"),
      h("form", { class: "find-form", onsubmit: (event) => { event.preventDefault(); void this.search(0); } },
        materialBox("find-material", this.material, this.names, (value) => (this.material = value)),
        h("span", { class: "field grow" },
          h("label", { for: "find-query" }, "where"),
          h("input", { id: "find-query", value: this.query, list: "find-examples", spellcheck: "false", autocomplete: "off", autocapitalize: "off", maxlength: 400,
            oninput: (event) => (this.query = (event.target as HTMLInputElement).value) }),
          h("datalist", { id: "find-examples" }, ...EXAMPLES.map((value) => h("option", { value })))),
        h("button", { type: "submit", class: "small primary" }, "Find")),
      h("details", { open: innerWidth >= 900 }, h("summary", {}, "Words of queries"),
        h("div", { class: "words", role: "group", "aria-label": "Words of queries" }, ...words.map((word) =>
          h("button", { type: "button", class: "word", onclick: () => this.add(word) }, word)))),
    );
  }

  private add(word: string): void {
    const input = byId("find-query") as HTMLInputElement;
    this.query = `${input.value.trim()} ${word}`.trim();
    input.value = this.query;
    input.focus();
  }

  private async search(offset: number): Promise<void> {
    this.controller.abort();
    this.controller = new AbortController();
    const { signal } = this.controller;
    Object.assign(this, { offset, busy: true, problem: null });
    this.draw();
    try {
      const { material, query: where } = this;
      this.answer = await api.find({ material, where, metric: this.explorer.metric, offset, limit: PAGE, count: 1 }, signal);
    } catch (error) {
      if (signal.aborted) return;
      this.answer = null;
      this.problem = sentence(error);
    }
    if (signal.aborted) return;
    this.busy = false;
    this.draw();
  }

  private results(): HTMLElement {
    const { answer, problem, busy, offset, explorer } = this;
    if (busy) return h("p", { class: "empty", role: "status" }, "Searching …");
    if (problem) return h("p", { class: "problem", role: "alert" }, problem);
    if (!answer) return h("p", { class: "note" }, "A query joins words with and, or, not and parentheses. Distances are in plies.");
    const count = answer.count === null ? "" : counted(answer.count, "position");
    return h("section", {},
      h("p", { role: "status" }, h("b", {}, count || "Found"), answer.hint ? ` ${answer.hint}` : ""),
      answer.positions.length > 0 && cards(explorer, answer.positions),
      pager(offset, answer.positions.length, answer.more, PAGE, (next) => void this.search(next)));
  }

  private random(): HTMLElement {
    const number = (id: string, label: string) => h("span", { class: "field" }, h("label", { for: id }, label),
      h("input", { id, type: "number", min: 0, max: 1000, step: 1, inputmode: "numeric", class: "short" }));
    return h("section", {},
      h("h2", {}, "A random position"),
      h("form", { class: "find-form", onsubmit: (event) => { event.preventDefault(); void this.shuffle(); } },
        choice<Kind>("Kind", KINDS, this.kind, (kind) => { this.kind = kind; this.draw(); }),
        h("span", { class: "field" }, number("random-min", "from"), number("random-max", "to"), h("span", { class: "note" }, "plies")),
        h("button", { type: "submit", class: "small primary" }, "Random")),
      h("p", { class: "note", role: "status" }, this.comment));
  }

  private async shuffle(): Promise<void> {
    const value = (id: string) => (byId(id) as HTMLInputElement).value;
    const { material, kind, explorer } = this;
    const found = await openRandom(explorer, { material, kind, metric: explorer.metric, min: value("random-min"), max: value("random-max") });
    this.comment = found?.comment ?? explorer.problem ?? "";
    (byId("panel-find").querySelector("section:last-of-type .note[role=status]") as HTMLElement).textContent = this.comment;
  }
}
