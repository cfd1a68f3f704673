// Spare men and the tools that arrange a position.
import { classesOf } from "./board";
import type { Board } from "./board";
import { drag } from "./dragging";
import { announce, byId, fill, h } from "./dom";
import type { Explorer } from "./explorer";
import {
  fieldsOf,
  LETTERS,
  type Letter,
  manName,
  menOf,
  type Men,
  mirrored,
  shifted,
  sideName,
  type Square,
  swapped,
  turnedOver,
  other,
} from "./fen";
import type { Icon } from "./icons";
import { tool } from "./parts";

type Brush = Letter | "bin" | null;

/** An icon, a name, and what it makes of the men; null if that is not possible. */
type Arrangement = [Icon, string, (men: Men) => Men | null];

export class Editor {
  private brush: Brush = null;
  private drawn = "";
  board: Board | null = null;

  constructor(private readonly explorer: Explorer) {}

  render(): void {
    const { explorer } = this;
    const host = byId("spares");
    const editing = explorer.mode === "edit";
    host.hidden = !editing;
    if (!editing) this.brush = null;
    const state = `${explorer.game} ${String(this.brush)} ${explorer.turn} ${editing}`;
    if (state === this.drawn) return;
    this.drawn = state;
    const focused = host.contains(document.activeElement)
      ? document.activeElement?.getAttribute("data-tool")
      : null;
    fill(host, this.men(), this.toolbar());
    if (focused) host.querySelector<HTMLElement>(`[data-tool="${focused}"]`)?.focus();
  }

  /** The chosen spare man is on the square, or the square is empty; false if none is chosen. */
  stamp(square: Square): boolean {
    if (this.brush === null) return false;
    const same = menOf(this.explorer.fen).get(square) === this.brush;
    this.put(square, this.brush === "bin" || same ? null : this.brush);
    return true;
  }

  /** The square has this man, or none. A side has one king: another one moves there. */
  put(square: Square, letter: Letter | null): void {
    const { explorer } = this;
    const men = menOf(explorer.fen);
    if (letter?.toLowerCase() === "k")
      for (const [from, man] of men) if (man === letter) men.delete(from);
    if (letter) men.set(square, letter);
    else men.delete(square);
    announce(letter ? `${manName(explorer.game, letter)} on ${square}.` : `${square} is empty.`);
    explorer.arrange(men);
  }

  private choose(brush: Brush): void {
    this.brush = this.brush === brush ? null : brush;
    const name =
      this.brush === "bin"
        ? "The bin"
        : this.brush
          ? manName(this.explorer.game, this.brush)
          : null;
    announce(name ? `${name} is chosen: choose squares.` : "No spare man is chosen.");
    this.render();
  }

  private men(): HTMLElement {
    const { game } = this.explorer;
    const letters = [...LETTERS[game]].flatMap((letter) => [letter, letter.toLowerCase()]);
    return h(
      "div",
      { class: `spares ${game}`, role: "group", "aria-label": "Spare men" },
      ...letters.map((letter) => this.spare(letter)),
    );
  }

  private spare(letter: Letter): HTMLElement {
    const button = h(
      "button",
      {
        type: "button",
        class: "spare",
        "data-tool": letter,
        "aria-label": manName(this.explorer.game, letter),
        "aria-pressed": String(this.brush === letter),
        onclick: () => this.choose(letter),
      },
      h("span", { class: `man ${classesOf(letter)}` }),
    );
    const drop = (x: number, y: number) => {
      const square = this.board?.squareAt(x, y);
      if (square) this.put(square, letter);
    };
    button.addEventListener("pointerdown", (event) =>
      drag(event, button, this.explorer.game, letter, drop),
    );
    return button;
  }

  private toolbar(): HTMLElement {
    const { explorer } = this;
    const { game } = explorer;
    const chosen = (picture: Icon, label: string, brush: Brush) =>
      tool(picture, label, () => this.choose(brush), {
        "data-tool": label,
        "aria-pressed": String(this.brush === brush),
      });
    const arranged = ([picture, label, arrange]: Arrangement) =>
      tool(picture, label, () => this.arrange(arrange), { "data-tool": label });
    const swap = () => explorer.arrange(swapped(menOf(explorer.fen), game), other(explorer.turn));
    return h(
      "div",
      { class: "edit-tools", role: "group", "aria-label": "Arrange" },
      chosen("hand", "Move men", null),
      chosen("bin", "Delete men", "bin"),
      tool("swap", "Swap colours", swap, { "data-tool": "swap" }),
      ...this.arrangements().map(arranged),
    );
  }

  private arrangements(): Arrangement[] {
    const { game } = this.explorer;
    return [
      ["clear", "Clear the board", () => new Map()],
      ["mirror", "Mirror: left and right", (men) => mirrored(men, game)],
      ["turnover", "Mirror: top and bottom", (men) => turnedOver(men, game)],
      ["left", "Shift to the left", (men) => this.shift(men, -1, 0)],
      ["right", "Shift to the right", (men) => this.shift(men, 1, 0)],
      ["up", "Shift up", (men) => this.shift(men, 0, 1)],
      ["down", "Shift down", (men) => this.shift(men, 0, -1)],
    ];
  }

  private arrange(arrange: (men: Men) => Men | null): void {
    const men = arrange(menOf(this.explorer.fen));
    if (men) this.explorer.arrange(men);
    else announce("A man would leave the board.");
  }

  private shift(men: Men, files: number, ranks: number): Men | null {
    const sign = this.explorer.flipped ? -1 : 1;
    return shifted(men, this.explorer.game, sign * files, sign * ranks);
  }
}

/** The switch of the side to move, and the half-move clock. */
export function renderTurn(explorer: Explorer): void {
  const turn = explorer.answer?.position.turn ?? fieldsOf(explorer.fen).turn;
  const button = byId("turn");
  button.setAttribute(
    "aria-label",
    `${sideName(explorer.game, turn)} to move. Change the side to move`,
  );
  button.dataset.turn = turn;
  byId("turn-name").textContent = `${sideName(explorer.game, turn)} to move`;
  byId("clock-field").hidden = explorer.game !== "chess";
  const clock = byId("clock") as HTMLInputElement;
  if (document.activeElement !== clock) clock.value = String(fieldsOf(explorer.fen).clock);
}
