// Spare men and the tools that arrange a position.
import { classesOf } from "./board";
import type { Board } from "./board";
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
import { type Icon, icon } from "./icons";

type Brush = Letter | "bin" | null;

interface Tool {
  icon: Icon;
  label: string;
  act: (men: Men) => Men | null;
}

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
    button.addEventListener("pointerdown", (event) => this.drag(event, letter, button));
    return button;
  }

  /** A spare man follows the pointer, and is put where the pointer lets it go. */
  private drag(start: PointerEvent, letter: Letter, button: HTMLElement): void {
    if (start.button !== 0) return;
    const ghost = h("span", { class: `man floating ${classesOf(letter)}` });
    const side = byId("board").clientWidth / (this.explorer.game === "chess" ? 8 : 9);
    let moving = false;
    const move = (event: PointerEvent) => {
      if (!moving && Math.hypot(event.clientX - start.clientX, event.clientY - start.clientY) < 6)
        return;
      if (!moving) byId("floats").replaceChildren(ghost);
      moving = true;
      byId("floats").className = this.explorer.game;
      ghost.style.width = ghost.style.height = `${side}px`;
      ghost.style.transform = `translate(${event.clientX - side / 2}px, ${event.clientY - side / 2}px)`;
    };
    const end = (event: PointerEvent) => {
      button.removeEventListener("pointermove", move);
      button.removeEventListener("pointerup", end);
      button.removeEventListener("pointercancel", end);
      ghost.remove();
      if (!moving) return;
      button.addEventListener("click", (click) => click.stopImmediatePropagation(), {
        capture: true,
        once: true,
      });
      const square =
        event.type === "pointerup" ? this.board?.squareAt(event.clientX, event.clientY) : null;
      if (square) this.put(square, letter);
    };
    button.setPointerCapture(start.pointerId);
    button.addEventListener("pointermove", move);
    button.addEventListener("pointerup", end);
    button.addEventListener("pointercancel", end);
  }

  private toolbar(): HTMLElement {
    const { explorer } = this;
    const { game } = explorer;
    const choose = (name: string, picture: Icon, brush: Brush) =>
      h(
        "button",
        {
          type: "button",
          class: "tool",
          title: name,
          "aria-label": name,
          "data-tool": name,
          "aria-pressed": String(this.brush === brush),
          onclick: () => this.choose(brush),
        },
        icon(picture),
      );
    const tools: Tool[] = [
      { icon: "clear", label: "Clear the board", act: () => new Map() },
      { icon: "mirror", label: "Mirror: left and right", act: (men) => mirrored(men, game) },
      { icon: "turnover", label: "Mirror: top and bottom", act: (men) => turnedOver(men, game) },
      { icon: "left", label: "Shift to the left", act: (men) => this.shift(men, -1, 0) },
      { icon: "right", label: "Shift to the right", act: (men) => this.shift(men, 1, 0) },
      { icon: "up", label: "Shift up", act: (men) => this.shift(men, 0, 1) },
      { icon: "down", label: "Shift down", act: (men) => this.shift(men, 0, -1) },
    ];
    return h(
      "div",
      { class: "edit-tools", role: "group", "aria-label": "Arrange" },
      choose("Move men", "hand", null),
      choose("Delete men", "bin", "bin"),
      h(
        "button",
        {
          type: "button",
          class: "tool",
          title: "Swap colours",
          "aria-label": "Swap colours",
          "data-tool": "swap",
          onclick: () => explorer.arrange(swapped(menOf(explorer.fen), game), other(explorer.turn)),
        },
        icon("swap"),
      ),
      ...tools.map((tool) =>
        h(
          "button",
          {
            type: "button",
            class: "tool",
            title: tool.label,
            "aria-label": tool.label,
            "data-tool": tool.label,
            onclick: () => {
              const men = tool.act(menOf(explorer.fen));
              if (men) explorer.arrange(men);
              else announce("A man would leave the board.");
            },
          },
          icon(tool.icon),
        ),
      ),
    );
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
