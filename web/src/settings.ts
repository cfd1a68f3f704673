// What this browser remembers: the unit, the set of men, the colours of the page.
import type { Unit } from "./words";

export type Theme = "system" | "light" | "dark";
export type MenSet = "chinese" | "western";

export interface Settings {
  unit: Unit;
  theme: Theme;
  set: MenSet;
}

const KEY = "unmove";
const DEFAULTS: Settings = { unit: "moves", theme: "system", set: "chinese" };
const ALLOWED: { [K in keyof Settings]: readonly Settings[K][] } = {
  unit: ["moves", "plies"],
  theme: ["system", "light", "dark"],
  set: ["chinese", "western"],
};

/** The settings that were kept; defaults for those that are missing or make no sense. */
export function kept(): Settings {
  const settings = { ...DEFAULTS };
  let stored: unknown;
  try {
    stored = JSON.parse(localStorage.getItem(KEY) ?? "{}");
  } catch {
    return settings;
  }
  const values = (stored ?? {}) as Record<string, unknown>;
  const take = <K extends keyof Settings>(name: K) => {
    const value = ALLOWED[name].find((allowed) => allowed === values[name]);
    if (value !== undefined) settings[name] = value;
  };
  take("unit");
  take("theme");
  take("set");
  return settings;
}

/** The settings are kept, if the browser allows it, and seen by the style sheet. */
export function keep(settings: Settings): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(settings));
  } catch {
    // A browser that keeps nothing shows the page all the same.
  }
  const root = document.documentElement;
  root.dataset.theme = settings.theme;
  root.classList.toggle("western", settings.set === "western");
}
