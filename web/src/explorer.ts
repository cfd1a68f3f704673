// The state of the page, and everything a visitor can do to it. Panels listen and draw.
import { type Answer, type Game, type LineStep, type Metric, type Question, sentence } from "./api";
import { answerTo, known, prefetch } from "./answers";
import { announce } from "./dom";
import { fieldsOf, fenOf, gameOf, menOf, type Men, other, START } from "./fen";
import { type Place, readPlace, type Step, type Tab, writePlace } from "./location";
import { keep, kept, type Settings } from "./settings";
import { METRICS, verdictOf } from "./words";

/** Takes the moves of the visitor while it trains with them. */
export interface Trainer {
  /** What it said of the last move. */
  readonly saying: string;
  play(uci: string): void;
  undo(): void;
  stop(): void;
}

export class Explorer {
  game: Game = "chess";
  trail: Step[] = [];
  at = 0;
  metric: Metric = "dtm";
  tab: Tab = "line";
  mode: "play" | "edit" = "play";
  flipped = false;
  busy = false;
  /** The answer for the position on the board; null while there is none. */
  answer: Answer | null = null;
  /** The sentence of the last failure. */
  problem: string | null = null;
  trainer: Trainer | null = null;
  settings: Settings = kept();
  /** The move that the visitor looks at: an arrow on the board. */
  pointed: string | null = null;

  /** The move whose answer is awaited: the board shows it already. */
  pending: string | null = null;

  private unedited = true;
  private listeners: (() => void)[] = [];
  private controller = new AbortController();

  get fen(): string {
    return this.trail[this.at]?.fen ?? START[this.game];
  }

  get turn(): "w" | "b" {
    return this.answer?.position.turn ?? fieldsOf(this.fen).turn;
  }

  /** The name of the endgame on the board, as questions about tables write it. */
  get material(): string | null {
    const name = this.answer?.position.material ?? null;
    return name && this.game === "xiangqi" && !name.includes(":") ? `xiangqi:${name}` : name;
  }

  listen(listener: () => void): void {
    this.listeners.push(listener);
  }

  changed(): void {
    for (const listener of this.listeners) listener();
  }

  /** The page shows what its address says: at the start, and after back and forward. */
  restore(): void {
    this.trainer?.stop();
    const place = readPlace();
    const same = this.answer && this.fen === place.fen && this.metric === place.metric;
    const { game, metric, tab, trail, at } = place;
    Object.assign(this, { game, metric, tab, trail, at });
    if (same) return this.changed();
    void this.load({}, (answer) => {
      this.settle(answer);
      this.write(false);
    });
  }

  /** Another position, with a history of its own. */
  open(fen: string, push = true): Promise<void> {
    this.trainer?.stop();
    return this.start(fen, push);
  }

  /** The same for a trainer, which goes on. */
  async start(fen: string, push = true): Promise<void> {
    this.game = gameOf(fen);
    if (!METRICS[this.game].includes(this.metric)) this.metric = "dtm";
    this.trail = [{ fen: fen.trim().replaceAll("_", " "), uci: null, san: null }];
    this.at = 0;
    this.write(push);
    await this.load({}, (answer) => {
      this.settle(answer);
      this.write(false);
    });
  }

  /** A legal move is made, by the visitor or for them. */
  play(uci: string, push = true): void {
    if (this.trainer) this.trainer.play(uci);
    else void this.make(uci, push);
  }

  /** The move is made on the board. */
  async make(uci: string, push = true): Promise<void> {
    const san = this.answer?.moves.find((move) => move.uci === uci)?.san ?? uci;
    await this.load({ play: uci }, (answer) => {
      const step = { fen: answer.position.fen, uci, san };
      this.trail = [...this.trail.slice(0, this.at + 1), step];
      this.at++;
      this.settle(answer);
      this.write(push);
    });
  }

  /** Several moves at once, whose positions are known. */
  follow(steps: LineStep[]): void {
    const made = steps.map(({ fen, uci, san }) => ({ fen, uci, san }));
    this.trail = [...this.trail.slice(0, this.at + 1), ...made];
    this.jump(this.trail.length - 1);
  }

