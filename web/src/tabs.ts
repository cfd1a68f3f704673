// The panels, of which one is seen. On a narrow page the moves are one of them.
import { byId, fill, h } from "./dom";
import type { Explorer } from "./explorer";
import { type Tab, TABS } from "./location";

const TITLES = {
  moves: "Moves",
  line: "Line",
  endgame: "Endgame",
  find: "Find",
  train: "Train",
} as const;
const WIDE = matchMedia("(min-width: 900px)");

/** The panel that is seen: on a wide page the moves are always seen, beside another panel. */
export const panelOf = (explorer: Explorer) =>
  explorer.tab === "index"
    ? null
    : WIDE.matches && explorer.tab === "moves"
      ? "line"
      : explorer.tab;

export function bindTabs(explorer: Explorer): void {
  const lead = (id: string, act: () => void) =>
    byId(id).addEventListener("click", (event) => {
      event.preventDefault();
      act();
    });
  let last: Tab = "line";
  lead("to-index", () => {
    if (explorer.tab !== "index") last = explorer.tab;
    explorer.show("index", true);
  });
  lead("to-explorer", () => explorer.show(explorer.tab === "index" ? last : explorer.tab, true));
  lead("skip", () => byId("grid").querySelector<HTMLElement>("[tabindex='0']")?.focus());
  WIDE.addEventListener("change", () => explorer.changed());
  const host = byId("tabs");
  fill(
    host,
    ...TABS.map((tab) =>
      h(
        "button",
        {
          type: "button",
          role: "tab",
          id: `tab-${tab}`,
          "data-tab": tab,
          "aria-controls": tab === "moves" ? "moves" : `panel-${tab}`,
          onclick: () => explorer.show(tab),
        },
        TITLES[tab],
      ),
    ),
  );
  host.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step) return;
    const tabs = TABS.filter((tab) => !(WIDE.matches && tab === "moves"));
    const index = tabs.findIndex((tab) => tab === panelOf(explorer));
    const next = tabs[(index + step + tabs.length) % tabs.length];
    if (next) {
      explorer.show(next);
      byId(`tab-${next}`).focus();
    }
    event.preventDefault();
    event.stopPropagation();
  });
}

export function renderTabs(explorer: Explorer): void {
  const index = explorer.tab === "index";
  byId("explorer").hidden = index;
  byId("index").hidden = !index;
  byId("to-index").toggleAttribute("aria-current", index);
  byId("to-explorer").toggleAttribute("aria-current", !index);
  const shown = panelOf(explorer);
  for (const tab of TABS) {
    const button = byId(`tab-${tab}`);
    button.setAttribute("aria-selected", String(tab === shown));
    button.tabIndex = tab === shown ? 0 : -1;
    if (tab !== "moves") byId(`panel-${tab}`).hidden = tab !== shown;
  }
  byId("moves").classList.toggle("chosen", shown === "moves");
}
