// The board with its two faces (one for pointers, one for the keyboard), and the box for a move.
import { Board, classesOf, type Scene } from "./board";
import { announce, byId, fill, h } from "./dom";
import type { Editor } from "./editor";
import type { Explorer } from "./explorer";
import {
  fieldsOf,
  LETTERS,
  type Letter,
  manName,
  menOf,
  type Men,
  partsOf,
  type Square,
  turnOf,
} from "./fen";
import { Grid } from "./grid";

export class BoardArea {
  readonly board: Board;
  private readonly grid: Grid;
  private picked: Square | null = null;
  private scene: Scene | null = null;

  constructor(
    private readonly explorer: Explorer,
    private readonly editor: Editor,
  ) {
    this.board = new Board(byId("board"), {
      moved: (from, to) => this.move(from, to),
      arranged: (men) => explorer.arrange(men),
      stamped: (square) => editor.stamp(square),
    });
    this.grid = new Grid(byId("grid"), {
      activated: (square) => this.activate(square),
      cancelled: () => this.pick(null),
      typed: (square, key) => this.type(square, key),
    });
    byId("move-form").addEventListener("submit", (event) => this.read(event));
  }

  render(): void {
    const scene = this.sceneOf();
    if (this.picked && !scene.men.has(this.picked)) this.picked = null;
    this.scene = scene;
    this.board.show(scene);
    this.grid.show(scene, this.picked);
    byId("board-frame").dataset.game = scene.game;
    byId("board-frame").setAttribute("aria-busy", String(this.explorer.busy));
  }

  private sceneOf(): Scene {
    const { explorer } = this;
    const { answer, pending, game, flipped, pointed } = explorer;
    const editing = explorer.mode === "edit";
    const targets = new Map<Square, Square[]>();
    if (!editing && !pending)
      for (const { uci } of answer?.moves ?? []) {
        const { from, to } = partsOf(uci);
        targets.set(from, [...(targets.get(from) ?? []), to]);
      }
    return {
      game,
      flipped,
      editing,
      targets,
      men: pending ? displaced(menOf(explorer.fen, game), pending) : menOf(explorer.fen, game),
      turn: fieldsOf(explorer.fen).turn,
      check: !pending && (answer?.position.check ?? false),
      last: pending ?? explorer.trail[explorer.at]?.uci ?? null,
      arrow: pointed,
    };
  }

  private activate(square: Square): void {
    const { scene } = this;
    if (!scene) return;
    if (scene.editing) return this.arrangeWith(square, scene);
    const { picked } = this;
    if (picked && scene.targets.get(picked)?.includes(square)) {
      this.pick(null);
      this.move(picked, square);
    } else if (picked === square) this.pick(null);
    else if (scene.targets.has(square)) this.pick(square);
    else announce(scene.men.has(square) ? "This man has no move." : "No man here.");
  }

  private arrangeWith(square: Square, scene: Scene): void {
    const { picked } = this;
    if (this.editor.stamp(square)) return;
    if (picked && picked !== square) {
      const men = new Map(scene.men);
      const man = men.get(picked);
      men.delete(picked);
      if (man) men.set(square, man);
      this.pick(null);
      this.explorer.arrange(men);
    } else this.pick(picked || !scene.men.has(square) ? null : square);
  }

  private pick(square: Square | null): void {
    const man = square ? this.scene?.men.get(square) : undefined;
    const targets = square ? (this.scene?.targets.get(square)?.length ?? 0) : 0;
    if (man)
      announce(
        `${manName(this.explorer.game, man)} picked up${targets ? `, ${targets} targets` : ""}.`,
      );
    else if (this.picked) announce("Put down.");
    this.picked = square;
    this.board.select(square);
    if (this.scene) this.grid.show(this.scene, square);
  }

  /** In edit mode a letter puts a man, and Delete removes one. */
  private type(square: Square, key: string): boolean {
    const { scene, explorer } = this;
    if (!scene?.editing) return false;
    if (key === "Delete" || key === "Backspace") {
      this.editor.put(square, null);
      return true;
    }
    if (key.length !== 1 || !LETTERS[explorer.game].includes(key.toUpperCase())) return false;
    this.editor.put(square, key);
    return true;
  }

  private move(from: Square, to: Square): void {
    const moves = (this.explorer.answer?.moves ?? []).filter((move) => {
      const parts = partsOf(move.uci);
      return parts.from === from && parts.to === to;
    });
    const [first] = moves;
    if (moves.length > 1) this.choosePromotion(moves.map((move) => move.uci));
    else if (first) this.explorer.play(first.uci);
    else this.render();
  }

  private choosePromotion(ucis: string[]): void {
    const { game } = this.explorer;
    const dialog = byId("promotion") as HTMLDialogElement;
    const white = fieldsOf(this.explorer.fen).turn === "w";
    const order = (uci: string) => LETTERS[game].toLowerCase().indexOf(partsOf(uci).promotion);
    const buttons = [...ucis]
      .sort((a, b) => order(a) - order(b))
      .map((uci) => {
        const small = partsOf(uci).promotion;
        const letter: Letter = white ? small.toUpperCase() : small;
        return h(
          "button",
          {
            type: "button",
            class: "spare",
            "aria-label": manName(game, letter),
            onclick: () => {
              dialog.close();
              this.explorer.play(uci);
            },
          },
          h("span", { class: `man ${classesOf(letter)}` }),
        );
      });
    fill(
      dialog,
      h("p", { id: "promotion-title" }, "Promote to"),
      h("div", { class: `chess spares` }, ...buttons),
    );
    dialog.onclose = () => this.render();
    dialog.showModal();
  }

  private read(event: Event): void {
    event.preventDefault();
    const input = byId("move-text") as HTMLInputElement;
    const message = byId("move-message");
    const text = input.value.trim();
    if (!text) return;
    const uci = this.named(text);
    message.textContent = uci ? "" : `No legal move here is called “${text}”.`;
    input.setAttribute("aria-invalid", String(!uci));
    if (!uci) return;
    input.value = "";
    this.explorer.play(uci);
  }

  /** The move that a text names, in coordinates or as the list writes it. */
  private named(text: string): string | null {
    const { answer, game } = this.explorer;
    const moves = answer?.moves ?? [];
    const plain = (t: string) =>
      game === "xiangqi"
        ? t.toUpperCase().replaceAll("=", ".")
        : t.replace(/[+#x=:\s!?]/g, "").replaceAll("0", "O");
    const wanted = plain(text);
    const exact = moves.filter((m) => m.uci === text.toLowerCase() || plain(m.san) === wanted);
    const loose = moves.filter((m) => plain(m.san).toLowerCase() === wanted.toLowerCase());
    const found = exact.length ? exact : loose;
    return found.length === 1 ? (found[0]?.uci ?? null) : null;
  }
}

/** The men after the man of a move was put on its target. */
function displaced(men: Men, uci: string): Men {
  const { from, to, promotion } = partsOf(uci);
  const man = men.get(from);
  if (!man) return men;
  men.delete(from);
  men.set(to, promotion ? (turnOf(man) === "w" ? promotion.toUpperCase() : promotion) : man);
  return men;
}
