// The board for the keyboard and for readers of the screen: a grid of squares with roving focus.
import { fill, h } from "./dom";
import { fileOf, manName, rankOf, SIZES, type Square, squareAt } from "./fen";
import type { Scene } from "./board";

export interface GridEvents {
  /** Enter on a square. */
  activated(square: Square): void;
  cancelled(): void;
  /** Another key on a square: true if it meant something. */
  typed(square: Square, key: string): boolean;
}

const ARROWS: Record<string, [number, number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, 1],
  ArrowDown: [0, -1],
};

export class Grid {
  /** The square that has the focus when the grid has it. */
  private current: Square | null = null;
  private cells = new Map<Square, HTMLElement>();
  private shape = "";
  private scene: Scene | null = null;

  constructor(
    private readonly host: HTMLElement,
    private readonly events: GridEvents,
  ) {
    host.addEventListener("keydown", (event) => this.key(event));
    host.addEventListener("focusin", (event) => this.entered(event.target));
  }

  /** Every square says what stands on it; `picked` is the one whose man is picked up. */
  show(scene: Scene, picked: Square | null): void {
    this.scene = scene;
    const shape = `${scene.game} ${scene.flipped}`;
    if (shape !== this.shape) this.create(scene, shape);
    const targets = new Set(picked ? scene.targets.get(picked) : []);
    for (const [square, cell] of this.cells) {
      const man = scene.men.get(square);
      const parts = [square, man ? manName(scene.game, man) : "empty"];
      if (square === picked) parts.push("picked up");
      if (targets.has(square)) parts.push("possible target");
      cell.setAttribute("aria-label", parts.join(", "));
      cell.setAttribute("aria-selected", String(square === picked));
    }
  }

  private create(scene: Scene, shape: string): void {
    const { files, ranks } = SIZES[scene.game];
    const focused = this.host.contains(document.activeElement);
    this.shape = shape;
    this.cells.clear();
    if (!this.current || fileOf(this.current) >= files || rankOf(this.current) >= ranks)
      this.current = "a1";
    const order = (n: number, reverse: boolean) =>
      Array.from({ length: n }, (_, i) => (reverse ? n - 1 - i : i));
    const rows = order(ranks, !scene.flipped).map((rank) =>
      h(
        "div",
        { role: "row" },
        ...order(files, scene.flipped).map((file) => this.cell(squareAt(file, rank))),
      ),
    );
    fill(this.host, ...rows);
    if (focused) this.cells.get(this.current)?.focus();
  }

  private cell(square: Square): HTMLElement {
    const cell = h("div", {
      role: "gridcell",
      tabindex: square === this.current ? 0 : -1,
      "data-square": square,
      onclick: () => this.events.activated(square),
    });
    this.cells.set(square, cell);
    return cell;
  }

  private entered(target: EventTarget | null): void {
    const square = target instanceof HTMLElement ? target.dataset.square : undefined;
    if (!square || square === this.current) return;
    if (this.current) this.cells.get(this.current)?.setAttribute("tabindex", "-1");
    this.current = square;
    this.cells.get(square)?.setAttribute("tabindex", "0");
  }

  private key(event: KeyboardEvent): void {
    if (!this.current || event.ctrlKey || event.metaKey || event.altKey) return;
    const step = ARROWS[event.key];
    if (step) this.step(...step);
    else if (event.key === "Home" || event.key === "End") this.edge(event.key === "Home");
    else if (event.key === "Enter") this.events.activated(this.current);
    else if (event.key === "Escape") this.events.cancelled();
    else if (!this.events.typed(this.current, event.key)) return;
    event.preventDefault();
    event.stopPropagation();
  }

  private step(right: number, up: number): void {
    if (!this.current || !this.scene) return;
    const sign = this.scene.flipped ? -1 : 1;
    const square = squareAt(fileOf(this.current) + sign * right, rankOf(this.current) + sign * up);
    this.cells.get(square)?.focus();
  }

  private edge(first: boolean): void {
    if (!this.current || !this.scene) return;
    const last = SIZES[this.scene.game].files - 1;
    this.cells
      .get(squareAt(first !== this.scene.flipped ? 0 : last, rankOf(this.current)))
      ?.focus();
  }
}