  /** Another position of the trail. */
  jump(at: number): void {
    if (at < 0 || at >= this.trail.length) return;
    this.at = at;
    this.write(true);
    void this.load({}, (answer) => this.settle(answer));
  }

  undo(): void {
    if (this.trainer) this.trainer.undo();
    else this.jump(this.at - 1);
  }

  redo(): void {
    if (!this.trainer) this.jump(this.at + 1);
  }

  /** The best move by the chosen metric is made. */
  best(push = true): void {
    const move = this.answer?.moves[0];
    if (move && !this.busy && !this.trainer && this.mode === "play") this.play(move.uci, push);
  }

  /** The answer after the best move is asked for in advance. */
  lookAhead(): void {
    const move = this.answer?.moves[0];
    if (move) prefetch({ ...this.question, play: move.uci });
  }

  choose(metric: Metric): void {
    if (!METRICS[this.game].includes(metric) || metric === this.metric) return;
    this.metric = metric;
    this.write(false);
    void this.load({}, (answer) => this.settle(answer));
  }

  show(tab: Tab, push = false): void {
    if (tab === this.tab) return;
    this.tab = tab;
    this.write(push);
    this.changed();
  }

  set<K extends keyof Settings>(name: K, value: Settings[K]): void {
    this.settings[name] = value;
    keep(this.settings);
    this.changed();
  }

  flip(): void {
    this.flipped = !this.flipped;
    this.changed();
  }

  /** Arranging men, or playing. */
  edit(on = this.mode === "play"): void {
    if (on) this.trainer?.stop();
    this.mode = on ? "edit" : "play";
    this.unedited = true;
    announce(on ? "Edit mode: arrange the men." : "Play mode.");
    this.changed();
  }

  /** Men that somebody arranged. A first change is a step of the back button, later ones are not. */
  arrange(men: Men, turn = this.turn, clock = fieldsOf(this.fen).clock): void {
    this.trainer?.stop();
    const fen = fenOf(men, this.game, turn, this.game === "chess" ? clock : 0);
    const push = this.mode === "play" || this.unedited;
    this.unedited = false;
    void this.start(fen, push);
  }

  /** The other side is to move. */
  pass(): void {
    this.arrange(menOf(this.fen), other(this.turn));
  }

  /** The training ends, and the page shows what it knows. */
  leave(): void {
    this.trainer?.stop();
    this.changed();
  }

  point(uci: string | null): void {
    if (uci === this.pointed) return;
    this.pointed = uci;
    this.changed();
  }

  get question(): Question {
    return { game: this.game, fen: this.fen, metric: this.metric };
  }

  private get place(): Place {
    const { game, fen, metric, tab, trail, at } = this;
    return { game, fen, metric, tab, trail, at };
  }

  private write(push: boolean): void {
    writePlace(this.place, push);
  }

  /** The answer is that of the position on the board, whose FEN is as the server writes it. */
  private settle(answer: Answer): void {
    this.answer = answer;
    this.game = answer.position.game;
    const step = this.trail[this.at];
    if (step) this.trail[this.at] = { ...step, fen: answer.position.fen };
    if (!this.trainer) {
      const played = step?.san ? `${step.san}. ` : "";
      announce(played + verdictOf(answer, this.settings.unit, this.metric).text);
    }
  }

  /** Asks; a newer question makes this one void. */
  private async load(more: Partial<Question>, settle: (answer: Answer) => void): Promise<void> {
    this.controller.abort();
    const controller = new AbortController();
    this.controller = controller;
    this.pointed = null;
    this.pending = more.play ?? null;
    const question = { ...this.question, ...more };
    const here = known(question);
    this.busy = !here;
    if (!more.play && !here) this.answer = null;
    try {
      if (!here) this.changed();
      const answer = here ?? (await answerTo(question, controller.signal));
      if (controller.signal.aborted) return;
      this.problem = null;
      settle(answer);
    } catch (error) {
      if (controller.signal.aborted) return;
      this.problem = sentence(error);
      if (this.problem) announce(this.problem);
    }
    this.busy = false;
    this.pending = null;
    this.changed();
  }
}
