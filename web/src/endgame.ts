// The endgame on the board: shares, histogram, longest wins, zugzwangs, what it depends on.
import { api, type Found, type Metric, type Statistics, sentence, type Zugzwangs } from "./api";
import { cards } from "./cards";
import { byId, fill, h } from "./dom";
import type { Explorer } from "./explorer";
import { sideName } from "./fen";
import { barsOf, histogram } from "./histogram";
import { choice } from "./verdict";
import { bytes, counted, GOAL, movesOf, share } from "./words";

type Seat = "wtm" | "btm";
type Result = "win" | "loss";
const PAGE = 8;

export class EndgamePanel {
  private material: string | null = null;
  private statistics: Statistics | null = null;
  private problem: string | null = null;
  private zugzwangs: Zugzwangs | null = null;
  private zugzwangProblem: string | null = null;
  private offset = 0;
  private seat: Seat = "wtm";
  private result: Result = "win";
  private drawn = "";

  constructor(private readonly explorer: Explorer) {}

  render(): void {
    const { explorer } = this;
    if (explorer.tab !== "endgame" || explorer.pending || !explorer.answer) return;
    if (explorer.material !== this.material) this.load(explorer.material);
    const state = [this.material, this.statistics ? 1 : 0, this.problem, this.zugzwangs?.positions[0]?.fen, this.zugzwangProblem,
      this.seat, this.result, explorer.metric, explorer.settings.unit, explorer.trainer ? "" : explorer.fen].join("|");
    if (state === this.drawn) return;
    this.drawn = state;
    const host = byId("panel-endgame");
    const focused = host.contains(document.activeElement) ? (document.activeElement as HTMLElement).dataset.value : null;
    fill(host, ...this.contents());
    if (focused) host.querySelector<HTMLElement>(`[data-value="${focused}"]`)?.focus();
  }

  private load(material: string | null): void {
    Object.assign(this, { material, statistics: null, problem: null, zugzwangs: null, zugzwangProblem: null, offset: 0 });
    const { answer, turn } = this.explorer;
    this.seat = turn === "w" ? "wtm" : "btm";
    this.result = answer?.exact.outcome === "loss" ? "loss" : "win";
    if (!material) return;
    const mine = <T>(f: (value: T) => void) => (value: T) => {
      if (this.material !== material) return;
      f(value);
      this.render();
    };
    api.statistics(material).then(
      mine((statistics) => (this.statistics = statistics)),
      mine((error) => (this.problem = sentence(error))),
    );
    this.page(0);
  }

  private page(offset: number): void {
    const { material } = this;
    if (!material) return;
    this.offset = offset;
    api.zugzwangs({ material, offset, limit: PAGE }).then(
      (answer) => { if (this.material === material) this.zugzwangs = answer; this.render(); },
      (error) => { if (this.material === material) this.zugzwangProblem = sentence(error); this.render(); },
    );
  }

  private contents(): HTMLElement[] {
    const { statistics, problem, material } = this;
    if (!material) return [h("p", { class: "empty" }, "This position belongs to no endgame that can be built.")];
    if (problem) return [h("p", { class: "empty" }, problem)];
    if (!statistics) return [h("p", { class: "empty" }, "Looking it up …")];
    return [this.shares(statistics), this.distances(statistics), this.longest(statistics), this.mutual(), this.facts(statistics)];
  }

  private shares({ exact }: Statistics): HTMLElement {
    const { game } = this.explorer;
    const bar = (seat: Seat) => {
      const { legal, win, draw, loss } = exact.counts[seat];
      const name = sideName(game, seat === "wtm" ? "w" : "b");
      const parts = [["W", win, "wins"], ["D", draw, "draws"], ["L", loss, "loses"]] as const;
      return h("div", { class: "share-row" },
        h("p", {}, `${name} to move `, h("span", { class: "note" },
          parts.map(([, n, verb]) => `${verb} ${share(n, legal)}`).join(", "), ` of ${legal.toLocaleString("en")}`)),
        h("div", { class: "share", "aria-hidden": "true" }, ...parts.map(([letter, n]) => {
          const part = h("span", { "data-letter": letter }, n / legal > 0.06 ? letter : "");
          part.style.flexGrow = String(n);
          part.hidden = n === 0;
          return part;
        })),
      );
    };
    return h("section", {}, h("h2", {}, exact.material), bar("wtm"), bar("btm"), h("p", { class: "note" }, exact.counted));
  }

  private distances({ exact }: Statistics): HTMLElement {
    const { explorer } = this;
    const { metric, game } = explorer;
    const known = exact.histogram[metric];
    const title = h("h2", {}, `Distance to ${GOAL[metric]}`, h("span", { class: "count" }, "a bar opens a random position"));
    if (!known) return h("section", {}, title, h("p", { class: "empty" }, `${metric.toUpperCase()} is not built for this endgame.`));
    const bars = barsOf(known[this.seat][this.result]);
    const names = (["w", "b"] as const).map((turn) => [turn === "w" ? "wtm" : "btm", `${sideName(game, turn)} to move`] as const);
    const switches = h("div", { class: "row" },
      choice<Seat>("Side to move", names, this.seat, (seat) => this.choose({ seat })),
      choice<Result>("Outcome", [["win", "wins"], ["loss", "losses"]], this.result, (result) => this.choose({ result })),
    );
    if (bars.length === 0) return h("section", {}, title, switches, h("p", { class: "empty" }, "There is no such position."));
    return h("section", {}, title, switches, histogram({
      bars, unit: explorer.settings.unit, goal: GOAL[metric], current: this.current(metric), choose: (plies) => void this.random(metric, plies),
    }));
  }

