// The page of endgames: what is built, what can be built, and what it would take.
import { api, type Endgame, type Game, sentence } from "./api";
import { byId, type Child, copy, fill, h } from "./dom";
import { box, button, choice, empty, problem, redraw } from "./parts";
import { openRandom } from "./random";
import type { Explorer } from "./explorer";
import { menOf } from "./fen";
import { bytes, counted, duration, movesOf } from "./words";

const MEN = ["3", "4", "5", "6"] as const;

export class Catalogue {
  private game: Game | null = null;
  private men: (typeof MEN)[number] = "3";
  private search = "";
  private list: Endgame[] | null = null;
  private problem: string | null = null;
  private controller = new AbortController();

  constructor(private readonly explorer: Explorer) {}

  render(): void {
    const { explorer } = this;
    if (explorer.tab !== "index" || this.game === explorer.game) return;
    this.game = explorer.game;
    const men = String(Math.min(6, Math.max(3, menOf(explorer.fen).size)));
    this.men = MEN.find((value) => value === men) ?? "3";
    void this.load();
  }

  private async load(): Promise<void> {
    const { game } = this;
    if (!game) return;
    this.controller.abort();
    this.controller = new AbortController();
    const { signal } = this.controller;
    this.list = this.problem = null;
    this.draw();
    try {
      this.list = await api.endgames(game, Number(this.men), signal);
    } catch (error) {
      this.problem = sentence(error);
    }
    if (!signal.aborted) this.draw();
  }

  private draw(): void {
    const host = byId("index");
    redraw(host, () => fill(host, h("h2", {}, "Endgames"), this.controls(), this.body()));
  }

  private controls(): HTMLElement {
    const men = MEN.map((n) => [n, `${n} men`] as const);
    const search = (value: string) => {
      this.search = value;
      this.fillTable();
    };
    return h(
      "div",
      { class: "row" },
      choice("Men", men, this.men, (value) => {
        this.men = value;
        void this.load();
      }),
      box("index-search", "Search", search, {
        type: "search",
        value: this.search,
        placeholder: "KRP",
        size: 12,
      }),
    );
  }

  private body(): HTMLElement {
    if (this.problem) return problem(this.problem);
    if (!this.list) return empty("Looking them up …");
    return h("div", { id: "index-body" }, ...this.table(this.list));
  }

  private fillTable(): void {
    const body = document.getElementById("index-body");
    if (body && this.list) fill(body, ...this.table(this.list));
  }

  private table(list: Endgame[]): HTMLElement[] {
    const wanted = this.search.toLowerCase();
    const shown = list.filter((endgame) => endgame.material.toLowerCase().includes(wanted));
    const built = shown.filter((endgame) => endgame.built.length > 0).length;
    if (shown.length === 0) return [empty("No endgame has this in its name.")];
    const told = `${counted(shown.length, "endgame")}, ${built} built`;
    const head = h("tr", {}, ...this.columns.map((name) => h("th", { scope: "col" }, name)));
    const rows = shown.map((endgame) => this.row(endgame));
    const table = h("table", { class: "endgames" }, h("thead", {}, head), h("tbody", {}, ...rows));
    const scroller = { class: "scroller", tabindex: 0, role: "group", "aria-label": "Endgames" };
    return [h("p", { class: "note", role: "status" }, told), h("div", scroller, table)];
  }

  private get columns(): string[] {
    const side = this.game === "xiangqi" ? "Red" : "White";
    return ["Endgame", "Built", "Size", "Longest win", `${side} to move wins`, "To build the rest"];
  }

  private row(endgame: Endgame): HTMLElement {
    const { material, built, bytes: size, longest, wins } = endgame;
    if (built.length === 0) {
      const dash = () => h("td", { class: "number-cell" }, "–");
      const name = h("th", { scope: "row" }, material);
      return h("tr", { class: "bare" }, name, dash(), dash(), dash(), dash(), toBuild(endgame));
    }
    const figure = (label: string, ...children: Child[]) =>
      h("td", { class: "number-cell", "data-label": label }, ...children);
    const metrics = built.map((metric) => h("span", { class: "badge" }, metric.toUpperCase()));
    return h(
      "tr",
      {},
      h(
        "th",
        { scope: "row" },
        button(material, () => this.open(material), { class: "link" }),
      ),
      h("td", {}, ...metrics),
      figure("size", bytes(size)),
      figure("longest win", longest === null ? "–" : counted(movesOf(longest), "move")),
      wins === null ? figure("wins", "–") : figure("wins", meter(wins), ` ${percent(wins)}`),
      toBuild(endgame),
    );
  }

  private async open(material: string): Promise<void> {
    if (await openRandom(this.explorer, { material })) this.explorer.show("endgame");
  }
}

const percent = (part: number): string => `${(100 * part).toFixed(1)} %`;

function meter(part: number): HTMLElement {
  const filled = h("span");
  filled.style.width = `${100 * part}%`;
  return h("span", { class: "meter", "aria-hidden": "true" }, filled);
}

/** What it would take to build the metrics that are missing. */
function toBuild({ material, estimate, command }: Endgame): HTMLElement {
  if (!estimate) return h("td", { class: "muted" }, "all built");
  const { seconds, memory, disk } = estimate;
  const takes = `${duration(seconds)}, ${bytes(memory)} of memory, ${bytes(disk)} of disk `;
  const label = h("span", {}, "Copy command", h("span", { class: "unseen" }, ` for ${material}`));
  const copyIt = (pressed: HTMLElement) => void copy(command, pressed);
  return h(
    "td",
    {},
    h(
      "span",
      { class: "build" },
      h("span", { class: "note" }, takes),
      button(label, copyIt, { title: command }),
    ),
  );
}
