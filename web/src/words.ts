// Values as people read them.
import type { Answer, Facts, Game, Metric, Move, Turn } from "./api";
import { other, sideName } from "./fen";

export type Unit = "moves" | "plies";

export const GOAL: Record<Metric, string> = { dtm: "mate", dtc: "conversion", dtz: "zeroing" };

export const METRICS: Record<Game, Metric[]> = {
  chess: ["dtm", "dtc", "dtz"],
  xiangqi: ["dtm", "dtc"],
};

/** The winner's moves within so many plies. */
export const movesOf = (plies: number): number => Math.ceil(Math.abs(plies) / 2);

export const counted = (n: number, one: string, many = `${one}s`): string =>
  `${n.toLocaleString("en")} ${n === 1 ? one : many}`;

const plies = (n: number) => counted(Math.abs(n), "ply", "plies");
const moves = (n: number) => counted(movesOf(n), "move");

/** The distance without its unit. */
export const figure = (n: number | null, unit: Unit): string =>
  n === null ? "–" : String(unit === "plies" ? Math.abs(n) : movesOf(n));

/** The distance by both units, the chosen one first. */
export const distance = (n: number, unit: Unit): string =>
  unit === "plies" ? `${plies(n)}, ${moves(n)}` : `${moves(n)}, ${plies(n)}`;

/** A distance of a position: ours, or the DTZ of a Syzygy file; null for a draw or unknown. */
export function distanceOf({ exact, dtz, source }: Facts, metric: Metric): number | null {
  return metric === "dtz" && source === "syzygy" ? dtz || null : exact[metric];
}

/** The value of a move to the side that makes it, this move included; null for a draw or unknown. */
export function worth(move: Move, metric: Metric): number | null {
  const { outcome } = move.exact;
  if (outcome === null || outcome === "draw") return null;
  const sign = outcome === "loss" ? 1 : -1;
  if ((metric === "dtc" && move.conversion) || (metric === "dtz" && move.zeroing)) return sign;
  const after = distanceOf(move, metric);
  return after === null ? null : sign * (Math.abs(after) + 1);
}

export type Letter = "W" | "D" | "L" | "?";

export interface Verdict {
  /** The outcome for the side to move. */
  letter: Letter;
  chip: string;
  /** Drawn by the 50-move rule alone. */
  cursed: boolean;
  text: string;
  /** What the 50-move rule says; null where it says nothing. */
  note: string | null;
}

const CHIPS: Record<string, [Letter, string]> = {
  win: ["W", "Win"],
  "maybe-win": ["W", "Maybe win"],
  "cursed-win": ["W", "Cursed win"],
  draw: ["D", "Draw"],
  "blessed-loss": ["L", "Blessed loss"],
  "maybe-loss": ["L", "Maybe loss"],
  loss: ["L", "Loss"],
};

function distances(answer: Answer, unit: Unit, first: Metric): string {
  const order: Metric[] = [first, ...(["dtm", "dtc", "dtz"] as const).filter((m) => m !== first)];
  const known = order.filter((metric) => distanceOf(answer, metric) !== null);
  return known
    .map((metric, index) => {
      const n = distanceOf(answer, metric) ?? 0;
      return `${GOAL[metric]} in ${index === 0 ? distance(n, unit) : figure(n, unit)}`;
    })
    .join("; ");
}

function ending(answer: Answer): string | null {
  const { game, turn } = answer.position;
  const winner = sideName(game, other(turn));
  const loser = sideName(game, turn);
  if (answer.checkmate) return `Checkmate: ${winner} has won.`;
  if (answer.stalemate)
    return game === "xiangqi" ? `${loser} has no move: ${winner} has won.` : `Stalemate: a draw.`;
  if (answer.insufficient_material) return "Draw: neither side can ever mate.";
  return null;
}

function sentenceOf(answer: Answer, unit: Unit, metric: Metric): string {
  const over = ending(answer);
  if (over) return over;
  const { game, turn } = answer.position;
  const outcome = answer.exact.outcome;
  if (outcome === "draw") return `Draw${only(answer, "holds", ": ") || " with best play"}.`;
  if (outcome === null) return unknown(answer);
  const winner: Turn = outcome === "win" ? turn : other(turn);
  const how = distances(answer, unit, metric);
  return `${sideName(game, winner)} wins${how ? `: ${how}` : ""}${outcome === "win" ? only(answer, "wins", "; ") : ""}.`;
}

/** Says which move is the only one that keeps the outcome, among several. */
function only({ moves, category }: Answer, verb: string, before: string): string {
  const kept = category === "draw" ? "draw" : "loss";
  const keeping = moves.filter((move) => move.category === kept);
  return moves.length > 1 && keeping.length === 1 ? `${before}only ${keeping[0]?.san} ${verb}` : "";
}

