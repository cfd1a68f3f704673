// Small boards in lists: each opens its position.
import type { Found } from "./api";
import { classesOf } from "./board";
import { h } from "./dom";
import type { Explorer } from "./explorer";
import { fileOf, gameOf, menOf, rankOf, SIZES } from "./fen";

/** A small picture of a position. */
export function miniature(fen: string): HTMLElement {
  const game = gameOf(fen);
  const { files, ranks } = SIZES[game];
  const board = h("span", { class: `mini ${game}`, "aria-hidden": "true" });
  for (const [square, letter] of menOf(fen, game)) {
    const man = h("span", { class: `man ${classesOf(letter)}` });
    man.style.left = `${(100 * fileOf(square)) / files}%`;
    man.style.top = `${(100 * (ranks - 1 - rankOf(square))) / ranks}%`;
    board.append(man);
  }
  return board;
}

/** A list of small boards with a sentence below each. */
export function cards(explorer: Explorer, found: Found[]): HTMLElement {
  return h(
    "ul",
    { class: "cards" },
    ...found.map(({ fen, comment }) =>
      h(
        "li",
        {},
        h(
          "button",
          { type: "button", class: "card", title: fen, onclick: () => void explorer.open(fen) },
          miniature(fen),
          h("span", { class: "comment" }, comment),
        ),
      ),
    ),
  );
}
