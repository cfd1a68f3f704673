// Elements that several panels use.
import { type Child, h, type Properties } from "./dom";
import { type Icon, icon } from "./icons";

type Act = (button: HTMLElement) => void;

const pressed = (act: Act) => (event: Event) => act(event.currentTarget as HTMLElement);

/** A part of a panel with its heading. */
export const section = (title: Child | Child[], ...children: Child[]): HTMLElement =>
  h("section", {}, h("h2", {}, ...(Array.isArray(title) ? title : [title])), ...children);

/** What stands beside a heading. */
export const aside = (text: string | number): HTMLElement => h("span", { class: "count" }, text);

export const note = (...children: Child[]): HTMLElement => h("p", { class: "note" }, ...children);

/** A sentence where there would be more. */
export const empty = (text: string): HTMLElement => h("p", { class: "empty" }, text);

/** A refusal of the server. */
export const problem = (text: string): HTMLElement =>
  h("p", { class: "problem", role: "alert" }, text);

/** A button with a word on it. */
export const button = (label: Child, act: Act, properties: Properties = {}): HTMLElement =>
  h("button", { type: "button", class: "small", onclick: pressed(act), ...properties }, label);

/** A button with a picture on it, and a word for those who do not see it. */
export const tool = (
  picture: Icon,
  label: string,
  act: Act,
  properties: Properties = {},
): HTMLElement =>
  h(
    "button",
    {
      type: "button",
      class: "tool",
      "aria-label": label,
      title: label,
      onclick: pressed(act),
      ...properties,
    },
    icon(picture),
  );

/** Controls of a question, and the button that asks it. */
export function form(ask: () => void, label: string, ...controls: Child[]): HTMLElement {
  const onsubmit = (event: Event) => {
    event.preventDefault();
    ask();
  };
  const submit = h("button", { type: "submit", class: "small primary" }, label);
  return h("form", { class: "question", onsubmit }, ...controls, submit);
}

/** A labelled box for text that is not prose. */
export function box(
  id: string,
  label: string,
  input: (value: string) => void,
  properties: Properties = {},
): HTMLElement {
  const oninput = (event: Event) => input((event.target as HTMLInputElement).value.trim());
  const plain = { spellcheck: "false", autocomplete: "off", autocapitalize: "off" };
  return h(
    "span",
    { class: "field" },
    h("label", { for: id }, label),
    h("input", { id, oninput, ...plain, ...properties }),
  );
}

/** Suggestions for a box that names them as its `list`. */
export const suggestions = (id: string, values: readonly string[]): HTMLElement =>
  h("datalist", { id }, ...values.map((value) => h("option", { value })));

/** A row of buttons of which one is pressed. */
export function choice<T extends string>(
  label: string,
  values: readonly (readonly [T, string, string?])[],
  chosen: T,
  choose: (value: T) => void,
): HTMLElement {
  const buttons = values.map(([value, text, title]) =>
    button(text, () => choose(value), {
      class: null,
      title,
      "aria-pressed": String(value === chosen),
      "data-value": value,
    }),
  );
  return h("div", { class: "choice", role: "group", "aria-label": label }, ...buttons);
}

/** An outcome as a word in a field that also has a pattern, so that colour is never alone. */
export const chip = (letter: string, text: string, cursed = false): HTMLElement =>
  h("span", { class: `chip ${cursed ? "cursed" : ""}`, "data-letter": letter }, text);

/** Buttons to the pages before and after; null if there is one page. */
export function pager(
  { offset, shown, size, more }: { offset: number; shown: number; size: number; more: boolean },
  go: (offset: number) => void,
): HTMLElement | null {
  if (offset === 0 && !more) return null;
  return h(
    "div",
    { class: "row pager" },
    button("Previous", () => go(Math.max(0, offset - size)), { disabled: offset === 0 }),
    h("span", { class: "note" }, shown ? `${offset + 1} to ${offset + shown}` : ""),
    button("Next", () => go(offset + size), { disabled: !more }),
  );
}

/** Draws anew; what had the focus has it again, if it is still there. */
export function redraw(host: HTMLElement, draw: () => void): void {
  const active = host.contains(document.activeElement) ? document.activeElement : null;
  const { id, dataset } = active instanceof HTMLElement ? active : { id: "", dataset: null };
  draw();
  if (!active) return;
  const again = id
    ? document.getElementById(id)
    : host.querySelector<HTMLElement>(`[data-value="${dataset?.value}"]`);
  again?.focus();
}
