// A spare man that follows the pointer.
import { classesOf } from "./board";
import { byId, h } from "./dom";
import type { Game } from "./api";
import { type Letter, SIZES } from "./fen";

/** Pixels after which a press is a drag. */
const SLACK = 6;

/** The man follows the pointer from the button on; `drop` says where it is let go. */
export function drag(
  start: PointerEvent,
  button: HTMLElement,
  game: Game,
  letter: Letter,
  drop: (x: number, y: number) => void,
): void {
  if (start.button !== 0) return;
  const side = byId("board").clientWidth / SIZES[game].files;
  const man = h("span", { class: `man floating ${classesOf(letter)}` });
  man.style.width = man.style.height = `${side}px`;
  let moving = false;
  const move = ({ clientX: x, clientY: y }: PointerEvent) => {
    if (!moving && Math.hypot(x - start.clientX, y - start.clientY) < SLACK) return;
    if (!moving) byId("floats").replaceChildren(man);
    moving = true;
    byId("floats").className = game;
    man.style.transform = `translate(${x - side / 2}px, ${y - side / 2}px)`;
  };
  const end = (event: PointerEvent) => {
    listening.abort();
    man.remove();
    if (!moving) return;
    swallowClick(button);
    if (event.type === "pointerup") drop(event.clientX, event.clientY);
  };
  const listening = new AbortController();
  const { signal } = listening;
  button.setPointerCapture(start.pointerId);
  button.addEventListener("pointermove", move, { signal });
  button.addEventListener("pointerup", end, { signal });
  button.addEventListener("pointercancel", end, { signal });
}

/** The click that some browsers make of a drag does not choose the man. */
function swallowClick(button: HTMLElement): void {
  const swallow = (click: Event) => click.stopImmediatePropagation();
  button.addEventListener("click", swallow, { capture: true, once: true });
  setTimeout(() => button.removeEventListener("click", swallow, true), 50);
}
