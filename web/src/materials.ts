// The endgames that are built, for the boxes in which one is chosen.
import { api, type Game, type Table } from "./api";
import { h } from "./dom";
import { box, suggestions } from "./parts";

let asked: Promise<Table[]> | null = null;

/** The names of built endgames of a game, small ones first. */
export async function builtMaterials(game: Game): Promise<string[]> {
  asked ??= api.tables();
  asked.catch(() => (asked = null));
  const tables = (await asked).filter(
    (table) => table.source === "unmove" && table.game === game && table.men > 2,
  );
  tables.sort((a, b) => a.men - b.men || a.material.localeCompare(b.material));
  return [...new Set(tables.map((table) => table.material))];
}

/** A box with suggestions; what is typed need not be one of them. */
export function materialBox(
  id: string,
  value: string,
  names: string[],
  input: (value: string) => void,
): HTMLElement {
  const list = `${id}-names`;
  const field = box(id, "Endgame", input, { value, list, size: 14, maxlength: 40 });
  return h("span", {}, field, suggestions(list, names));
}
