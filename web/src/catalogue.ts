// The page of endgames: what is built, what can be built, and what it would take.
import { api, type Endgame, type Game, sentence } from "./api";
import { byId, copy, fill, h } from "./dom";
import { openRandom } from "./random";
import type { Explorer } from "./explorer";
import { menOf } from "./fen";
import { choice } from "./parts";
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
    const focused = host.contains(document.activeElement) ? document.activeElement : null;
    const key = focused?.id || (focused instanceof HTMLElement ? focused.dataset.value : "");
    fill(host, h("h2", {}, "Endgames"), this.controls(), this.body());
    if (key)
      (
        document.getElementById(key) ?? host.querySelector<HTMLElement>(`[data-value="${key}"]`)
      )?.focus();
  }

  private controls(): HTMLElement {
    const men = MEN.map((n) => [n, `${n} men`] as const);
    return h(
      "div",
      { class: "row" },
      choice("Men", men, this.men, (value) => {
        this.men = value;
        void this.load();
      }),
      h(
        "span",
        { class: "field" },
        h("label", { for: "index-search" }, "Search"),
        h("input", {
          id: "index-search",
          type: "search",
          value: this.search,
          placeholder: "KRP",
          spellcheck: "false",
          size: 12,
          oninput: (event) => {
            this.search = (event.target as HTMLInputElement).value;
            this.fillTable();
          },
        }),
      ),
    );
  }

  private body(): HTMLElement {
    if (this.problem) return h("p", { class: "problem", role: "alert" }, this.problem);
    if (!this.list) return h("p", { class: "empty" }, "Looking them up …");
    return h("div", { id: "index-body" }, ...this.table(this.list));
  }

  private fillTable(): void {
    const body = document.getElementById("index-body");
    if (body && this.list) fill(body, ...this.table(this.list));
  }

  private table(list: Endgame[]): HTMLElement[] {
    const wanted = this.search.trim().toLowerCase();
    const shown = list.filter((endgame) => endgame.material.toLowerCase().includes(wanted));
    const built = shown.filter((endgame) => endgame.built.length > 0).length;
    if (shown.length === 0) return [h("p", { class: "empty" }, "No endgame has this in its name.")];
    return [
      h(
        "p",
        { class: "note", role: "status" },
        `${counted(shown.length, "endgame")}, ${built} built`,
      ),
      h(
        "div",
        { class: "scroller", tabindex: 0, role: "group", "aria-label": "Endgames" },
        h(
          "table",
          { class: "endgames" },
          h(
            "thead",
            {},
            h("tr", {}, ...this.columns.map((name) => h("th", { scope: "col" }, name))),
          ),
          h("tbody", {}, ...shown.map((endgame) => this.row(endgame))),
        ),
      ),
    ];
  }

  private get columns(): string[] {
    const side = this.game === "xiangqi" ? "Red" : "White";
    return ["Endgame", "Built", "Size", "Longest win", `${side} to move wins`, "To build the rest"];
  }

  private row({
    material,
    built,
    bytes: size,
    longest,
    wins,
    estimate,
    command,
  }: Endgame): HTMLElement {
    const open = () =>
      void openRandom(this.explorer, { material }).then(
        (found) => found && this.explorer.show("endgame"),
      );
    const meter = h("span", { class: "meter", "aria-hidden": "true" }, h("span", {}));
    if (wins !== null) (meter.firstElementChild as HTMLElement).style.width = `${100 * wins}%`;
    return h(
      "tr",
      { class: built.length ? "" : "bare" },
      h(
        "th",
        { scope: "row" },
        built.length
          ? h("button", { type: "button", class: "link", onclick: open }, material)
          : material,
      ),
      h(
        "td",
        {},
        ...(built.length
          ? built.map((metric) => h("span", { class: "badge" }, metric.toUpperCase()))
          : [h("span", { class: "muted" }, "–")]),
      ),
      h("td", { class: "number-cell", "data-label": "size" }, size ? bytes(size) : "–"),
      h(
        "td",
        { class: "number-cell", "data-label": "longest win" },
        longest === null ? "–" : counted(movesOf(longest), "move"),
      ),
      h(
        "td",
        { class: "number-cell", "data-label": "wins" },
        wins === null ? "–" : meter,
        wins === null ? null : ` ${(100 * wins).toFixed(1)} %`,
      ),
      h(
        "td",
        {},
        estimate
          ? h(
              "span",
              { class: "build" },
              h(
                "span",
                { class: "note" },
                `${duration(estimate.seconds)}, ${bytes(estimate.memory)} of memory, ${bytes(estimate.disk)} of disk `,
              ),
              h(
                "button",
                {
                  type: "button",
                  class: "small",
                  title: command,
                  onclick: (e) => void copy(command, e.currentTarget as HTMLElement),
                },
                "Copy command",
                h("span", { class: "unseen" }, ` for ${material}`),
              ),
            )
          : h("span", { class: "muted" }, "all built"),
      ),
    );
  }
}
