// Training: the page defends perfectly and judges each move.
import { api, type Game, type Metric, type Reply, sentence } from "./api";
import { announce, byId, fill, h } from "./dom";
import type { Explorer, Trainer } from "./explorer";
import { partsOf } from "./fen";
import { builtMaterials, materialBox } from "./materials";
import { choice } from "./verdict";
import { counted } from "./words";

type Kind = "won" | "drawn";

interface Remark {
  san: string;
  sentence: string;
  keeps: boolean;
  reply: string | null;
}

const LENGTHS = [["1", "short", "up to 10 moves"], ["2", "middle", "11 to 25 moves"], ["3", "long", "more than 25 moves"], ["0", "any", ""]] as const;
type Length = (typeof LENGTHS)[number][0];
const RANGES: Record<Length, { min?: number; max?: number }> = { "0": {}, "1": { min: 3, max: 20 }, "2": { min: 21, max: 50 }, "3": { min: 51 } };

export class TrainPanel implements Trainer {
  private game: Game | null = null;
  private names: string[] = [];
  private material = "";
  /** The endgame on the board that the box named last. */
  private followed = "";
  private kind: Kind = "won";
  private length: Length = "1";
  private clock = true;
  private start = "";
  private played: string[] = [];
  private remarks: Remark[] = [];
  private end: string | null = null;
  private problem: string | null = null;
  private busy = false;
  private hint = 0;
  private running = false;

  constructor(private readonly explorer: Explorer) {}

  render(): void {
    const { explorer } = this;
    if (explorer.tab !== "train" || !explorer.answer || explorer.pending || this.running) return;
    const { game, material } = explorer;
    if (material && material !== this.followed) {
      this.followed = this.material = material;
      this.draw();
    }
    if (this.game === game) return;
    this.game = game;
    this.draw();
    builtMaterials(game).then((names) => {
      this.names = names;
      this.draw();
    }, () => undefined);
  }

  private draw(): void {
    const host = byId("panel-train");
    const focused = host.contains(document.activeElement) ? document.activeElement?.id : null;
    fill(host, ...(this.running ? [this.lesson()] : [this.choices()]));
    if (focused) document.getElementById(focused)?.focus();
  }

  private choices(): HTMLElement {
    const chess = this.explorer.game === "chess";
    const set = (change: Partial<Record<"kind" | "length", string>>) => { Object.assign(this, change); this.draw(); };
    return h("section", {},
      h("h2", {}, "Train against perfect defence"),
      h("form", { class: "find-form", onsubmit: (event) => { event.preventDefault(); void this.begin(); } },
        materialBox("train-material", this.material, this.names, (value) => (this.material = value)),
        choice<Kind>("Task", [["won", "win it"], ["drawn", "hold the draw"]], this.kind, (kind) => set({ kind })),
        this.kind === "won" && choice<Length>("Length", LENGTHS, this.length, (length) => set({ length })),
        chess && h("label", { class: "check" }, h("input", { type: "checkbox", id: "train-clock", checked: this.clock, onchange: (event) => (this.clock = (event.target as HTMLInputElement).checked) }), "50-move clock"),
        h("button", { type: "submit", class: "small primary", id: "train-start" }, "Start"),
        h("button", { type: "button", class: "small", onclick: () => void this.from(this.explorer.fen) }, "From this position")),
      this.problem && h("p", { class: "problem", role: "alert" }, this.problem),
      h("p", { class: "note" }, "You play the side to move. The verdict, the moves and the line are hidden until you stop."),
    );
  }

  private async begin(): Promise<void> {
    const { material, kind } = this;
    const range = kind === "won" ? RANGES[this.length] : {};
    try {
      const found = await api.random({ material, kind, metric: "dtm", ...range });
      await this.from(found.fen);
    } catch (error) {
      this.problem = sentence(error);
      this.draw();
    }
  }

  private async from(fen: string): Promise<void> {
    Object.assign(this, { start: fen, played: [], remarks: [], end: null, problem: null, hint: 0, running: true });
    const { explorer } = this;
    explorer.edit(false);
    explorer.trainer = this;
    await explorer.start(fen);
    this.start = explorer.fen;
    explorer.flipped = explorer.turn === "b";
    explorer.changed();
    this.draw();
    announce("Training begins. Your move.");
  }

