// The HTTP API: the shapes of its answers, and one function for each question.

export type Game = "chess" | "xiangqi";
export type Metric = "dtm" | "dtc" | "dtz";
export type Turn = "w" | "b";
export type Outcome = "win" | "draw" | "loss";
export type Outcome50 = Outcome | "cursed win" | "blessed loss";

/** Our tables, or Syzygy files, whose distances may be a ply short. */
export type Source = "unmove" | "syzygy";

/** Signed plies seen by the side to move; null for a draw or what is not known. */
export interface Exact {
  outcome: Outcome | null;
  outcome50: Outcome50 | null;
  dtm: number | null;
  dtc: number | null;
  dtz: number | null;
  clock: number;
}

export interface Facts {
  checkmate: boolean;
  stalemate: boolean;
  insufficient_material: boolean;
  category: string;
  /** As lichess's server tells it: 0 for a draw, above 100 where the 50-move rule draws. */
  dtz: number | null;
  /** Where the outcome and DTZ are from; null if nothing is known. */
  source: Source | null;
  exact: Exact;
}

/** A legal move. Its facts are those of the position after it, seen by the opponent. */
export interface Move extends Facts {
  uci: string;
  san: string;
  zeroing: boolean;
  conversion: boolean;
}

export interface Missing {
  material: string;
  metric: Metric;
  command: string;
}

export interface Answer extends Facts {
  moves: Move[];
  position: {
    fen: string;
    game: Game;
    material: string | null;
    men: number;
    turn: Turn;
    check: boolean;
    metrics: Metric[];
  };
  missing: Missing[];
  rules?: string;
}

export interface LineStep {
  uci: string;
  san: string;
  fen: string;
  dtm: number | null;
  dtc: number | null;
  dtz: number | null;
  mark: "forced" | "only" | "best" | null;
}

export interface Mainline {
  mainline: LineStep[];
  winner: Turn | null;
  metric: Metric;
  complete: boolean;
  ended: string;
}

export interface Reply {
  judgement: {
    uci: string;
    san: string;
    keeps: boolean;
    mark: string | null;
    sentence: string;
  } | null;
  reply: { uci: string; san: string } | null;
  end: string | null;
  fen: string;
  turn: Turn;
  check: boolean;
}

export interface Table {
  source: Source;
  material: string;
  game: Game;
  metric: Metric;
  men: number;
  bytes: number;
  longest: number | null;
}

export interface Endgame {
  material: string;
  men: number;
  built: Metric[];
  bytes: number;
  longest: number | null;
  wins: number | null;
  estimate: { seconds: number; memory: number; disk: number } | null;
  command: string;
}

type Counts = Record<"legal" | "win" | "draw" | "loss", number>;
type ByTurn<T> = Record<"wtm" | "btm", T>;
export type Histogram = ByTurn<Record<"win" | "loss", Record<string, number>>>;

export interface Statistics {
  exact: {
    material: string;
    men: number;
    counted: string;
    counts: ByTurn<Counts>;
    longest: Partial<Record<Metric, Record<string, string | null>>>;
    histogram: Partial<Record<Metric, Histogram>>;
  };
  dependencies: string[];
  files: { metric: Metric; bytes: number; positions: number }[];
}

export interface Found {
  fen: string;
  comment: string;
}

export interface Search {
  positions: Found[];
  count: number | null;
  more: boolean;
  hint: string | null;
}

export interface Zugzwangs {
  positions: Found[];
  full: number | null;
  white: number | null;
  black: number | null;
  counted: string;
  more: boolean;
}

/** The server said no; the message is its sentence. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

type Parameters = Record<string, string | number | null | undefined>;

/** The address of a question, relative to the page, so that it works from a sub-path. */
export function address(path: string, parameters: Parameters = {}): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters))
    if (value !== null && value !== undefined && value !== "") query.set(name, String(value));
  const text = query.toString();
  return text ? `${path}?${text}` : path;
}

const wait = (seconds: number) => new Promise((done) => setTimeout(done, seconds * 1000));

async function response(url: string, signal?: AbortSignal): Promise<Response> {
  let answer: Response;
  for (let attempt = 0; ; attempt++) {
    try {
      answer = await fetch(url, signal ? { signal } : {});
    } catch (error) {
      if (signal?.aborted) throw error;
      throw new Refusal(0, "The server does not answer. Is it running?");
    }
    const pause = Number(answer.headers.get("retry-after") ?? 1);
    if (answer.status !== 429 || attempt === 3 || pause > 5) break;
    await wait(pause);
  }
  if (!answer.ok) {
    const sentence = (await answer.text()).trim();
    throw new Refusal(
      answer.status,
      sentence || `The server answered with status ${answer.status}.`,
    );
  }
  return answer;
}

async function ask<T>(path: string, parameters: Parameters, signal?: AbortSignal): Promise<T> {
  return (await response(address(path, parameters), signal)).json() as Promise<T>;
}

const ROUTE: Record<Game, string> = { chess: "standard", xiangqi: "xiangqi" };

export interface Question {
  game: Game;
  fen: string;
  metric: Metric;
  play?: string;
}

export const api = {
  position: ({ game, ...rest }: Question, signal?: AbortSignal) =>
    ask<Answer>(ROUTE[game], { ...rest }, signal),
  mainline: ({ game, ...rest }: Question, signal?: AbortSignal) =>
    ask<Mainline>(`${ROUTE[game]}/mainline`, { ...rest }, signal),
  reply: ({ game, ...rest }: Question, signal?: AbortSignal) =>
    ask<Reply>(`${ROUTE[game]}/reply`, { ...rest }, signal),
  pgn: async (fen: string, metric: Metric) =>
    (await response(address("line.pgn", { fen, metric }))).text(),
  tables: (signal?: AbortSignal) => ask<Table[]>("tables", {}, signal),
  endgames: (game: Game, men: number, signal?: AbortSignal) =>
    ask<Endgame[]>("endgames", { game, men }, signal),
  statistics: (material: string, signal?: AbortSignal) =>
    ask<Statistics>(`stats/${encodeURIComponent(material)}.json`, {}, signal),
  find: (parameters: Parameters, signal?: AbortSignal) => ask<Search>("find", parameters, signal),
  zugzwangs: (parameters: Parameters, signal?: AbortSignal) =>
    ask<Zugzwangs>("zugzwangs", parameters, signal),
  random: (parameters: Parameters, signal?: AbortSignal) =>
    ask<Found>("random", parameters, signal),
};

/** A refusal as a sentence; lichess's words for an illegal position have no capital and no stop. */
const spelled = (text: string): string =>
  text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? "" : ".");

/** What to show for a failure; null for a question that was given up. */
export function sentence(error: unknown): string | null {
  if (error instanceof Refusal) return spelled(error.message);
  if (error instanceof DOMException && error.name === "AbortError") return null;
  return error instanceof SyntaxError ? "The server's answer cannot be read." : String(error);
}
