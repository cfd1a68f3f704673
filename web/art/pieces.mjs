// The style sheet of the men: one data URI for each man of each set, by the classes of the board.
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { CHARACTERS } from "./characters.mjs";

const INK = { white: "#b42318", black: "#23282f" };
const WOOD = { face: "#f7e8c8", rim: "#e3c890" };
const CHESS = {
  white: { body: "#fbf8f1", line: "#3a3530", detail: "#3a3530" },
  black: { body: "#4a4541", line: "#1d1a18", detail: "#e8e0d2" },
};

const drawing = (name) =>
  readFile(fileURLToPath(new URL(`./${name}.svg`, import.meta.url)), "utf8");

/** The drawing with its three inks; `pen` is the width of the outline. */
function inked(source, { body, line, detail }, pen) {
  const outline = `stroke="${line}" stroke-width="${pen}" stroke-linejoin="round"`;
  return source
    .trim()
    .replace(/\n/g, "")
    .replaceAll('class="body"', `fill="${body}" ${outline}`)
    .replaceAll(
      'class="detail"',
      `fill="none" stroke="${detail}" stroke-width="${pen}" stroke-linecap="round"`,
    )
    .replaceAll('class="dot"', `fill="${detail}"`);
}

const svg = (inner) =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100">${inner}</svg>`;

const rule = (selector, image) =>
  `${selector}{background-image:url("data:image/svg+xml,${image
    .replaceAll('"', "'")
    .replace(/[#<>%]/g, (c) => encodeURIComponent(c))}")}`;

function disc(colour, inner) {
  const ink = INK[colour];
  return svg(
    `<circle cx="50" cy="51.500" r="46" fill="#000" opacity=".22"/>` +
      `<circle cx="50" cy="50" r="46" fill="${WOOD.rim}"/><circle cx="50" cy="49" r="44" fill="${WOOD.face}"/>` +
      `<circle cx="50" cy="49" r="38.500" fill="none" stroke="${ink}" stroke-width="2"/>${inner}`,
  );
}

function character(colour, letter) {
  const { pen, strokes } = CHARACTERS[colour === "white" ? letter.toUpperCase() : letter];
  const d = strokes.join("");
  return disc(
    colour,
    `<path transform="translate(24 23)scale(.52)" d="${d}" fill="none" stroke="${INK[colour]}"` +
      ` stroke-width="${pen}" stroke-linecap="round" stroke-linejoin="round"/>`,
  );
}

const WESTERN = {
  k: "chess/k",
  r: "chess/r",
  n: "chess/n",
  p: "chess/p",
  a: "western/a",
  b: "western/b",
  c: "western/c",
};

async function western(colour, letter) {
  const ink = INK[colour];
  const inks = { body: ink, line: ink, detail: WOOD.face };
  const inner = inked(await drawing(WESTERN[letter]), inks, 2.5);
  return disc(colour, `<g transform="translate(17.500 15.500)scale(.65)">${inner}</g>`);
}

/** The whole sheet. A man is `.man.white.q-piece` inside a board that is `.chess` or `.xiangqi`. */
export async function piecesCss() {
  const board = (await drawing("xiangqi-board")).trim();
  const rules = [rule(".xiangqi cg-board, .mini.xiangqi", board)];
  for (const colour of ["white", "black"]) {
    for (const letter of "kqrbnp") {
      const image = svg(inked(await drawing(`chess/${letter}`), CHESS[colour], 3.4));
      rules.push(rule(`.chess .${colour}.${letter}-piece`, image));
    }
    for (const letter of "karbncp") {
      const man = `.${colour}.${letter}-piece`;
      rules.push(rule(`.xiangqi ${man}`, character(colour, letter)));
      rules.push(rule(`.western .xiangqi ${man}`, await western(colour, letter)));
    }
  }
  return rules.join("\n");
}
