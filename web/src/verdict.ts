// The verdict: one sentence, the metric, the unit, what the 50-move rule says, what is missing.
import type { Metric } from "./api";
import { byId, copy, fill, h } from "./dom";
import type { Explorer } from "./explorer";
import { GOAL, METRICS, type Unit, verdictOf } from "./words";

const SHOWN = 2;

/** A row of buttons of which one is pressed. */
export function choice<T extends string>(
  label: string,
  values: readonly (readonly [T, string, string?])[],
  chosen: T,
  choose: (value: T) => void,
): HTMLElement {
  return h("div", { class: "choice", role: "group", "aria-label": label },
    ...values.map(([value, text, title]) =>
      h("button", {
        type: "button", "aria-pressed": String(value === chosen), title, "data-value": value,
        onclick: () => choose(value),
      }, text),
    ),
  );
}

/** The outcome as a letter in a field that also has a pattern, so that colour is never alone. */
export const chip = (letter: string, text: string, cursed = false): HTMLElement =>
  h("span", { class: `chip ${cursed ? "cursed" : ""}`, "data-letter": letter }, text);

export function renderVerdict(explorer: Explorer): void {
  const host = byId("verdict");
  const { answer, problem, settings, metric } = explorer;
  host.classList.toggle("waiting", explorer.busy);
  renderSwitches(explorer);
  if (problem) return fill(host, h("p", { class: "problem", role: "alert" }, problem));
  if (explorer.trainer) return fill(host, h("p", { class: "verdict-text muted" }, "Hidden while you train."));
  if (!answer) return fill(host, h("p", { class: "verdict-text muted" }, "Looking it up …"));
  const verdict = verdictOf(answer, settings.unit, metric);
  fill(
    host,
    h("p", { class: "verdict-text" }, chip(verdict.letter, verdict.chip, verdict.cursed), " ", verdict.text),
    verdict.note && h("p", { class: "note" }, verdict.note),
    ...answer.missing.slice(0, SHOWN).map(({ material, metric, command }) =>
      h("p", { class: "note missing" },
        `${material} by ${metric.toUpperCase()} is not built. `,
        h("code", {}, command), " ",
        h("button", { type: "button", class: "small", onclick: (e) => void copy(command, e.currentTarget as HTMLElement) }, "Copy"),
      ),
    ),
    answer.missing.length > SHOWN &&
      h("p", { class: "note" }, `${answer.missing.length - SHOWN} more tables are missing: see Endgames.`),
  );
}

function renderSwitches(explorer: Explorer): void {
  const { game, metric, settings } = explorer;
  const host = byId("switches");
  const state = `${game} ${metric} ${settings.unit}`;
  if (host.dataset.state === state) return;
  const focused = host.contains(document.activeElement) ? (document.activeElement as HTMLElement).dataset.value : null;
  host.dataset.state = state;
  const metrics = METRICS[game].map((m) => [m, m.toUpperCase(), `Distance to ${GOAL[m]}`] as const);
  fill(
    host,
    choice<Metric>("Order and distance", metrics, metric, (value) => explorer.choose(value)),
    choice<Unit>("Unit", [["moves", "Moves"], ["plies", "Plies"]], settings.unit, (unit) => explorer.set("unit", unit)),
  );
  if (focused) host.querySelector<HTMLElement>(`[data-value="${focused}"]`)?.focus();
}