  get saying(): string {
    const last = this.remarks[this.remarks.length - 1];
    return this.end ?? (last ? `${last.sentence}${last.reply ? ` ${last.reply} is the answer.` : ""}` : "Your move.");
  }

  /** Under the clock the judge counts by DTZ, else by DTM. */
  private get metric(): Metric {
    return this.explorer.game === "chess" && this.clock ? "dtz" : "dtm";
  }

  play(uci: string): void {
    if (!this.busy && !this.end) void this.exchange(uci);
  }

  private async exchange(uci: string): Promise<void> {
    const { explorer } = this;
    this.busy = true;
    this.hint = 0;
    explorer.pointed = null;
    await explorer.make(uci);
    const played = [...this.played, uci];
    try {
      const answer = await api.reply({ game: explorer.game, fen: this.start, play: played.join(","), metric: this.metric });
      if (explorer.trainer !== this) return;
      this.played = answer.reply ? [...played, answer.reply.uci] : played;
      this.judge(answer);
      if (answer.reply) await explorer.make(answer.reply.uci);
    } catch (error) {
      this.problem = sentence(error);
      explorer.jump(explorer.at - 1);
    }
    this.busy = false;
    this.draw();
  }

  private judge({ judgement, reply, end }: Reply): void {
    this.problem = null;
    this.end = end;
    if (judgement) this.remarks = [...this.remarks, { ...judgement, reply: reply?.san ?? null }];
    announce([judgement?.sentence, reply ? `The answer is ${reply.san}.` : "", end ?? ""].join(" "));
    this.draw();
  }

  /** The learner's last move and the answer to it are taken back. */
  undo(): void {
    if (this.busy || this.played.length === 0) return;
    const plies = this.played.length % 2 === 0 ? 2 : 1;
    this.played = this.played.slice(0, -plies);
    this.remarks = this.remarks.slice(0, -1);
    this.end = null;
    this.explorer.jump(this.explorer.at - plies);
    this.draw();
  }

  stop(): void {
    if (!this.running) return;
    this.running = false;
    this.explorer.trainer = null;
    this.explorer.pointed = null;
    this.draw();
  }

  private giveHint(): void {
    const move = this.explorer.answer?.moves[0];
    if (!move) return;
    this.hint = Math.min(2, this.hint + 1);
    if (this.hint === 2) this.explorer.point(move.uci);
    this.draw();
    announce(this.hintText() ?? "");
  }

  private hintText(): string | null {
    const move = this.explorer.answer?.moves[0];
    if (!move || this.hint === 0) return null;
    return this.hint === 1 ? `Look at the man on ${partsOf(move.uci).from}.` : `Try ${move.san}.`;
  }

  private lesson(): HTMLElement {
    const kept = this.remarks.filter((remark) => remark.keeps).length;
    const over = this.end !== null;
    const button = (id: string, label: string, act: () => void, off = false) =>
      h("button", { type: "button", class: "small", id, disabled: off, onclick: act }, label);
    const hint = this.hintText();
    return h("section", {},
      h("h2", {}, over ? "The lesson is over" : this.busy ? "The answer comes …" : "Your move",
        this.remarks.length > 0 && h("span", { class: "count" }, `${kept} of ${counted(this.remarks.length, "move")} kept the ${this.kind === "won" ? "win" : "draw"}`)),
      h("div", { class: "row" },
        button("train-hint", "Hint", () => this.giveHint(), over || this.busy),
        button("train-undo", "Take back", () => this.undo(), this.busy || this.played.length === 0),
        button("train-again", "Again", () => void this.from(this.start)),
        button("train-next", "Another", () => void this.begin()),
        button("train-stop", "Stop", () => { this.stop(); this.explorer.changed(); })),
      hint && h("p", {}, hint),
      this.problem && h("p", { class: "problem", role: "alert" }, this.problem),
      over && h("p", { class: "end" }, this.end),
      h("ol", { class: "remarks" }, ...[...this.remarks].reverse().map((remark) =>
        h("li", { class: remark.keeps ? "" : "slip" },
          h("span", { class: "chip", "data-letter": remark.keeps ? "W" : "L" }, remark.keeps ? "kept" : "slip"), " ",
          remark.sentence, remark.reply && h("span", { class: "muted" }, ` Answer: ${remark.reply}.`)))),
    );
  }
}
