// The endgame on the board: shares, histogram, longest wins, zugzwangs, what it leads into.
import { api, type Found, type Metric, sentence, type Statistics, type Turn } from "./api";
import { cards } from "./cards";
import { byId, fill, h } from "./dom";
import type { Explorer } from "./explorer";
import { sideName } from "./fen";
import { barsOf, histogram } from "./histogram";
import { aside, button, choice, empty, note, redraw, section } from "./parts";
import { openRandom } from "./random";
import { bytes, counted, GOAL, movesOf, share } from "./words";
import { ZugzwangList } from "./zugzwangs";

type Seat = "wtm" | "btm";
type Result = "win" | "loss";

const SEATS: Record<Turn, Seat> = { w: "wtm", b: "btm" };
const TURNS: Record<Seat, Turn> = { wtm: "w", btm: "b" };
/** A part of a bar that is narrower has no room for its letter. */
const ROOM_FOR_LETTER = 0.06;

export class EndgamePanel {
  private material: string | null = null;
  private statistics: Statistics | null = null;
  private problem: string | null = null;
  private seat: Seat = "wtm";
  private result: Result = "win";
  private drawn = "";
  private readonly zugzwangs: ZugzwangList;

  constructor(private readonly explorer: Explorer) {
    this.zugzwangs = new ZugzwangList(explorer, () => this.render());
  }

  render(): void {
    const { explorer, material, statistics, problem, seat, result } = this;
    if (explorer.tab !== "endgame" || explorer.pending || !explorer.answer) return;
    if (explorer.material !== material) return this.load(explorer.material);
    const shown = [material, statistics !== null, problem, seat, result, this.zugzwangs.state];
    const here = explorer.trainer ? "" : explorer.fen;
    const state = [...shown, explorer.metric, explorer.settings.unit, here].join("|");
    if (state === this.drawn) return;
    this.drawn = state;
    const host = byId("panel-endgame");
    redraw(host, () => fill(host, ...this.contents()));
  }

  private load(material: string | null): void {
    const { answer, turn } = this.explorer;
    Object.assign(this, { material, statistics: null, problem: null, seat: SEATS[turn] });
    this.result = answer?.exact.outcome === "loss" ? "loss" : "win";
    if (material) {
      const mine = () => this.material === material;
      api
        .statistics(material)
        .then(
          (statistics) => mine() && (this.statistics = statistics),
          (error) => mine() && (this.problem = sentence(error)),
        )
        .then(() => this.render());
      this.zugzwangs.load(material);
    }
    this.render();
  }

  private contents(): HTMLElement[] {
    const { statistics, problem, material } = this;
    if (!material) return [empty("This position belongs to no endgame that can be built.")];
    if (problem) return [empty(problem)];
    if (!statistics) return [empty("Looking it up …")];
    return [
      this.shares(statistics),
      this.distances(statistics),
      this.longest(statistics),
      this.zugzwangs.element(),
      this.facts(statistics),
    ];
  }

  private shares({ exact }: Statistics): HTMLElement {
    return section(exact.material, this.share("wtm"), this.share("btm"), note(exact.counted));
  }

  /** The outcomes with a side to move, in words and as a bar. */
  private share(seat: Seat): HTMLElement | null {
    const counts = this.statistics?.exact.counts[seat];
    if (!counts) return null;
    const { legal, win, draw, loss } = counts;
    const parts = [
      ["W", win, "wins"],
      ["D", draw, "draws"],
      ["L", loss, "loses"],
    ] as const;
    const words = parts.map(([, n, verb]) => `${verb} ${share(n, legal)}`).join(", ");
    const bar = parts.map(([letter, n]) => {
      const part = h("span", { "data-letter": letter }, n / legal > ROOM_FOR_LETTER ? letter : "");
      part.style.flexGrow = String(n);
      part.hidden = n === 0;
      return part;
    });
    const figures = h("span", { class: "note" }, `${words} of ${legal.toLocaleString("en")}`);
    return h(
      "div",
      { class: "share-row" },
      h("p", {}, `${sideName(this.explorer.game, TURNS[seat])} to move `, figures),
      h("div", { class: "share", "aria-hidden": "true" }, ...bar),
    );
  }

