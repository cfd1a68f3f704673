// Best play, and what the visitor did.
import { address, api, type LineStep, type Mainline, type Metric, sentence } from "./api";
import type { Autoplay } from "./autoplay";
import { byId, copy, fill, h } from "./dom";
import type { Explorer } from "./explorer";
import { sideName } from "./fen";
import { aside, button, empty, note, redraw, section, tool } from "./parts";
import { numberOf, showCurrent, strip } from "./strip";
import { panelOf } from "./tabs";
import { counted, GOAL } from "./words";

interface Line {
  key: string;
  start: string;
  answer: Mainline | null;
  problem: string | null;
}

export class LinePanel {
  private line: Line | null = null;
  private controller = new AbortController();
  private drawn = "";

  constructor(
    private readonly explorer: Explorer,
    private readonly autoplay: Autoplay,
  ) {}

  render(): void {
    const { explorer } = this;
    if (panelOf(explorer) !== "line" || !explorer.answer || explorer.pending) return;
    if (this.position() === null && !explorer.trainer) void this.load();
    const { line } = this;
    const { at, fen, trail, trainer } = explorer;
    const known = line?.answer ? "known" : line?.problem;
    const shown = [line?.key, known, at, fen, trail.length, this.autoplay.running];
    const state = trainer ? "training" : shown.join("|");
    if (state === this.drawn) return;
    this.drawn = state;
    const host = byId("panel-line");
    const hidden = empty("The line is hidden while you train.");
    redraw(host, () => fill(host, ...(trainer ? [hidden] : [this.best(line), this.history()])));
    showCurrent(host);
  }

  /** How many moves of the line are made: 0 at its start, null if the position is not on it. */
  private position(): number | null {
    const { line, explorer } = this;
    if (!line || line.key !== this.keyOf(line.start)) return null;
    if (explorer.fen === line.start) return 0;
    const index = line.answer?.mainline.findIndex((step) => step.fen === explorer.fen) ?? -1;
    return index < 0 ? null : index + 1;
  }

  private keyOf = (start: string) => `${this.explorer.game} ${this.explorer.metric} ${start}`;

  /** What the line is best by: DTZ where Syzygy files have it and our table of the metric is not. */
  private get metric(): Metric {
    const { answer, metric } = this.explorer;
    return answer?.source === "syzygy" && answer.exact[metric] === null ? "dtz" : metric;
  }

  /** Whether our tables know the line, which a PGN is made from. */
  private get isOurs(): boolean {
    const { answer, metric } = this.explorer;
    return answer?.source !== "syzygy" || answer.exact[metric] !== null;
  }

  private async load(): Promise<void> {
    const { explorer } = this;
    const start = explorer.fen;
    const line: Line = { key: this.keyOf(start), start, answer: null, problem: null };
    this.line = line;
    this.controller.abort();
    this.controller = new AbortController();
    const { signal } = this.controller;
    try {
      line.answer = await api.mainline({ ...explorer.question, metric: this.metric }, signal);
    } catch (error) {
      line.problem = sentence(error);
    }
    if (!signal.aborted && this.line === line) this.render();
  }

  private best(line: Line | null): HTMLElement {
    const title = ["Best play", aside(`by ${(line?.answer?.metric ?? this.metric).toUpperCase()}`)];
    if (line?.problem) return section(title, empty(line.problem));
    if (!line?.answer) return section(title, empty("Looking it up …"));
    if (line.answer.mainline.length === 0) return section(title, empty(this.whyEmpty()));
    const steps = line.answer.mainline;
    const done = this.position() ?? 0;
    return section(
      title,
      this.controls(line.start, steps, done),
      strip("Moves of the line", line.start, this.stepsOf(steps, done)),
      note(this.summary(line.answer)),
    );
  }

  /** A click goes on along the line, or back on the moves that were made. */
  private stepsOf(steps: LineStep[], done: number) {
    const { explorer } = this;
    return steps.map(({ san, mark }, index) => ({
      san,
      mark,
      current: index + 1 === done,
      passed: index < done,
      go: () =>
        index < done
          ? explorer.jump(explorer.at - (done - index - 1))
          : explorer.follow(steps.slice(done, index + 1)),
    }));
  }

  private whyEmpty(): string {
    const { answer } = this.explorer;
    if (answer?.moves.length === 0) return "The game is over.";
    const draw = answer?.exact.outcome === "draw";
    return draw ? "A draw has no line: neither side makes progress." : "There is no line.";
  }

  private summary({ winner, complete, ended, mainline, metric }: Mainline): string {
    const { game } = this.explorer;
    const who = winner ? `${sideName(game, winner)} wins` : "Nobody wins";
    const plies = counted(mainline.length, "ply", "plies");
    return [
      `${who} in ${plies}, each move best by distance to ${GOAL[metric]}.`,
      ended && `It ends with: ${ended.replace(/\.$/, "")}.`,
      complete ? "" : "The line is cut.",
      "□ only move, ! best, ° forced.",
    ].join(" ");
  }

  private controls(start: string, steps: LineStep[], done: number): HTMLElement {
    const { explorer, autoplay } = this;
    const { running } = autoplay;
    const over = done >= steps.length;
    const next = () => explorer.follow(steps.slice(done, done + 1));
    return h(
      "div",
      { class: "row" },
      tool("left", "One move back", () => explorer.undo(), named("back", explorer.at === 0)),
      running
        ? tool("pause", "Stop", () => autoplay.stop(), named("auto"))
        : tool("best", "Play the line", () => autoplay.start(), named("auto", over)),
      tool("right", "One move on", next, named("next", over)),
      h("span", { class: "grow" }),
      button("Copy text", (b) => void copy(textOf(start, steps), b), named("text")),
      ...(explorer.game === "chess" && this.isOurs ? this.pgn(start) : []),
    );
  }

  private pgn(fen: string): HTMLElement[] {
    const { metric } = this.explorer;
    const copyPgn = async (pressed: HTMLElement) => {
      try {
        await copy(await api.pgn(fen, metric), pressed);
      } catch (error) {
        this.explorer.problem = sentence(error);
        this.explorer.changed();
      }
    };
    const href = address("line.pgn", { fen, metric });
    return [
      button("Copy PGN", (pressed) => void copyPgn(pressed), named("pgn")),
      h("a", { class: "small", href, download: "line.pgn" }, "Download"),
    ];
  }

  private history(): HTMLElement {
    const { explorer } = this;
    const { at, trail, fen } = explorer;
    const steps = trail.slice(1).map(({ san }, index) => ({
      san: san ?? "",
      mark: null,
      current: index + 1 === at,
      passed: index < at,
      go: () => explorer.jump(index + 1),
    }));
    if (steps.length === 0) return section(["Your moves", aside("none yet")]);
    return section(
      ["Your moves", aside(steps.length)],
      h(
        "div",
        { class: "row" },
        button("Undo", () => explorer.undo(), named("undo", at === 0)),
        button("Redo", () => explorer.redo(), named("redo", at >= steps.length)),
        button("To the start", () => explorer.jump(0), named("start", at === 0)),
      ),
      strip("Your moves", trail[0]?.fen ?? fen, steps),
    );
  }
}

const named = (name: string, disabled = false) => ({ "data-value": name, disabled });

const textOf = (start: string, steps: LineStep[]): string =>
  steps.map((step, index) => `${numberOf(start, index)}${step.san}`).join(" ");
