// The verdict: one sentence, the metric, the unit, what the 50-move rule says, what is missing.
import type { Answer, Metric } from "./api";
import { byId, copy, fill, h } from "./dom";
import type { Explorer } from "./explorer";
import { chip, choice } from "./parts";
import { distanceOf, GOAL, METRICS, sourceOf, type Unit, verdictOf } from "./words";

const SHOWN = 2;

export function renderVerdict(explorer: Explorer): void {
  const host = byId("verdict");
  const { answer, problem, settings, metric } = explorer;
  host.classList.toggle("waiting", explorer.busy);
  renderSwitches(explorer);
  if (problem) return fill(host, h("p", { class: "problem", role: "alert" }, problem));
  if (explorer.trainer)
    return fill(host, h("p", { class: "verdict-text" }, explorer.trainer.saying));
  if (!answer) return fill(host, h("p", { class: "verdict-text muted" }, "Looking it up …"));
  const verdict = verdictOf(answer, settings.unit, metric);
  const source = sourceOf(answer);
  document.title = `${answer.position.material ?? "unmove"}: ${verdict.text.replace(/[:;.].*$/, "")} – unmove`;
  fill(
    host,
    h(
      "p",
      { class: "verdict-text" },
      chip(verdict.letter, verdict.chip, verdict.cursed),
      " ",
      verdict.text,
    ),
    verdict.note && h("p", { class: "note" }, verdict.note),
    source && h("p", { class: "note source" }, source),
    ...missing(answer, metric),
  );
}

/** The tables that are missing, an endgame a line, with the command for the chosen metric. */
function missing(answer: Answer, metric: Metric): HTMLElement[] {
  if (answer.missing.length === 0) return [];
  const names = [...new Set(answer.missing.map(({ material }) => material))];
  const lines = names.slice(0, SHOWN).map((name) => {
    const tables = answer.missing.filter(({ material }) => material === name);
    const command = (tables.find((table) => table.metric === metric) ?? tables[0])?.command ?? "";
    const metrics = tables.map((table) => table.metric.toUpperCase()).join(", ");
    return h(
      "p",
      { class: "note missing" },
      h("span", {}, `${name} is not built (${metrics}).`),
      h("code", {}, command),
      h(
        "button",
        {
          type: "button",
          class: "small",
          onclick: (e) => void copy(command, e.currentTarget as HTMLElement),
        },
        "Copy",
      ),
    );
  });
  if (names.length > SHOWN)
    lines.push(h("p", { class: "note" }, `So are ${names.slice(SHOWN).join(", ")}.`));
  const told = answer.source === "syzygy" && distanceOf(answer, "dtz") !== null;
  const wanted = answer.missing.some((table) => table.metric === metric) && !told;
  if (answer.exact.outcome === null || wanted) return lines;
  return [h("details", {}, h("summary", {}, "Some tables are not built"), ...lines)];
}

function renderSwitches(explorer: Explorer): void {
  const { game, metric, settings } = explorer;
  const host = byId("switches");
  const state = `${game} ${metric} ${settings.unit}`;
  if (host.dataset.state === state) return;
  const focused = host.contains(document.activeElement)
    ? (document.activeElement as HTMLElement).dataset.value
    : null;
  host.dataset.state = state;
  const metrics = METRICS[game].map((m) => [m, m.toUpperCase(), `Distance to ${GOAL[m]}`] as const);
  fill(
    host,
    choice<Metric>("Order and distance", metrics, metric, (value) => explorer.choose(value)),
    choice<Unit>(
      "Unit",
      [
        ["moves", "Moves"],
        ["plies", "Plies"],
      ],
      settings.unit,
      (unit) => explorer.set("unit", unit),
    ),
  );
  if (focused) host.querySelector<HTMLElement>(`[data-value="${focused}"]`)?.focus();
}
