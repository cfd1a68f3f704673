// A position at random, by kind and distance.
import { api, type Found, sentence } from "./api";
import { h } from "./dom";
import type { Explorer } from "./explorer";
import { box, choice, form, redraw, section } from "./parts";

const KINDS = [
  ["any", "any"],
  ["won", "won"],
  ["drawn", "drawn"],
  ["lost", "lost"],
  ["zugzwang", "zugzwang"],
  ["only", "only move"],
] as const;
type Kind = (typeof KINDS)[number][0];
const NUMBER = { type: "number", min: 0, max: 1000, inputmode: "numeric", class: "short" };

/** A random position is on the board; a refusal is shown where verdicts are. */
export async function openRandom(
  explorer: Explorer,
  parameters: Parameters<typeof api.random>[0],
): Promise<Found | null> {
  try {
    const found = await api.random(parameters);
    await explorer.open(found.fen);
    return found;
  } catch (error) {
    explorer.problem = sentence(error);
    explorer.changed();
    return null;
  }
}

export class RandomForm {
  private kind: Kind = "any";
  private min = "";
  private max = "";
  private comment = "";
  private readonly host = h("section");

  constructor(
    private readonly explorer: Explorer,
    private readonly material: () => string,
  ) {}

  /** The form; it draws itself anew when it changes. */
  element(): HTMLElement {
    this.draw();
    return this.host;
  }

  private draw(): void {
    const range = h(
      "span",
      { class: "field" },
      box("random-min", "from", (value) => (this.min = value), { ...NUMBER, value: this.min }),
      box("random-max", "to", (value) => (this.max = value), { ...NUMBER, value: this.max }),
      h("span", { class: "note" }, "plies"),
    );
    const kinds = choice<Kind>("Kind", KINDS, this.kind, (kind) => {
      this.kind = kind;
      this.draw();
    });
    const { comment } = this;
    const told = h("p", { class: "note", role: "status" }, comment);
    const ask = form(() => void this.ask(), "Random", kinds, range);
    redraw(this.host, () =>
      this.host.replaceChildren(...section("A random position", ask, told).childNodes),
    );
  }

  private async ask(): Promise<void> {
    const { kind, min, max, explorer } = this;
    const material = this.material();
    const found = await openRandom(explorer, { material, kind, metric: explorer.metric, min, max });
    this.comment = found?.comment ?? explorer.problem ?? "";
    this.draw();
  }
}
