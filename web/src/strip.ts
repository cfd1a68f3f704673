// Moves in a row with their numbers, each a button.
import { h } from "./dom";

export interface StripStep {
  san: string;
  mark: string | null;
  /** Whether the position after it is on the board. */
  current: boolean;
  passed: boolean;
  go: () => void;
}

const MARKS: Record<string, readonly [string, string]> = {
  only: ["□", "the only move that keeps the outcome"],
  best: ["!", "others keep it, but are slower"],
  forced: ["°", "the only legal move"],
};

/** The number before a move: "3." for White, "3…" for Black's first. */
export function numberOf(start: string, index: number): string {
  const fields = start.split(" ");
  const black = fields[1] === "b" ? 1 : 0;
  const first = Number.parseInt(fields[5] ?? "1", 10) || 1;
  const ply = index + black;
  if (ply % 2 === 0) return `${first + ply / 2}.\u00a0`;
  return index === 0 ? `${first}…\u00a0` : "";
}

/** The strip of moves from a position. */
export function strip(label: string, start: string, steps: StripStep[]): HTMLElement {
  const plies = steps.map((step, index) => {
    const number = numberOf(start, index);
    return h(
      "span",
      { class: "ply" },
      number && h("span", { class: "number" }, number),
      stepOf(step),
    );
  });
  return h("div", { class: "strip", tabindex: 0, role: "group", "aria-label": label }, ...plies);
}

function stepOf({ san, mark, current, passed, go }: StripStep): HTMLElement {
  const [sign, meaning] = MARKS[mark ?? ""] ?? ["", ""];
  return h(
    "button",
    {
      type: "button",
      class: `step ${passed ? "passed" : ""}`,
      "aria-current": current ? "step" : null,
      title: meaning || null,
      onclick: go,
    },
    san,
    sign && h("span", { class: "mark", "aria-hidden": "true" }, sign),
    meaning && h("span", { class: "unseen" }, `, ${meaning}`),
  );
}

/** The move that is on the board is in sight. */
export function showCurrent(host: HTMLElement): void {
  for (const strip of host.querySelectorAll(".strip")) {
    const current = strip.querySelector<HTMLElement>("[aria-current]");
    if (current) strip.scrollTop = current.offsetTop - strip.clientHeight / 2;
  }
}
