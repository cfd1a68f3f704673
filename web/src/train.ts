// The panel of the training: what to train, and the lesson.
import { api, type Game, sentence, type Turn } from "./api";
import { byId, fill, h } from "./dom";
import type { Explorer } from "./explorer";
import { sideName } from "./fen";
import { Lesson, type Remark } from "./lesson";
import { builtMaterials, materialBox } from "./materials";
import { aside, button, chip, choice, form, note, problem, redraw, section } from "./parts";
import { counted } from "./words";

const KINDS = [
  ["won", "win it"],
  ["drawn", "hold the draw"],
] as const;
type Kind = (typeof KINDS)[number][0];

const LENGTHS = [
  ["short", "short", "up to 10 moves"],
  ["middle", "middle", "11 to 25 moves"],
  ["long", "long", "more than 25 moves"],
  ["any", "any"],
] as const;
type Length = (typeof LENGTHS)[number][0];
/** In plies. A mate in one teaches nothing. */
const RANGES: Record<Length, { min?: number; max?: number }> = {
  short: { min: 3, max: 20 },
  middle: { min: 21, max: 50 },
  long: { min: 51 },
  any: {},
};

export class TrainPanel {
  private game: Game | null = null;
  private names: string[] = [];
  private material = "";
  /** The endgame on the board that the box named last. */
  private followed = "";
  private turn: Turn = "w";
  private kind: Kind = "won";
  private length: Length = "short";
  private clock = true;
  private problem: string | null = null;
  private lesson: Lesson | null = null;

  constructor(private readonly explorer: Explorer) {}

  render(): void {
    const { explorer } = this;
    if (explorer.tab !== "train" || !explorer.answer || explorer.pending || this.lesson) return;
    const { game, material } = explorer;
    const followed = material !== null && material !== this.followed;
    if (followed) this.followed = this.material = material;
    if (followed || this.game !== game) this.draw();
    if (this.game === game) return;
    this.game = game;
    const take = (names: string[]) => {
      this.names = names;
      this.draw();
    };
    builtMaterials(game).then(take, () => undefined);
  }

  private draw(): void {
    const host = byId("panel-train");
    const { lesson } = this;
    redraw(host, () => fill(host, lesson ? this.progress(lesson) : this.choices()));
  }

  private choices(): HTMLElement {
    const { explorer, material, names, kind } = this;
    const sides = (["w", "b"] as const).map(
      (turn) => [turn, sideName(explorer.game, turn)] as const,
    );
    const change = (changes: { turn?: Turn; kind?: Kind; length?: Length }) => {
      Object.assign(this, changes);
      this.draw();
    };
    return section(
      "Train against perfect defence",
      form(
        () => void this.begin(),
        "Start",
        materialBox("train-material", material, names, (value) => (this.material = value)),
        choice<Turn>("You play", sides, this.turn, (turn) => change({ turn })),
        choice<Kind>("Task", KINDS, kind, (value) => change({ kind: value })),
        kind === "won" &&
          choice<Length>("Length", LENGTHS, this.length, (length) => change({ length })),
        explorer.game === "chess" && this.clockBox(),
        button("From this position", () => void this.from(explorer.fen), { id: "train-here" }),
      ),
      this.problem && problem(this.problem),
      note("Verdict, moves and line are hidden until you stop."),
    );
  }

  private clockBox(): HTMLElement {
    const onchange = (event: Event) => (this.clock = (event.target as HTMLInputElement).checked);
    const input = h("input", {
      type: "checkbox",
      id: "train-clock",
      checked: this.clock,
      onchange,
    });
    return h("label", { class: "check" }, input, "50-move clock");
  }

  private async begin(): Promise<void> {
    const { material, kind, turn } = this;
    const range = kind === "won" ? RANGES[this.length] : {};
    try {
      const { fen } = await api.random({ material, kind, turn, metric: "dtm", ...range });
      await this.from(fen);
    } catch (error) {
      this.problem = sentence(error);
      this.draw();
    }
  }

  private async from(fen: string): Promise<void> {
    this.lesson?.stop();
    this.problem = null;
    const lesson = new Lesson(this.explorer, this.clock, () => {
      if (lesson.stopped) this.lesson = null;
      this.draw();
    });
    this.lesson = lesson;
    await lesson.begin(fen);
  }

  private progress(lesson: Lesson): HTMLElement {
    const { remarks, over, busy } = lesson;
    const title = over ? "The lesson is over" : busy ? "The answer comes …" : "Your move";
    const kept = remarks.filter((remark) => remark.keeps).length;
    const score = `${kept} of ${counted(remarks.length, "move")} kept the outcome`;
    const act = (id: string, label: string, f: () => void, disabled = false) =>
      button(label, f, { id: `train-${id}`, disabled });
    return section(
      [title, remarks.length > 0 && aside(score)],
      h(
        "div",
        { class: "row" },
        act("hint", "Hint", () => lesson.giveHint(), over || busy),
        act("undo", "Take back", () => lesson.undo(), busy || remarks.length === 0),
        act("again", "Again", () => void this.from(lesson.start)),
        act("next", "Another", () => void this.begin()),
        act("stop", "Stop", () => this.explorer.leave()),
      ),
      lesson.hint && h("p", {}, lesson.hint),
      (lesson.problem ?? this.problem) && problem(lesson.problem ?? this.problem ?? ""),
      over && h("p", { class: "end" }, lesson.saying),
      h("ol", { class: "remarks" }, ...[...remarks].reverse().map(remarkOf)),
    );
  }
}

const remarkOf = ({ keeps, sentence, reply }: Remark): HTMLElement =>
  h(
    "li",
    { class: keeps ? "" : "slip" },
    keeps ? chip("W", "kept") : chip("L", "slip"),
    ` ${sentence}`,
    reply && h("span", { class: "muted" }, ` Answer: ${reply}.`),
  );
