// The mutual zugzwangs of an endgame, page by page.
import { api, sentence, type Turn, type Zugzwangs } from "./api";
import { cards } from "./cards";
import type { Explorer } from "./explorer";
import { sideName } from "./fen";
import { empty, note, pager, section } from "./parts";

const SIZE = 8;

export class ZugzwangList {
  private material = "";
  private offset = 0;
  private answer: Zugzwangs | null = null;
  private problem: string | null = null;

  constructor(
    private readonly explorer: Explorer,
    private readonly changed: () => void,
  ) {}

  /** Changes when the list does. */
  get state(): string {
    return `${this.material} ${this.answer?.positions[0]?.fen} ${this.problem}`;
  }

  /** A page of an endgame is asked for. */
  load(material: string, offset = 0): void {
    if (material !== this.material) this.answer = null;
    Object.assign(this, { material, offset, problem: null });
    const mine = () => this.material === material && this.offset === offset;
    api
      .zugzwangs({ material, offset, limit: SIZE })
      .then(
        (answer) => mine() && (this.answer = answer),
        (error) => mine() && (this.problem = sentence(error)),
      )
      .then(() => this.changed());
  }

  element(): HTMLElement {
    const title = "Mutual zugzwangs";
    if (this.problem) return section(title, empty(this.problem));
    if (!this.answer) return section(title, empty("Looking for them …"));
    const { offset, material } = this;
    const { positions, more } = this.answer;
    const found = positions.map(({ fen, comment }) => ({
      fen,
      comment: comment.replace(/^mutual zugzwang, /, ""),
    }));
    return section(
      title,
      this.sum(this.answer),
      found.length ? cards(this.explorer, found) : empty("There is none."),
      pager({ offset, shown: found.length, size: SIZE, more }, (next) => this.load(material, next)),
    );
  }

  private sum({ full, white, black, counted }: Zugzwangs): HTMLElement | null {
    if (full === null || white === null || black === null) return null;
    const n = (count: number) => count.toLocaleString("en");
    const cost = (count: number, turn: Turn) =>
      `${n(count)} cost ${sideName(this.explorer.game, turn)} half a point`;
    const parts = [`${n(full)} of a full point`, cost(white, "w"), cost(black, "b")];
    return note(`${n(full + white + black)}: ${parts.join(", ")}. ${counted}`);
  }
}
