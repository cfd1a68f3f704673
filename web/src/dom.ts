// Small tools to make elements. Text is always text: nothing is parsed as HTML.

export type Child = Node | string | number | null | undefined | false;
type Value = string | number | boolean | null | undefined | EventListener;
export type Properties = Record<string, Value>;

function apply(element: Element, properties: Properties): void {
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else if (name === "value" && element instanceof HTMLInputElement) element.value = String(value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
}

const present = (children: Child[]) =>
  children
    .filter((c): c is Node | string | number => c !== null && c !== undefined && c !== false)
    .map((c) => (typeof c === "number" ? String(c) : c));

/** An element with attributes, listeners (`onclick`) and children. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  properties: Properties = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  apply(element, properties);
  element.append(...present(children));
  return element;
}

/** The same for SVG. */
export function s(tag: string, properties: Properties = {}, ...children: Child[]): SVGElement {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  apply(element, properties);
  element.append(...present(children));
  return element;
}

/** The element has these children and no others. */
export function fill(element: Element, ...children: Child[]): void {
  element.replaceChildren(...present(children));
}

/** The element of the page with this id, which is there. */
export function byId(id: string): HTMLElement {
  const element = document.getElementById(id);
  if (!element) throw new Error(`The page has no element ${id}.`);
  return element;
}

/** Calls `f` when no further call came for a while. */
export function debounced<A extends unknown[]>(ms: number, f: (...args: A) => void) {
  let timer = 0;
  return (...args: A) => {
    clearTimeout(timer);
    timer = window.setTimeout(() => f(...args), ms);
  };
}

/** Says a sentence to those who listen to the page. */
export function announce(text: string): void {
  byId("announcer").textContent = text;
}

/** Whether the text is on the clipboard. Browsers give it to pages of secure hosts; others select and copy. */
async function copied(text: string): Promise<boolean> {
  if (navigator.clipboard)
    return navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    );
  const box = h("textarea", { class: "unseen", "aria-hidden": "true" }, text);
  const focused = document.activeElement;
  document.body.append(box);
  box.select();
  const done = document.execCommand("copy");
  box.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return done;
}

/** Copies a text and says so on the button that was pressed. */
export async function copy(text: string, button: HTMLElement): Promise<void> {
  if (button.classList.contains("done")) return;
  const label = [...button.childNodes];
  if (!(await copied(text))) return announce("The browser does not allow copying.");
  announce("Copied.");
  button.classList.add("done");
  if (!button.querySelector("svg")) button.textContent = "Copied";
  setTimeout(() => {
    button.classList.remove("done");
    button.replaceChildren(...label);
  }, 1500);
}
