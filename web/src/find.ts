// Positions by a query.
import { api, type Search, sentence } from "./api";
import { cards } from "./cards";
import { byId, fill, h } from "./dom";
import type { Explorer } from "./explorer";
import { builtMaterials, materialBox } from "./materials";
import { box, empty, form, note, pager, problem, redraw, section, suggestions } from "./parts";
import { RandomForm } from "./random";
import { counted } from "./words";

const SIZE = 12;
/** The words of docs/queries.md, with distances as examples. */
const WORDS =
  "wtm|btm|win|draw|loss|white wins|black wins|dtm == max|dtc == max|moves >= 10|mate in 3|mated in 3|mate|" +
  "check|zugzwang|full zugzwang|half zugzwang|only move|and|or|not|(|)";
/** Words of the 50-move rule, of promotions and of drawn stalemates. */
const CHESS_WORDS = "|stalemate|dtz == max|cursed win|blessed loss|underpromotion";
const EXAMPLES = [
  "wtm win and dtm == max",
  "zugzwang",
  "only move and moves >= 5",
  "mate in 2",
  "btm draw and check",
];

export class FindPanel {
  private material = "";
  private query = EXAMPLES[0] ?? "";
  private offset = 0;
  private answer: Search | null = null;
  private problem: string | null = null;
  private busy = false;
  private names: string[] = [];
  private game = "";
  /** The endgame on the board that the box named last. */
  private followed = "";
  private controller = new AbortController();
  private readonly random: RandomForm;

  constructor(private readonly explorer: Explorer) {
    this.random = new RandomForm(explorer, () => this.material);
  }

  render(): void {
    const { explorer } = this;
    if (explorer.tab !== "find" || !explorer.answer || explorer.pending) return;
    this.follow(explorer.material);
    if (this.game === explorer.game) return;
    this.game = explorer.game;
    this.answer = this.problem = null;
    this.draw();
    const take = (names: string[]) => {
      this.names = names;
      this.draw();
    };
    builtMaterials(explorer.game).then(take, () => undefined);
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
    redraw(host, () => fill(host, this.form(), this.results(), this.random.element()));
  }

  private form(): HTMLElement {
    const query = box("find-query", "where", (value) => (this.query = value), {
      value: this.query,
      list: "find-examples",
      maxlength: 400,
    });
    query.classList.add("grow");
    const { material, names } = this;
    return section(
      "Find positions",
      form(
        () => void this.search(0),
        "Find",
        materialBox("find-material", material, names, (value) => (this.material = value)),
        query,
        suggestions("find-examples", EXAMPLES),
      ),
      this.words(),
    );
  }

  private words(): HTMLElement {
    const chess = this.explorer.game === "chess";
    const words = chess ? WORDS + CHESS_WORDS : WORDS.replace("white", "red");
    const group = { class: "words", role: "group", "aria-label": "Words of queries" };
    const buttons = words
      .split("|")
      .map((word) =>
        h("button", { type: "button", class: "word", onclick: () => this.add(word) }, word),
      );
    const open = innerWidth >= 900;
    return h("details", { open }, h("summary", {}, "Words"), h("div", group, ...buttons));
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
      const { material, query: where, explorer } = this;
      const asked = { material, where, metric: explorer.metric, offset, limit: SIZE, count: 1 };
      this.answer = await api.find(asked, signal);
    } catch (error) {
      this.answer = null;
      this.problem = sentence(error);
    }
    if (signal.aborted) return;
    this.busy = false;
    this.draw();
  }

  private results(): HTMLElement {
    const { answer, busy, offset, explorer } = this;
    if (busy) return empty("Searching …");
    if (this.problem) return problem(this.problem);
    if (!answer)
      return note("A query joins words with and, or, not and parentheses. Distances are in plies.");
    const { positions, count, more, hint } = answer;
    const told = count === null ? "Found" : counted(count, "position");
    return h(
      "section",
      {},
      h("p", { role: "status" }, h("b", {}, told), hint ? ` ${hint}` : ""),
      positions.length > 0 && cards(explorer, positions),
      pager(
        { offset, shown: positions.length, size: SIZE, more },
        (next) => void this.search(next),
      ),
    );
  }
}
