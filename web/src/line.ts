// Best play as a strip, and what the visitor did.
import { address, api, type LineStep, type Mainline, sentence } from "./api";
import { Autoplay } from "./autoplay";
import { byId, copy, fill, h } from "./dom";
import type { Explorer } from "./explorer";
import { sideName } from "./fen";
import { icon } from "./icons";
import { panelOf } from "./tabs";
import { counted, GOAL } from "./words";

const MARKS: Record<string, [string, string]> = {
  only: ["□", "the only move that keeps the outcome"],
  best: ["!", "others keep it, but are slower"],
  forced: ["°", "the only legal move"],
};

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
    if (explorer.trainer)
      return this.draw("training", () => [h("p", { class: "empty" }, "The line is hidden while you train.")]);
    if (this.position() === null) void this.load();
    const line = this.line;
    const state = [line?.key, line?.answer ? "here" : line?.problem, explorer.at, explorer.fen, explorer.trail.length, this.autoplay.running].join("|");
    this.draw(state, () => [this.best(line), this.history()]);
  }

  private draw(state: string, make: () => HTMLElement[]): void {
    if (state === this.drawn) return;
    this.drawn = state;
    const host = byId("panel-line");
    const name = host.contains(document.activeElement) ? (document.activeElement as HTMLElement).dataset.name : null;
    fill(host, ...make());
    if (name) host.querySelector<HTMLElement>(`[data-name="${name}"]`)?.focus();
    host.querySelectorAll(".strip").forEach((strip) => {
      const current = strip.querySelector<HTMLElement>("[aria-current]");
      if (current) strip.scrollTop = current.offsetTop - strip.clientHeight / 2;
    });
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

  private async load(): Promise<void> {
    const { explorer } = this;
    const start = explorer.fen;
    const line: Line = { key: this.keyOf(start), start, answer: null, problem: null };
    this.line = line;
    this.controller.abort();
    this.controller = new AbortController();
    const { signal } = this.controller;
    try {
      line.answer = await api.mainline(explorer.question, signal);
    } catch (error) {
      line.problem = sentence(error);
    }
    if (!signal.aborted && this.line === line) this.render();
  }

  private best(line: Line | null): HTMLElement {
    const { explorer } = this;
    const steps = line?.answer?.mainline ?? [];
    const done = this.position() ?? 0;
    const title = h("h2", {}, "Best play", h("span", { class: "count" }, `by ${explorer.metric.toUpperCase()}`));
    if (line?.problem) return h("section", {}, title, h("p", { class: "empty" }, line.problem));
    if (!line?.answer) return h("section", {}, title, h("p", { class: "empty" }, "Looking it up …"));
    if (steps.length === 0) return h("section", {}, title, h("p", { class: "empty" }, this.whyEmpty()));
    return h("section", {},
      title,
      this.controls(steps, done),
      h("div", { class: "strip", tabindex: 0, role: "group", "aria-label": "Moves of the line" },
        ...this.strip(line.start, steps.map((step, index) => ({
          san: step.san, mark: step.mark, current: index + 1 === done, passed: index < done,
          go: () => explorer.follow(steps.slice(done, index + 1)), reachable: index >= done,
          back: () => explorer.jump(explorer.at - (done - index - 1)),
        }))),
      ),
      h("p", { class: "note" }, this.summary(line.answer)),
    );
  }

  private whyEmpty(): string {
    const { answer } = this.explorer;
    if (answer?.moves.length === 0) return "The game is over.";
    return answer?.exact.outcome === "draw" ? "A draw has no line: neither side makes progress." : "There is no line.";
  }

  private summary({ winner, complete, ended, mainline }: Mainline): string {
    const { game, metric } = this.explorer;
    const who = winner ? `${sideName(game, winner)} wins` : "Nobody wins";
    const end = complete ? "" : " The line is cut.";
    return `${who} in ${counted(mainline.length, "ply", "plies")}, each move best by distance to ${GOAL[metric]}.` +
      `${ended ? ` It ends with: ${ended.replace(/\.$/, "")}.` : ""}${end} □ only move, ! best, ° forced.`;
  }

  private controls(steps: LineStep[], done: number): HTMLElement {
    const { explorer, autoplay } = this;
    const button = (name: string, label: string, picture: Parameters<typeof icon>[0], act: () => void, off = false) =>
      h("button", { type: "button", class: "tool", "aria-label": label, title: label, "data-name": name, disabled: off, onclick: act }, icon(picture));
    const text = (name: string, label: string, act: (b: HTMLElement) => void) =>
      h("button", { type: "button", class: "small", "data-name": name, onclick: (e) => act(e.currentTarget as HTMLElement) }, label);
    const { fen, metric } = explorer;
    return h("div", { class: "row" },
      button("back", "One move back", "left", () => explorer.undo(), explorer.at === 0),
      button("auto", autoplay.running ? "Stop" : "Play the line", autoplay.running ? "pause" : "best", () => autoplay.toggle(), done >= steps.length),
      button("next", "One move on", "right", () => explorer.follow(steps.slice(done, done + 1)), done >= steps.length),
      h("span", { class: "grow" }),
      text("text", "Copy text", (b) => void copy(this.text(steps), b)),
      explorer.game === "chess" && text("pgn", "Copy PGN", (b) => void api.pgn(this.line?.start ?? fen, metric).then((pgn) => copy(pgn, b), () => undefined)),
      explorer.game === "chess" && h("a", { class: "small", href: address("line.pgn", { fen: this.line?.start ?? fen, metric }), download: "line.pgn" }, "Download"),
    );
  }

  private text(steps: LineStep[]): string {
    const start = this.line?.start ?? this.explorer.fen;
    return steps.map((step, index) => `${numberOf(start, index)}${step.san}`).join(" ");
  }

  private history(): HTMLElement {
    const { explorer } = this;
    const start = explorer.trail[0]?.fen ?? explorer.fen;
    const steps = explorer.trail.slice(1).map((step, index) => ({
      san: step.san ?? "", mark: null, current: index + 1 === explorer.at, passed: index < explorer.at,
      go: () => explorer.jump(index + 1), reachable: true, back: () => undefined,
    }));
    return h("section", {},
      h("h2", {}, "Your moves", h("span", { class: "count" }, steps.length || "none yet")),
      steps.length > 0 && h("div", { class: "row" },
        h("button", { type: "button", class: "small", "data-name": "undo", disabled: explorer.at === 0, onclick: () => explorer.undo() }, "Undo"),
        h("button", { type: "button", class: "small", "data-name": "redo", disabled: explorer.at >= explorer.trail.length - 1, onclick: () => explorer.redo() }, "Redo"),
        h("button", { type: "button", class: "small", "data-name": "start", disabled: explorer.at === 0, onclick: () => explorer.jump(0) }, "To the start"),
      ),
      steps.length > 0 && h("div", { class: "strip", tabindex: 0, role: "group", "aria-label": "Your moves" }, ...this.strip(start, steps)),
    );
  }

  private strip(start: string, steps: { san: string; mark: string | null; current: boolean; passed: boolean; reachable: boolean; go: () => void; back: () => void }[]): HTMLElement[] {
    return steps.map((step, index) => {
      const [sign, meaning] = (step.mark && MARKS[step.mark]) || ["", ""];
      const number = numberOf(start, index);
      return h("span", { class: "ply" },
        number && h("span", { class: "number" }, number),
        h("button", {
          type: "button", class: `step ${step.passed ? "passed" : ""}`, "aria-current": step.current ? "step" : null,
          title: meaning || null, "aria-label": meaning ? `${step.san}, ${meaning}` : null,
          onclick: step.reachable ? step.go : step.back,
        }, step.san, sign && h("span", { class: "mark" }, sign)),
      );
    });
  }
}

/** The number before a move: "3." for White, "3…" for Black's first. */
function numberOf(start: string, index: number): string {
  const fields = start.split(" ");
  const black = fields[1] === "b" ? 1 : 0;
  const first = Number.parseInt(fields[5] ?? "1", 10) || 1;
  const ply = index + black;
  if (ply % 2 === 0) return `${first + ply / 2}.\u00a0`;
  return index === 0 ? `${first}…\u00a0` : "";
}
