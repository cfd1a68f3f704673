// Icons: lines on a grid of 24 by 24.
import { s } from "./dom";

const PATHS = {
  flip: "M8 4v15M8 19l-4-4M8 19l4-4M16 20V5M16 5l-4 4M16 5l4 4",
  undo: "M9 6L4 11l5 5M4 11h10a6 6 0 0 1 0 9h-3",
  redo: "M15 6l5 5-5 5M20 11H10a6 6 0 0 0 0 9h3",
  best: "M7 5l11 7-11 7z",
  pause: "M8 5v14M16 5v14",
  edit: "M4 20l1-5L16 4l4 4L9 19zM13 7l4 4",
  done: "M5 13l5 5L19 7",
  share: "M10 14a4 4 0 0 1 0-6l3-3a4 4 0 0 1 6 6l-2 2M14 10a4 4 0 0 1 0 6l-3 3a4 4 0 0 1-6-6l2-2",
  help: "M9 9a3 3 0 1 1 4 3c-1 .6-1 1-1 2.500M12 18v.5",
  light:
    "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.500 1.500M17.500 17.500L19 19M5 19l1.500-1.500M17.500 6.500L19 5",
  dark: "M19 14A8 8 0 0 1 10 5a8 8 0 1 0 9 9z",
  system: "M4 5h16v11H4zM9 20h6M12 16v4",
  bin: "M5 7h14M9 7V4h6v3M7 7l1 13h8l1-13M10 11v5M14 11v5",
  hand: "M6 3l12 9-5.500 1L9 19z",
  clear: "M5 5h14v14H5zM9 9l6 6M15 9l-6 6",
  mirror: "M12 4v16M9 8l-5 4 5 4zM15 8l5 4-5 4z",
  turnover: "M4 12h16M8 9l4-5 4 5zM8 15l4 5 4-5z",
  swap: "M4 8h13M17 8l-3-3M17 8l-3 3M20 16H7M7 16l3-3M7 16l3 3",
  left: "M14 6l-6 6 6 6",
  right: "M10 6l6 6-6 6",
  up: "M6 14l6-6 6 6",
  down: "M6 10l6 6 6-6",
  copy: "M9 9h10v11H9zM15 9V4H5v11h4",
  men: "M5 19h14M7 19c2-3 3-6 3-9M17 19c-2-3-3-6-3-9M12 4a3 3 0 1 0 0 6 3 3 0 0 0 0-6z",
} as const;

export type Icon = keyof typeof PATHS;

/** The icon as a picture that readers of the screen skip. */
export function icon(name: Icon): SVGElement {
  return s(
    "svg",
    { viewBox: "0 0 24 24", class: "icon", "aria-hidden": "true" },
    s("path", { d: PATHS[name] }),
  );
}
