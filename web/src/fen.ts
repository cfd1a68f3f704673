// Where men stand, as a FEN says it. Nothing here knows how men move.
import type { Game, Turn } from "./api";

/** A square as moves name it: a1 to h8, a1 to i10. */
export type Square = string;
/** The letter of a man in a FEN: upper case for White (Red). */
export type Letter = string;
export type Men = Map<Square, Letter>;

export interface Size {
  files: number;
  ranks: number;
}

export const SIZES: Record<Game, Size> = {
  chess: { files: 8, ranks: 8 },
  xiangqi: { files: 9, ranks: 10 },
};

/** The men of a game in the order in which they are offered. */
export const LETTERS: Record<Game, string> = { chess: "KQRBNP", xiangqi: "KABRNCP" };

const NAMES: Record<Game, Record<string, string>> = {
  chess: { k: "king", q: "queen", r: "rook", b: "bishop", n: "knight", p: "pawn" },
  xiangqi: {
    k: "general",
    a: "advisor",
    b: "elephant",
    r: "chariot",
    n: "horse",
    c: "cannon",
    p: "soldier",
  },
};

/** Letters that other programs write for the same men. */
const ALIASES: Record<string, string> = { e: "b", h: "n" };

export const START: Record<Game, string> = {
  chess: "8/8/8/3k4/8/2r5/8/KQ6 w - - 0 1",
  xiangqi: "5k3/9/5a3/9/3P5/9/9/9/9/5K3 w - - 0 1",
};

export const sideName = (game: Game, turn: Turn): string =>
  turn === "b" ? "Black" : game === "chess" ? "White" : "Red";

export const manName = (game: Game, letter: Letter): string =>
  `${sideName(game, turnOf(letter)).toLowerCase()} ${NAMES[game][letter.toLowerCase()] ?? letter}`;

export const turnOf = (letter: Letter): Turn => (letter === letter.toUpperCase() ? "w" : "b");

export const other = (turn: Turn): Turn => (turn === "w" ? "b" : "w");

export const squareAt = (file: number, rank: number): Square =>
  String.fromCharCode(97 + file) + (rank + 1);

export const fileOf = (square: Square): number => square.charCodeAt(0) - 97;
export const rankOf = (square: Square): number => Number(square.slice(1)) - 1;

/** The two squares of a move in coordinates, and the man it promotes to. */
export function partsOf(uci: string): { from: Square; to: Square; promotion: string } {
  const match = /^([a-i]\d+)([a-i]\d+)([a-z]?)$/.exec(uci);
  return { from: match?.[1] ?? "", to: match?.[2] ?? "", promotion: match?.[3] ?? "" };
}

/** Ten ranks are xiangqi; everything else is chess, and the server says what is wrong with it. */
export const gameOf = (fen: string): Game =>
  (fen.trim().split(/[\s_]/)[0] ?? "").split("/").length === 10 ? "xiangqi" : "chess";

/** The fields of a FEN, with those that are missing. */
export function fieldsOf(fen: string): { board: string; turn: Turn; clock: number } {
  const fields = fen.trim().split(/[\s_]+/);
  return {
    board: fields[0] ?? "",
    turn: fields[1] === "b" ? "b" : "w",
    clock: Number.parseInt(fields[4] ?? "0", 10) || 0,
  };
}

/** The men of a FEN; what cannot be read is left out. */
export function menOf(fen: string, game: Game = gameOf(fen)): Men {
  const men: Men = new Map();
  const { files, ranks } = SIZES[game];
  fieldsOf(fen)
    .board.split("/")
    .slice(0, ranks)
    .forEach((row, index) => {
      let file = 0;
      for (const sign of row) {
        if (/\d/.test(sign)) file += Number(sign);
        else if (file < files) {
          const letter = sign.toLowerCase();
          const known = game === "xiangqi" ? (ALIASES[letter] ?? letter) : letter;
          if (known in NAMES[game])
            men.set(
              squareAt(file, ranks - 1 - index),
              sign === letter ? known : known.toUpperCase(),
            );
          file++;
        }
      }
    });
  return men;
}

/** The first field of a FEN. */
export function boardOf(men: Men, game: Game): string {
  const { files, ranks } = SIZES[game];
  const rows = Array.from({ length: ranks }, (_, index) =>
    Array.from({ length: files }, (_, file) => men.get(squareAt(file, ranks - 1 - index)) ?? "1")
      .join("")
      .replace(/1+/g, (empty) => String(empty.length)),
  );
  return rows.join("/");
}

/** The FEN of men that somebody arranged: no rights, no en passant. */
export const fenOf = (men: Men, game: Game, turn: Turn, clock = 0): string =>
  `${boardOf(men, game)} ${turn} - - ${clock} 1`;

const moved = (men: Men, to: (file: number, rank: number) => [number, number]): Men =>
  new Map([...men].map(([square, man]) => [squareAt(...to(fileOf(square), rankOf(square))), man]));

/** The men on the other wing. */
export const mirrored = (men: Men, game: Game): Men =>
  moved(men, (file, rank) => [SIZES[game].files - 1 - file, rank]);

/** The men on the other half of the board. */
export const turnedOver = (men: Men, game: Game): Men =>
  moved(men, (file, rank) => [file, SIZES[game].ranks - 1 - rank]);

/** All men a step further; null if one would leave the board. */
export function shifted(men: Men, game: Game, files: number, ranks: number): Men | null {
  const size = SIZES[game];
  const inside = [...men.keys()].every((square) => {
    const file = fileOf(square) + files;
    const rank = rankOf(square) + ranks;
    return file >= 0 && rank >= 0 && file < size.files && rank < size.ranks;
  });
  return inside ? moved(men, (file, rank) => [file + files, rank + ranks]) : null;
}

/** White's men are Black's, on the other half of the board, and the reverse. */
export const swapped = (men: Men, game: Game): Men =>
  new Map(
    [...turnedOver(men, game)].map(([square, man]) => [
      square,
      turnOf(man) === "w" ? man.toLowerCase() : man.toUpperCase(),
    ]),
  );
