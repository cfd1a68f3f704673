// The board that is seen and touched. Only this file knows chessgroundx.
import { Chessground } from "chessgroundx";
import type { Api } from "chessgroundx/api";
import type { DrawBrushes } from "chessgroundx/draw";
import { type Color, type Key, type Letter as CgLetter, Notation } from "chessgroundx/types";
import { roleOf } from "chessgroundx/util";
import type { Game, Turn } from "./api";
import {
  boardOf,
  type Letter,
  type Men,
  partsOf,
  rankOf,
  SIZES,
  type Square,
  squareAt,
  turnOf,
} from "./fen";

export interface Scene {
  game: Game;
  men: Men;
  turn: Turn;
  check: boolean;
  last: string | null;
  /** The squares that each man may go to. */
  targets: Map<Square, Square[]>;
  flipped: boolean;
  editing: boolean;
  arrow: string | null;
}

export interface BoardEvents {
  moved(from: Square, to: Square): void;
  arranged(men: Men): void;
  /** A square was touched while a spare man is chosen: true if that was all. */
  stamped(square: Square): boolean;
}

const BRUSHES = { arrow: { key: "arrow", color: "#1f5a80", opacity: 1, lineWidth: 9 } };
const COLORS: Record<Turn, Color> = { w: "white", b: "black" };

// The tenth rank is a colon there, the sign after 9.
const keyOf = (square: Square): Key =>
  (square[0] + String.fromCharCode(49 + rankOf(square))) as Key;
const squareOf = (key: Key): Square => squareAt(key.charCodeAt(0) - 97, key.charCodeAt(1) - 49);

/** The classes of a man, as the style sheet of the pieces knows them. */
export const classesOf = (letter: Letter): string =>
  `${COLORS[turnOf(letter)]} ${roleOf(letter as CgLetter)}`;

export class Board {
  private ground: Api | null = null;
  private game: Game | null = null;
  private scene: Scene | null = null;

  constructor(
    private readonly host: HTMLElement,
    private readonly events: BoardEvents,
  ) {
    for (const kind of ["mousedown", "touchstart"] as const)
      host.addEventListener(kind, (event) => this.intercept(event), {
        capture: true,
        passive: false,
      });
  }

  /** The board shows the scene. */
  show(scene: Scene): void {
    this.scene = scene;
    const ground = scene.game === this.game && this.ground ? this.ground : this.create(scene.game);
    const color = COLORS[scene.turn];
    ground.set({
      fen: boardOf(scene.men, scene.game),
      orientation: scene.flipped ? "black" : "white",
      turnColor: color,
      check: scene.check,
      ...(scene.last ? { lastMove: this.keysOf(scene.last) } : { lastMove: [] }),
      movable: {
        free: scene.editing,
        color: scene.editing ? "both" : color,
        dests: new Map([...scene.targets].map(([from, to]) => [keyOf(from), to.map(keyOf)])),
      },
      draggable: { deleteOnDropOff: scene.editing },
    });
    ground.setAutoShapes(scene.arrow ? [this.arrowOf(scene.arrow)] : []);
  }

  /** The man on the square is picked up, as if it was tapped; null puts it down. */
  select(square: Square | null): void {
    if (square) this.ground?.selectSquare(keyOf(square));
    else this.ground?.unselect();
    this.ground?.redrawAll();
  }

  /** The square at a point of the window. */
  squareAt(x: number, y: number): Square | null {
    // The board may have been moved by a longer sentence above it.
    this.ground?.state.dom.bounds.clear();
    const key = this.ground?.getKeyAtDomPos([x, y]);
    return key ? squareOf(key) : null;
  }

  private create(game: Game): Api {
    this.ground?.destroy();
    this.game = game;
    const { files, ranks } = SIZES[game];
    this.host.className = `board ${game}`;
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.ground = Chessground(this.host, {
      dimensions: { width: files, height: ranks },
      notation: game === "chess" ? Notation.ALGEBRAIC : Notation.XIANGQI_ARBNUM,
      coordinates: true,
      addDimensionsCssVarsTo: this.host.parentElement ?? this.host,
      autoCastle: false,
      animation: { enabled: !calm, duration: calm ? 0 : 180 },
      premovable: { enabled: false },
      drawable: {
        enabled: false,
        visible: true,
        brushes: { ...BRUSHES } as unknown as DrawBrushes,
      },
      movable: { showDests: true, events: { after: (from, to) => this.moved(from, to) } },
      events: { change: () => this.rearranged() },
    });
    return this.ground;
  }

  private moved(from: Key, to: Key): void {
    if (!this.scene?.editing) this.events.moved(squareOf(from), squareOf(to));
  }

  private rearranged(): void {
    const ground = this.ground;
    if (!this.scene?.editing || !ground) return;
    const men: Men = new Map();
    for (const [key, piece] of ground.state.boardState.pieces) {
      if (key === "a0") continue;
      const letter = piece.role[0] ?? "";
      men.set(squareOf(key), piece.color === "white" ? letter.toUpperCase() : letter);
    }
    this.events.arranged(men);
  }

  /** Touching an empty square scrolls the page, unless a man is picked up or a spare one chosen. */
  private intercept(event: MouseEvent | TouchEvent): void {
    const point = event instanceof MouseEvent ? event : event.touches[0];
    if (!point || !this.scene || (event instanceof MouseEvent && event.button !== 0)) return;
    const square = this.squareAt(point.clientX, point.clientY);
    if (!square) return;
    if (this.scene.editing && this.events.stamped(square)) {
      event.stopPropagation();
      event.preventDefault();
      return;
    }
    const idle = !this.ground?.state.selectable.selected && !this.scene.men.has(square);
    if (idle && event.type === "touchstart") event.stopPropagation();
  }

  private keysOf(uci: string): Key[] {
    const { from, to } = partsOf(uci);
    return [keyOf(from), keyOf(to)];
  }

  private arrowOf(uci: string) {
    const [orig, dest] = this.keysOf(uci);
    return { orig: orig as Key, dest: dest as Key, brush: "arrow" };
  }
}
