// Best moves at a steady pace: while the space bar is held, or until it is stopped.
import type { Explorer } from "./explorer";

const PACE = 450;

export class Autoplay {
  private timer = 0;

  constructor(private readonly explorer: Explorer) {
    explorer.listen(() => {
      if (this.running && !explorer.busy) explorer.lookAhead();
    });
  }

  get running(): boolean {
    return this.timer !== 0;
  }

  /** One move now, and one at each beat. */
  start(): void {
    if (this.running) return;
    this.timer = window.setInterval(() => this.beat(), PACE);
    this.beat();
  }

  stop(): void {
    if (!this.running) return;
    clearInterval(this.timer);
    this.timer = 0;
    this.explorer.changed();
  }

  toggle(): void {
    if (this.running) this.stop();
    else this.start();
  }

  private beat(): void {
    const { explorer } = this;
    if (explorer.busy) return;
    if (!explorer.answer?.moves.length || explorer.problem || explorer.mode === "edit")
      return this.stop();
    explorer.best();
  }
}
