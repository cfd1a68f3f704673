// Keys that work everywhere but where somebody types.
import type { Metric } from "./api";
import type { Autoplay } from "./autoplay";
import { byId } from "./dom";
import type { Explorer } from "./explorer";
import { openHelp } from "./help";

const METRIC_KEYS: Record<string, Metric> = { "1": "dtm", "2": "dtc", "3": "dtz" };

const typing = (target: EventTarget | null) =>
  target instanceof HTMLElement && target.closest("input, textarea, select, dialog[open]") !== null;
/** Space presses what has the focus, so it is not ours there. */
const pressable = (target: EventTarget | null) =>
  target instanceof HTMLElement && target.closest("button, a, summary, [role=tab]") !== null;

function focus(id: string): void {
  const input = byId(id) as HTMLInputElement;
  input.focus();
  input.select();
}

/** The keys do what the help says. */
export function bindKeys(explorer: Explorer, autoplay: Autoplay): void {
  const acts: Record<string, () => void> = {
    ArrowLeft: () => explorer.undo(),
    ArrowRight: () => explorer.redo(),
    f: () => explorer.flip(),
    e: () => explorer.edit(),
    x: () => explorer.pass(),
    "/": () => focus("fen"),
    m: () => focus("move-text"),
    "?": () => openHelp(),
  };
  document.addEventListener("pointerdown", (event) => {
    const target = event.target instanceof Element ? event.target : null;
    if (!target?.closest("[data-value=auto]")) autoplay.stop();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== " " && event.key !== "Enter") autoplay.stop();
    if (event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return;
    if (explorer.tab === "index" && event.key !== "?") return;
    if (event.key === " ") {
      if (pressable(event.target)) return;
      event.preventDefault();
      if (!event.repeat) autoplay.start();
      return;
    }
    const metric = METRIC_KEYS[event.key];
    if (metric) explorer.choose(metric);
    const act = acts[event.key];
    if (act) {
      event.preventDefault();
      act();
    }
  });
  document.addEventListener("keyup", (event) => {
    if (event.key === " " && !pressable(event.target)) autoplay.stop();
  });
  // A button that was clicked does not keep the focus, so that the space bar stays the best move.
  document.addEventListener("click", (event) => {
    const button =
      event.detail > 0 && event.target instanceof Element ? event.target.closest("button") : null;
    if (button && !button.closest("dialog")) button.blur();
  });
}
