// The tool bar, the switches of the header, the FEN box and the clock.
import { answerTo } from "./answers";
import { type Game, sentence } from "./api";
import type { Autoplay } from "./autoplay";
import { announce, byId, copy, debounced, fill } from "./dom";
import { renderTurn } from "./editor";
import type { Explorer } from "./explorer";
import { fieldsOf, gameOf, START } from "./fen";
import { openHelp } from "./help";
import { type Icon, icon } from "./icons";
import { addressOf } from "./location";
import type { MenSet, Theme } from "./settings";
import { choice, tool } from "./parts";
import { METRICS } from "./words";

const THEMES: Record<Theme, [Theme, string]> = {
  system: ["light", "Colours: as the system"],
  light: ["dark", "Colours: light"],
  dark: ["system", "Colours: dark"],
};

/** The listeners of everything that is always on the page. */
export function bindTools(explorer: Explorer, autoplay: Autoplay): void {
  fill(byId("help-button"), icon("help"));
  byId("help-button").onclick = () => openHelp();
  byId("theme").onclick = () => explorer.set("theme", THEMES[explorer.settings.theme][0]);
  byId("turn").onclick = () => explorer.pass();
  byId("fen-copy").onclick = (event) => void copy(explorer.fen, event.currentTarget as HTMLElement);
  bindFen(explorer);
  bindClock(explorer);
  const bar: [string, Icon, string, (button: HTMLElement) => void][] = [
    ["edit", "edit", "Edit (e)", () => explorer.edit()],
    ["best", "best", "Best move (space; hold to go on)", () => explorer.best()],
    ["undo", "undo", "Undo (left)", () => explorer.undo()],
    ["redo", "redo", "Redo (right)", () => explorer.redo()],
    ["flip", "flip", "Flip the board (f)", () => explorer.flip()],
    ["share", "share", "Copy the address", (button) => void share(explorer, button)],
  ];
  for (const [name, picture, title, act] of bar) {
    const label = title.replace(/ \(.*\)$/, "");
    byId("tool-bar").append(tool(picture, label, act, { id: `tool-${name}`, title }));
  }
  window.addEventListener("blur", () => autoplay.stop());
}

async function share(explorer: Explorer, button: HTMLElement): Promise<void> {
  const url = new URL(addressOf(explorer), location.href).href;
  if (navigator.share && matchMedia("(pointer: coarse)").matches) {
    await navigator.share({ title: "unmove", url }).catch(() => undefined);
  } else await copy(url, button);
}

/** The FEN box says what is wrong while it is typed in, and the board follows. */
function bindFen(explorer: Explorer): void {
  const input = byId("fen") as HTMLInputElement;
  const message = byId("fen-message");
  let controller = new AbortController();
  const say = (text: string | null) => {
    message.textContent = text ?? "";
    input.setAttribute("aria-invalid", String(Boolean(text)));
  };
  const check = async (push: boolean) => {
    controller.abort();
    controller = new AbortController();
    const { signal } = controller;
    const fen = input.value.trim();
    if (!fen || fen === explorer.fen) return say(null);
    try {
      const game = gameOf(fen);
      const metric = METRICS[game].includes(explorer.metric) ? explorer.metric : "dtm";
      await answerTo({ game, fen, metric }, signal);
      if (signal.aborted) return;
      say(null);
      void explorer.open(fen, push);
    } catch (error) {
      if (!signal.aborted) say(sentence(error));
    }
  };
  const soon = debounced(250, () => void check(false));
  input.addEventListener("input", soon);
  input.addEventListener("change", () => void check(true));
  input.addEventListener("blur", () => {
    if (message.textContent === "") input.value = explorer.fen;
  });
}

function bindClock(explorer: Explorer): void {
  const input = byId("clock") as HTMLInputElement;
  input.addEventListener(
    "input",
    debounced(250, () => {
      const clock = Number(input.value);
      const { fen } = explorer;
      if (
        input.value === "" ||
        !Number.isInteger(clock) ||
        clock < 0 ||
        clock === fieldsOf(fen).clock
      )
        return;
      const fields = fen.split(" ");
      while (fields.length < 6) fields.push(["", "w", "-", "-", "0", "1"][fields.length] ?? "-");
      fields[4] = String(clock);
      void explorer.open(fields.join(" "), false);
    }),
  );
}

export function renderTools(explorer: Explorer): void {
  const { mode, at, trail, settings, trainer, game } = explorer;
  const editing = mode === "edit";
  const edit = byId("tool-edit");
  edit.setAttribute("aria-pressed", String(editing));
  disable("tool-undo", at === 0 && !trainer);
  disable("tool-redo", at >= trail.length - 1 || trainer !== null);
  disable("tool-best", editing || trainer !== null || !explorer.answer?.moves.length);
  document.body.classList.toggle("editing", editing);
  const theme = byId("theme");
  theme.setAttribute("aria-label", THEMES[settings.theme][1]);
  theme.title = THEMES[settings.theme][1];
  fill(theme, icon(settings.theme));
  const fen = byId("fen") as HTMLInputElement;
  if (document.activeElement !== fen) {
    fen.value = explorer.fen;
    byId("fen-message").textContent = "";
    fen.removeAttribute("aria-invalid");
  }
  renderTurn(explorer);
  renderGames(explorer, game);
  renderSets(explorer);
}

function disable(id: string, off: boolean): void {
  (byId(id) as HTMLButtonElement).disabled = off;
}

function renderGames(explorer: Explorer, game: Game): void {
  const host = byId("games");
  if (host.dataset.game === game) return;
  host.dataset.game = game;
  fill(
    host,
    choice<Game>(
      "Game",
      [
        ["chess", "Chess"],
        ["xiangqi", "Xiangqi"],
      ],
      game,
      (value) => {
        if (value !== explorer.game) {
          announce(value);
          void explorer.open(START[value]);
        }
      },
    ),
  );
}

function renderSets(explorer: Explorer): void {
  const host = byId("sets");
  host.hidden = explorer.game !== "xiangqi";
  const { set } = explorer.settings;
  if (host.dataset.set === set) return;
  host.dataset.set = set;
  const sets = [
    ["chinese", "Chinese"],
    ["western", "Western"],
  ] as const;
  fill(
    host,
    choice<MenSet>("Men", sets, set, (value) => explorer.set("set", value)),
  );
}