function unknown(answer: Answer): string {
  const { game, turn } = answer.position;
  const side = sideName(game, turn);
  if (answer.category === "win" || answer.category === "cursed-win")
    return `${side} wins: its best move leads into a known endgame.`;
  if (answer.category === "draw") return `${side} has a move that draws; more is not known.`;
  if (answer.category === "unknown") return "Not known: no table has this position.";
  return `${sideName(game, other(turn))} wins against every known move.`;
}

function rule50(answer: Answer): string | null {
  const { outcome50, clock } = answer.exact;
  const dtz = distanceOf(answer, "dtz");
  if (answer.category.startsWith("maybe-") && answer.source === "syzygy" && clock > 0)
    return `Syzygy files leave open whether the 50-move rule makes it a draw, with ${clock} on the clock.`;
  if (dtz === null || !outcome50 || answer.position.game !== "chess") return null;
  const sum = `${plies(dtz)} to zeroing and ${clock} on the clock are ${Math.abs(dtz) + clock}`;
  if (answer.source === "syzygy" && Math.abs(dtz) > 100) return "The 50-move rule makes it a draw.";
  if (outcome50 === "cursed win" || outcome50 === "blessed loss")
    return `The 50-move rule makes it a draw: ${sum}, more than 100.`;
  return clock > 0 && outcome50 !== "draw"
    ? `The 50-move rule allows it: ${sum}, at most 100.`
    : null;
}

/** Who says so, where it is not our tables alone; null otherwise. */
export function sourceOf(answer: Answer): string | null {
  if (answer.source !== "syzygy") return null;
  const rounded = distanceOf(answer, "dtz") === null ? "" : "; DTZ may be one ply more";
  const ours = METRICS.chess.filter((m) => m !== "dtz" && answer.exact[m] !== null);
  const others = ours.length
    ? `, ${ours.map((m) => m.toUpperCase()).join(" and ")} of our tables`
    : "";
  return `Source: Syzygy files${others}${rounded}.`;
}

/** What is to be said of a position; the distance by the chosen metric comes first. */
export function verdictOf(answer: Answer, unit: Unit, metric: Metric): Verdict {
  const over = answer.checkmate || (answer.stalemate && answer.position.game === "xiangqi");
  const category = over ? "loss" : answer.category;
  const [letter, chip] = CHIPS[category] ?? ["?", "Unknown"];
  const cursed = category === "cursed-win" || category === "blessed-loss";
  return { letter, chip, cursed, text: sentenceOf(answer, unit, metric), note: rule50(answer) };
}

export interface Group {
  category: string;
  title: string;
  letter: Letter;
  cursed: boolean;
  moves: Move[];
}

/** Categories of the position after a move, the best for the mover first. */
const GROUPS: [string, string, Letter, boolean][] = [
  ["loss", "Winning", "W", false],
  ["syzygy-loss", "Winning", "W", false],
  ["maybe-loss", "Perhaps winning", "W", false],
  ["blessed-loss", "Winning, drawn by the 50-move rule", "W", true],
  ["draw", "Drawing", "D", false],
  ["unknown", "Not known", "?", false],
  ["cursed-win", "Losing, drawn by the 50-move rule", "L", true],
  ["maybe-win", "Perhaps losing", "L", false],
  ["syzygy-win", "Losing", "L", false],
  ["win", "Losing", "L", false],
];

/** The moves by category, in the order in which the server ranked them. */
export const groupsOf = (moves: Move[]): Group[] =>
  GROUPS.map(([category, title, letter, cursed]) => ({
    category,
    title,
    letter,
    cursed,
    moves: moves.filter((move) => move.category === category),
  })).filter((group) => group.moves.length > 0);

const UNITS = ["B", "kB", "MB", "GB", "TB"];

/** A number of bytes with three figures. */
export function bytes(n: number): string {
  let power = 0;
  for (; n >= 1000 && power < UNITS.length - 1; power++) n /= 1000;
  return `${power === 0 ? n : n.toPrecision(3)} ${UNITS[power]}`;
}

/** A time to wait, roughly. */
export function duration(seconds: number): string {
  if (seconds < 1.5) return "1 s";
  if (seconds < 90) return `${Math.round(seconds)} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  return `${Math.round(seconds / 3600)} h`;
}

/** A share of positions. */
export const share = (part: number, whole: number): string =>
  whole === 0 ? "–" : `${((100 * part) / whole).toFixed(1)} %`;
