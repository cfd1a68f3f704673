// The help: the keys, and what the words mean.
import { byId, fill, h } from "./dom";
import { icon } from "./icons";

const KEYS: [string, string][] = [
  ["Space", "the best move; hold it to go on at a steady pace"],
  ["← →", "undo, redo"],
  ["f", "flip the board"],
  ["e", "edit, or play again"],
  ["x", "the other side is to move"],
  ["/", "to the FEN box"],
  ["m", "to the box that takes a move"],
  ["1 2 3", "DTM, DTC, DTZ"],
  ["?", "this help"],
];

const BOARD: [string, string][] = [
  ["Arrows", "move over the board, when it has the focus"],
  ["Enter", "picks a man up, and drops it"],
  ["Escape", "puts it back"],
  ["K q P …", "in edit mode, puts a man on the square: a capital is White (Red)"],
  ["Delete", "in edit mode, removes the man"],
];

const WORDS: [string, string][] = [
  ["DTM", "distance to mate"],
  ["DTC", "distance to conversion (capture or promotion) or mate"],
  ["DTZ", "distance to zeroing (capture or pawn move) or mate, under the 50-move rule"],
  ["ply", "a move of one side; distances in moves count those of the winner"],
  ["cursed win", "a win that the 50-move rule makes a draw; for the other side a blessed loss"],
  ["zugzwang", "each side would rather not be to move"],
];

const list = (rows: [string, string][], tag: "kbd" | "b") =>
  h(
    "dl",
    {},
    ...rows.flatMap(([term, text]) => [h("dt", {}, h(tag, {}, term)), h("dd", {}, text)]),
  );

/** The help is open. */
export function openHelp(): void {
  const dialog = byId("help") as HTMLDialogElement;
  if (!dialog.firstChild)
    fill(
      dialog,
      h(
        "div",
        { class: "row" },
        h("h2", { id: "help-title" }, "Keys and words"),
        h("span", { class: "grow" }),
        h(
          "button",
          { type: "button", class: "tool", "aria-label": "Close", onclick: () => dialog.close() },
          icon("clear"),
        ),
      ),
      h("h3", {}, "Keys"),
      list(KEYS, "kbd"),
      h("h3", {}, "On the board"),
      list(BOARD, "kbd"),
      h("h3", {}, "Words"),
      list(WORDS, "b"),
    );
  dialog.onclick = (event) => {
    if (event.target === dialog) dialog.close();
  };
  dialog.showModal();
}