  private choose(change: { seat?: Seat; result?: Result }): void {
    Object.assign(this, change);
    this.render();
  }

  /** The distance of the position on the board, if it belongs to the bars that are seen. */
  private current(metric: Metric): number | null {
    const { answer, turn, trainer } = this.explorer;
    const here = !trainer && answer?.exact.outcome === this.result && (turn === "w" ? "wtm" : "btm") === this.seat;
    const value = here ? (answer?.exact[metric] ?? null) : null;
    return value === null ? null : Math.abs(value);
  }

  private async random(metric: Metric, plies: number): Promise<void> {
    const kind = this.result === "win" ? "won" : "lost";
    const turn = this.seat === "wtm" ? "w" : "b";
    await openRandom(this.explorer, { material: this.material, kind, metric, min: plies, max: plies, turn });
  }

  private longest({ exact }: Statistics): HTMLElement {
    const { explorer } = this;
    const { game, metric } = explorer;
    const fens = Object.entries(exact.longest[metric] ?? {}).filter((entry): entry is [string, string] => Boolean(entry[1]));
    const found: Found[] = fens.map(([name, fen]) => {
      const winner = sideName(game, name.startsWith("white") ? "w" : "b");
      const seat: Seat = name.endsWith("wtm") ? "wtm" : "btm";
      const wins = (name.startsWith("white") ? "wtm" : "btm") === seat;
      const distances = Object.keys(exact.histogram[metric]?.[seat][wins ? "win" : "loss"] ?? {}).map((n) => Math.abs(Number(n)));
      const mover = sideName(game, seat === "wtm" ? "w" : "b");
      const most = Math.max(0, ...distances);
      return { fen, comment: `${winner} wins, ${mover} to move: ${GOAL[metric]} in ${counted(movesOf(most), "move")}` };
    });
    return h("section", {}, h("h2", {}, "Longest wins"),
      found.length ? cards(explorer, found) : h("p", { class: "empty" }, "Nobody wins here, or the metric is not built."));
  }

  private mutual(): HTMLElement {
    const { zugzwangs, offset, explorer } = this;
    const title = h("h2", {}, "Mutual zugzwangs");
    if (this.zugzwangProblem) return h("section", {}, title, h("p", { class: "empty" }, this.zugzwangProblem));
    if (!zugzwangs) return h("section", {}, title, h("p", { class: "empty" }, "Looking for them …"));
    const { full, white, black, positions, more, counted: how } = zugzwangs;
    const n = (count: number) => count.toLocaleString("en");
    const cost = (count: number, turn: "w" | "b") => `${n(count)} cost ${sideName(explorer.game, turn)} half a point`;
    const known = full !== null && white !== null && black !== null;
    const sum = known && `${n(full + white + black)}: ${n(full)} of a full point, ${cost(white, "w")}, ${cost(black, "b")}.`;
    const shown = positions.map(({ fen, comment }) => ({ fen, comment: comment.replace(/^mutual zugzwang, /, "") }));
    return h("section", {}, title,
      sum && h("p", { class: "note" }, `${sum} ${how}`),
      shown.length ? cards(explorer, shown) : h("p", { class: "empty" }, "There is none."),
      pager(offset, positions.length, more, PAGE, (next) => this.page(next)),
    );
  }

  private facts({ dependencies, files }: Statistics): HTMLElement {
    const { explorer } = this;
    return h("section", {}, h("h2", {}, "Leads into"),
      dependencies.length
        ? h("div", { class: "row" }, ...dependencies.map((material) =>
            h("button", { type: "button", class: "small", onclick: () => void openRandom(explorer, { material }) }, material)))
        : h("p", { class: "empty" }, "No other endgame."),
      explorer.answer?.rules && h("p", { class: "note" }, explorer.answer.rules),
      h("p", { class: "note" }, files.map((file) => `${file.metric.toUpperCase()} ${bytes(file.bytes)}`).join(", ")),
    );
  }
}

/** Buttons to the pages before and after. */
export function pager(offset: number, shown: number, more: boolean, size: number, go: (offset: number) => void): HTMLElement | null {
  if (offset === 0 && !more) return null;
  return h("div", { class: "row pager" },
    h("button", { type: "button", class: "small", disabled: offset === 0, onclick: () => go(Math.max(0, offset - size)) }, "Previous"),
    h("span", { class: "note" }, shown ? `${offset + 1} to ${offset + shown}` : ""),
    h("button", { type: "button", class: "small", disabled: !more, onclick: () => go(offset + size) }, "Next"),
  );
}

/** A random position is on the board; a refusal is shown where verdicts are. */
export async function openRandom(explorer: Explorer, parameters: Parameters<typeof api.random>[0]): Promise<Found | null> {
  try {
    const found = await api.random(parameters);
    await explorer.open(found.fen);
    return found;
  } catch (error) {
    explorer.problem = sentence(error);
    explorer.changed();
    return null;
  }
}
