// The page: one state, and panels that draw it.
import { Autoplay } from "./autoplay";
import { BoardArea } from "./boardArea";
import { Catalogue } from "./catalogue";
import { Editor } from "./editor";
import { EndgamePanel } from "./endgame";
import { Explorer } from "./explorer";
import { FindPanel } from "./find";
import { bindKeys } from "./keys";
import { LinePanel } from "./line";
import { renderMoves } from "./moves";
import { keep } from "./settings";
import { bindTabs, renderTabs } from "./tabs";
import { bindTools, renderTools } from "./tools";
import { TrainPanel } from "./train";
import { renderVerdict } from "./verdict";

const explorer = new Explorer();
keep(explorer.settings);
const autoplay = new Autoplay(explorer);
const editor = new Editor(explorer);
const area = new BoardArea(explorer, editor);
editor.board = area.board;
const panels = [
  new LinePanel(explorer, autoplay),
  new EndgamePanel(explorer),
  new FindPanel(explorer),
  new TrainPanel(explorer),
  new Catalogue(explorer),
];

bindTabs(explorer);
bindTools(explorer, autoplay);
bindKeys(explorer, autoplay);
explorer.listen(() => {
  renderTabs(explorer);
  renderTools(explorer);
  editor.render();
  area.render();
  renderVerdict(explorer);
  renderMoves(explorer);
  for (const panel of panels) panel.render();
});
window.addEventListener("popstate", () => explorer.restore());
explorer.restore();
