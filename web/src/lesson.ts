// A lesson: the page defends perfectly and judges each move of the learner.
import { api, type Metric, type Reply, sentence } from "./api";
import { announce } from "./dom";
import type { Explorer, Trainer } from "./explorer";
import { partsOf } from "./fen";

export interface Remark {
  sentence: string;
  keeps: boolean;
  reply: string | null;
}

export class Lesson implements Trainer {
  start = "";
  remarks: Remark[] = [];
  busy = false;
  stopped = false;
  problem: string | null = null;
  /** What the learner was told about the best move. */
  hint: string | null = null;
  private played: string[] = [];
  private end: string | null = null;

  /** Under the clock the judge counts by DTZ, else by DTM. */
  constructor(
    private readonly explorer: Explorer,
    private readonly clock: boolean,
    private readonly changed: () => void,
  ) {}

  get over(): boolean {
    return this.end !== null;
  }

  get saying(): string {
    const last = this.remarks[this.remarks.length - 1];
    if (this.end) return this.end;
    if (!last) return "Your move.";
    return last.reply ? `${last.sentence} ${last.reply} is the answer.` : last.sentence;
  }

  /** The position is on the board, seen by the side to move. */
  async begin(fen: string): Promise<void> {
    const { explorer } = this;
    explorer.edit(false);
    explorer.trainer = this;
    await explorer.start(fen);
    this.start = explorer.fen;
    explorer.flipped = explorer.turn === "b";
    explorer.changed();
    this.changed();
    announce("Training begins. Your move.");
  }

  play(uci: string): void {
    if (!this.busy && !this.over) void this.exchange(uci);
  }

  private get metric(): Metric {
    return this.explorer.game === "chess" && this.clock ? "dtz" : "dtm";
  }

  /** The learner's move is made, judged and answered; if the server does not, it is taken back. */
  private async exchange(uci: string): Promise<void> {
    const { explorer, start: fen, metric } = this;
    this.busy = true;
    this.hint = null;
    const at = explorer.at;
    await explorer.make(uci);
    try {
      const played = [...this.played, uci];
      const play = played.join(",");
      const answer = await api.reply({ game: explorer.game, fen, play, metric });
      if (this.stopped) return;
      this.played = answer.reply ? [...played, answer.reply.uci] : played;
      this.judge(answer);
      if (answer.reply) await explorer.make(answer.reply.uci);
    } catch (error) {
      this.problem = sentence(error);
      explorer.jump(at);
    }
    this.busy = false;
    this.changed();
  }

  private judge({ judgement, reply, end }: Reply): void {
    this.problem = null;
    this.end = end;
    const answered = reply ? `The answer is ${reply.san}.` : "";
    if (judgement) {
      const { sentence, keeps } = judgement;
      this.remarks = [...this.remarks, { sentence, keeps, reply: reply?.san ?? null }];
    }
    announce([judgement?.sentence, answered, end].filter(Boolean).join(" "));
    this.changed();
  }

  /** The learner's last move and the answer to it are taken back. */
  undo(): void {
    if (this.busy || this.played.length === 0) return;
    const plies = this.played.length % 2 === 0 ? 2 : 1;
    this.played = this.played.slice(0, -plies);
    this.remarks = this.remarks.slice(0, -1);
    this.end = this.hint = null;
    this.explorer.jump(this.explorer.at - plies);
    this.changed();
  }

  /** First the man, then the move. */
  giveHint(): void {
    const move = this.explorer.answer?.moves[0];
    if (!move) return;
    if (this.hint) this.explorer.point(move.uci);
    this.hint = this.hint ? `Try ${move.san}.` : `Look at the man on ${partsOf(move.uci).from}.`;
    this.changed();
    announce(this.hint);
  }

  stop(): void {
    if (this.stopped) return;
    this.stopped = true;
    this.explorer.trainer = null;
    this.explorer.pointed = null;
    this.changed();
  }
}
