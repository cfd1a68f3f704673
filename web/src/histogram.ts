// A histogram whose bars are buttons, and its twin as a table.
import { h, s } from "./dom";
import { counted, figure, type Unit } from "./words";

export interface Bar {
  plies: number;
  count: number;
}

export interface HistogramOptions {
  bars: Bar[];
  /** The distance of the position on the board. */
  current: number | null;
  unit: Unit;
  goal: string;
  choose: (plies: number) => void;
}

const HEIGHT = 120;
const WIDTH = 600;
const FOOT = 16;

/** The bars of a histogram in the order of their distances. */
export const barsOf = (values: Record<string, number>): Bar[] =>
  Object.entries(values)
    .map(([plies, count]) => ({ plies: Math.abs(Number(plies)), count }))
    .filter(({ count }) => count > 0)
    .sort((a, b) => a.plies - b.plies);

/** Heights grow with the logarithm, so that single positions are seen beside thousands. */
const height = (count: number, most: number) =>
  4 + (HEIGHT - 8) * (Math.log1p(count) / Math.log1p(most));

const label = ({ plies, count }: Bar, { unit, goal }: HistogramOptions) =>
  `${goal} in ${figure(plies, unit)} ${unit}: ${counted(count, "position")}`;

export function histogram(options: HistogramOptions): HTMLElement {
  const { bars } = options;
  const most = Math.max(...bars.map((bar) => bar.count));
  const step = WIDTH / bars.length;
  const chosen = Math.max(
    0,
    bars.findIndex((bar) => bar.plies === options.current),
  );
  const nodes = bars.map((bar, index) =>
    rectangle(bar, index, step, most, index === chosen, options),
  );
  const picture = s(
    "svg",
    {
      viewBox: `0 0 ${WIDTH} ${HEIGHT + FOOT}`,
      class: "histogram",
      role: "group",
      preserveAspectRatio: "none",
      "aria-label": `Positions by distance. ${bars.length} bars, arrows move, Enter draws a random position.`,
    },
    ...nodes,
  );
  picture.addEventListener("keydown", (event) => rove(event as KeyboardEvent, nodes));
  return h("div", { class: "histogram-box" }, picture, axis(options), table(options));
}

function rectangle(
  bar: Bar,
  index: number,
  step: number,
  most: number,
  first: boolean,
  options: HistogramOptions,
): SVGElement {
  const tall = height(bar.count, most);
  const current = bar.plies === options.current;
  const gap = step > 4 ? 1 : 0;
  const node = s(
    "g",
    {
      class: `bar-button ${current ? "current" : ""}`,
      role: "button",
      tabindex: first ? 0 : -1,
      "aria-label": label(bar, options) + (current ? ", the position on the board" : ""),
      onclick: () => options.choose(bar.plies),
    },
    s("title", {}, label(bar, options)),
    s("rect", { class: "hit", x: index * step, y: 0, width: step, height: HEIGHT }),
    s("rect", {
      class: "column",
      x: index * step + gap / 2,
      y: HEIGHT - tall,
      width: Math.max(1, step - gap),
      height: tall,
    }),
    current &&
      s("path", { class: "marker", d: `M${index * step + step / 2} ${HEIGHT + 2}l5 9h-10z` }),
  );
  return node;
}

function rove(event: KeyboardEvent, nodes: SVGElement[]): void {
  const at = nodes.findIndex((node) => node === event.target);
  const next = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: nodes.length - 1 }[event.key];
  if (event.key === "Enter" || event.key === " ")
    (event.target as SVGElement).dispatchEvent(new MouseEvent("click"));
  else if (next === undefined) return;
  else {
    const node = nodes[next];
    if (node) {
      nodes[at]?.setAttribute("tabindex", "-1");
      node.setAttribute("tabindex", "0");
      node.focus();
    }
  }
  event.preventDefault();
  event.stopPropagation();
}

function axis({ bars, unit }: HistogramOptions): HTMLElement {
  const first = bars[0]?.plies ?? 0;
  const middle = bars[Math.floor(bars.length / 2)]?.plies ?? 0;
  const last = bars[bars.length - 1]?.plies ?? 0;
  return h(
    "div",
    { class: "axis", "aria-hidden": "true" },
    h("span", {}, figure(first, unit)),
    h("span", {}, figure(middle, unit)),
    h("span", {}, `${figure(last, unit)} ${unit}`),
  );
}

function table(options: HistogramOptions): HTMLElement {
  const { bars, unit } = options;
  return h(
    "details",
    {},
    h("summary", {}, "The same as a table"),
    h(
      "div",
      { class: "scroller", tabindex: 0, role: "group", "aria-label": "Table of the histogram" },
      h(
        "table",
        {},
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            h("th", { scope: "col" }, unit),
            h("th", { scope: "col" }, "positions"),
            h("th", { scope: "col" }, h("span", { class: "unseen" }, "a random one")),
          ),
        ),
        h(
          "tbody",
          {},
          ...bars.map((bar) =>
            h(
              "tr",
              { class: bar.plies === options.current ? "current" : "" },
              h("th", { scope: "row" }, figure(bar.plies, unit)),
              h("td", {}, bar.count.toLocaleString("en")),
              h(
                "td",
                {},
                h(
                  "button",
                  {
                    type: "button",
                    class: "small",
                    "aria-label": `Random: ${label(bar, options)}`,
                    onclick: () => options.choose(bar.plies),
                  },
                  "Random",
                ),
              ),
            ),
          ),
        ),
      ),
    ),
  );
}
