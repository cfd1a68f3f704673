// The address of the page: ?fen=...&metric=...&game=...#tab, and what the browser keeps with it.
import type { Game, Metric } from "./api";
import { gameOf, START } from "./fen";
import { METRICS } from "./words";

export const TABS = ["moves", "line", "endgame", "find", "train"] as const;
export type Tab = (typeof TABS)[number] | "index";

/** A position that was reached, and the move that led to it. */
export interface Step {
  fen: string;
  uci: string | null;
  san: string | null;
}

export interface Place {
  game: Game;
  fen: string;
  metric: Metric;
  tab: Tab;
  trail: Step[];
  at: number;
}

interface Kept {
  trail: Step[];
  at: number;
}

const isTab = (text: string): text is Tab => text === "index" || TABS.some((tab) => tab === text);

function keptWith(fen: string): Kept {
  const state = history.state as Partial<Kept> | null;
  const trail = state?.trail;
  const at = state?.at;
  if (Array.isArray(trail) && typeof at === "number" && trail[at]?.fen === fen)
    return { trail, at };
  return { trail: [{ fen, uci: null, san: null }], at: 0 };
}

/** What the address says. A FEN decides the game; without one, `game` does. */
export function readPlace(): Place {
  const query = new URLSearchParams(location.search);
  const asked = query.get("fen")?.replaceAll("_", " ").trim();
  const game: Game = asked ? gameOf(asked) : query.get("game") === "xiangqi" ? "xiangqi" : "chess";
  const fen = asked || START[game];
  const metric = METRICS[game].find((m) => m === query.get("metric")) ?? "dtm";
  const hash = location.hash.slice(1);
  return { game, fen, metric, tab: isTab(hash) ? hash : "line", ...keptWith(fen) };
}

/** The address of a place, relative to the page. */
export function addressOf({ game, fen, metric, tab }: Omit<Place, "trail" | "at">): string {
  const board = encodeURIComponent(fen.replaceAll(" ", "_")).replaceAll("%2F", "/");
  return `?fen=${board}&metric=${metric}&game=${game}#${tab}`;
}

/** The address is that of the place; `push` makes a new entry for the back button. */
export function writePlace(place: Place, push: boolean): void {
  const { trail, at } = place;
  const write = push ? history.pushState : history.replaceState;
  write.call(history, { trail, at } satisfies Kept, "", addressOf(place));
}
