// The moves in groups, each with its distances and a bar that compares it with the best.
import type { Move } from "./api";
import { byId, fill, h } from "./dom";
import type { Explorer } from "./explorer";
import { chip } from "./parts";
import { figure, type Group, groupsOf, METRICS, worth } from "./words";

export function renderMoves(explorer: Explorer): void {
  const host = byId("moves-list");
  const { answer } = explorer;
  host.classList.toggle("waiting", explorer.busy);
  if (explorer.pending || host.dataset.state === stateOf(explorer)) return;
  host.dataset.state = stateOf(explorer);
  const focused = host.contains(document.activeElement);
  if (explorer.trainer)
    return fill(host, h("p", { class: "empty" }, "The moves are hidden while you train."));
  if (!answer) return fill(host);
  if (answer.moves.length === 0)
    return fill(host, h("p", { class: "empty" }, "There is no legal move."));
  const groups = groupsOf(answer.moves);
  host.dataset.metrics = String(METRICS[explorer.game].length);
  fill(
    host,
    header(explorer),
    ...groups.map((group) => section(explorer, group, groups[0] === group, answer.moves.length)),
  );
  host.scrollTop = 0;
  if (focused) host.querySelector<HTMLElement>("button")?.focus();
}

const stateOf = ({ answer, settings, trainer, metric, fen }: Explorer) =>
  [answer ? fen : "", settings.unit, trainer ? "train" : "", metric, answer?.missing.length].join(
    "|",
  );

function header({ game, metric, settings }: Explorer): HTMLElement {
  const unit = settings.unit === "moves" ? "moves" : "plies";
  return h(
    "div",
    { class: "columns", "aria-hidden": "true" },
    h("span", { class: "col-move" }, `in ${unit}`),
    ...METRICS[game].map((m) =>
      h("span", { class: `figure ${m === metric ? "chosen" : ""}` }, m.toUpperCase()),
    ),
  );
}

function section(explorer: Explorer, group: Group, top: boolean, legal: number): HTMLElement {
  const { metric } = explorer;
  const values = group.moves.map((move) => worth(move, metric));
  const best = values[0] ?? null;
  const longest = Math.max(1, ...values.map((value) => Math.abs(value ?? 0)));
  const only =
    top && group.moves.length === 1 && legal > 1 && group.letter !== "L" && group.letter !== "?";
  return h(
    "section",
    { class: "group" },
    h(
      "h2",
      {},
      chip(group.letter, group.letter, group.cursed),
      " ",
      group.title,
      h("span", { class: "count" }, group.moves.length),
    ),
    h(
      "ol",
      {},
      ...group.moves.map((move, index) => {
        const value = values[index] ?? null;
        const isBest = top && value !== null && value === best;
        const part =
          group.letter === "W"
            ? Math.abs(best ?? 0) / Math.abs(value ?? 1)
            : Math.abs(value ?? 0) / longest;
        return h(
          "li",
          {},
          row(
            explorer,
            move,
            badges(explorer, move, isBest && !only, only),
            value === null ? null : part,
          ),
        );
      }),
    ),
  );
}

function badges({ game }: Explorer, move: Move, best: boolean, only: boolean): string[] {
  const promotion = game === "chess" && move.uci.length === 5;
  const capture = game === "chess" ? move.san.includes("x") : move.conversion;
  return [
    only && "only move",
    best && "best",
    move.checkmate && "mate",
    move.stalemate && !move.checkmate && "stalemate",
    capture && "capture",
    promotion && "promotion",
    move.zeroing && !capture && !promotion && game === "chess" && "zeroing",
  ].filter((badge): badge is string => typeof badge === "string");
}

function row(explorer: Explorer, move: Move, marks: string[], part: number | null): HTMLElement {
  const { game, metric, settings } = explorer;
  const bar = h("span", { class: "bar" }, h("span", { class: "part" }));
  if (part !== null)
    (bar.firstElementChild as HTMLElement).style.width = `${Math.round(part * 100)}%`;
  return h(
    "button",
    {
      type: "button",
      class: "move",
      "data-uci": move.uci,
      onclick: () => explorer.play(move.uci),
      onmouseenter: () => explorer.point(move.uci),
      onmouseleave: () => explorer.point(null),
      onfocus: () => explorer.point(move.uci),
      onblur: () => explorer.point(null),
    },
    h("span", { class: "san" }, move.san),
    h(
      "span",
      { class: "badges" },
      ...marks.map((mark) => h("span", { class: "badge", "data-badge": mark }, mark)),
    ),
    part === null ? h("span", { class: "bar none" }) : bar,
    ...METRICS[game].map((m) =>
      h(
        "span",
        { class: `figure ${m === metric ? "chosen" : ""}` },
        h("span", { class: "unseen" }, `${m.toUpperCase()} `),
        figure(worth(move, m), settings.unit),
      ),
    ),
  );
}