  private distances({ exact }: Statistics): HTMLElement {
    const { explorer } = this;
    const { metric, settings } = explorer;
    const known = exact.histogram[metric];
    const title = [`Distance to ${GOAL[metric]}`, aside("a bar opens a random position")];
    if (!known) return section(title, empty(`${metric.toUpperCase()} is not built here.`));
    const bars = barsOf(known[this.seat][this.result]);
    if (bars.length === 0) return section(title, this.switches(), empty("There is none."));
    return section(
      title,
      this.switches(),
      histogram({
        bars,
        unit: settings.unit,
        goal: GOAL[metric],
        current: this.current(metric),
        choose: (plies) => void this.random(metric, plies),
      }),
    );
  }

  private switches(): HTMLElement {
    const { game } = this.explorer;
    const seats = (["wtm", "btm"] as const).map(
      (seat) => [seat, `${sideName(game, TURNS[seat])} to move`] as const,
    );
    const results = [
      ["win", "wins"],
      ["loss", "losses"],
    ] as const;
    return h(
      "div",
      { class: "row" },
      choice<Seat>("Side to move", seats, this.seat, (seat) => this.choose({ seat })),
      choice<Result>("Outcome", results, this.result, (result) => this.choose({ result })),
    );
  }

  private choose(change: { seat?: Seat; result?: Result }): void {
    Object.assign(this, change);
    this.render();
  }

  /** The distance of the position on the board, if it belongs to the bars that are seen. */
  private current(metric: Metric): number | null {
    const { answer, turn, trainer } = this.explorer;
    const exact = trainer ? null : (answer?.exact ?? null);
    if (exact?.outcome !== this.result || SEATS[turn] !== this.seat) return null;
    const value = exact[metric];
    return value === null ? null : Math.abs(value);
  }

  private async random(metric: Metric, plies: number): Promise<void> {
    const { material, seat, result } = this;
    const kind = result === "win" ? "won" : "lost";
    const asked = { material, kind, metric, min: plies, max: plies, turn: TURNS[seat] };
    await openRandom(this.explorer, asked);
  }

  private longest({ exact }: Statistics): HTMLElement {
    const { explorer } = this;
    const { metric } = explorer;
    const found: Found[] = [];
    for (const [name, fen] of Object.entries(exact.longest[metric] ?? {}))
      if (fen) found.push({ fen, comment: this.longestOf(name) });
    const none = empty("Nobody wins here, or the metric is not built.");
    return section("Longest wins", found.length ? cards(explorer, found) : none);
  }

  /** What a name such as `white_wins_btm` says, with the longest distance of that kind. */
  private longestOf(name: string): string {
    const { game, metric } = this.explorer;
    const winner: Turn = name.startsWith("white") ? "w" : "b";
    const seat: Seat = name.endsWith("wtm") ? "wtm" : "btm";
    const result = TURNS[seat] === winner ? "win" : "loss";
    const bars = barsOf(this.statistics?.exact.histogram[metric]?.[seat][result] ?? {});
    const most = bars[bars.length - 1]?.plies ?? 0;
    const who = `${sideName(game, winner)} wins, ${sideName(game, TURNS[seat])} to move`;
    return `${who}: ${GOAL[metric]} in ${counted(movesOf(most), "move")}`;
  }

  private facts({ dependencies, files }: Statistics): HTMLElement {
    const { explorer } = this;
    const names = dependencies.map((material) =>
      button(material, () => void openRandom(explorer, { material })),
    );
    const { answer } = explorer;
    return section(
      "Leads into",
      names.length ? h("div", { class: "row" }, ...names) : empty("No other endgame."),
      answer?.rules && note(answer.rules),
      note(files.map((file) => `${file.metric.toUpperCase()} ${bytes(file.bytes)}`).join(", ")),
    );
  }
}
