// The endgames that are built, for the boxes in which one is chosen.
import { api, type Game, type Table } from "./api";
import { h } from "./dom";

let asked: Promise<Table[]> | null = null;

/** The names of built endgames of a game, small ones first. */
export async function builtMaterials(game: Game): Promise<string[]> {
  asked ??= api.tables();
  asked.catch(() => (asked = null));
  const tables = (await asked).filter((table) => table.game === game);
  tables.sort((a, b) => a.men - b.men || a.material.localeCompare(b.material));
  const qualified = tables.map(({ material }) => (game === "xiangqi" && !material.includes(":") ? `xiangqi:${material}` : material));
  return [...new Set(qualified)].filter((name) => !/^(xiangqi:)?KvK$/.test(name));
}

/** A box with suggestions; what is typed need not be one of them. */
export function materialBox(id: string, value: string, names: string[], input: (value: string) => void): HTMLElement {
  return h("span", { class: "field" },
    h("label", { for: id }, "Endgame"),
    h("input", { id, list: `${id}-names`, value, spellcheck: "false", autocomplete: "off", autocapitalize: "off", size: 14, maxlength: 40,
      oninput: (event) => input((event.target as HTMLInputElement).value.trim()) }),
    h("datalist", { id: `${id}-names` }, ...names.map((name) => h("option", { value: name }))),
  );
}
