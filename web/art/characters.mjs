// The characters on the men of xiangqi as strokes of a round pen, in a box of 100 by 100.
// Parts that several characters share are drawn once and put into their place.

const MAN = ["M64 4C54 26 36 42 8 56", "M42 36V97"];
const SCHOLAR = ["M8 36H92", "M50 6V90", "M20 90H80"];
const CART = ["M16 16H84", "M24 33H76V67H24Z", "M24 50H76", "M5 83H95", "M50 4V98"];
const HORSE = [
  "M24 8V57H88C88 76 86 88 80 96L70 91",
  "M24 9H82",
  "M24 25H78",
  "M24 41H78",
  "M53 9V57",
  "M15 70L8 90",
  "M33 70L38 86",
  "M50 69L56 83",
  "M66 67L73 79",
];
const WRAP = [
  "M36 3C30 20 20 34 6 46",
  "M30 21H90C90 48 89 62 83 71L71 67",
  "M24 41H64V61H24",
  "M24 41V82C24 91 29 93 40 93H80C90 93 94 89 94 76",
];
const FIRE = ["M14 36L26 58", "M88 30L72 50", "M52 5V42C50 66 34 84 8 96", "M56 60L90 88"];
const STONE = ["M6 14H94", "M50 14C44 36 30 54 6 68", "M34 52H88V90H34Z"];
const TREE = ["M6 32H94", "M52 5V97", "M50 38C42 56 28 70 8 80", "M58 44L92 66"];
const EYE = ["M12 10H88V92H12Z", "M12 37H88", "M12 65H88"];

/** The strokes of a part in the box from (x, y) with the given width and height. */
const at = (strokes, x, y, width, height) =>
  strokes.map((d) => scaled(d, x, y, width / 100, height / 100));

/** A path of absolute commands, scaled and moved. */
function scaled(d, x, y, sx, sy) {
  const round = (n) => Math.round(n * 10) / 10;
  return d.replace(/([MLCHVZ])([^MLCHVZ]*)/g, (_, command, numbers) => {
    const values = (numbers.match(/-?[\d.]+/g) ?? []).map(Number);
    const placed = values.map((n, i) => {
      const vertical = command === "V" || (command !== "H" && i % 2 === 1);
      return round(vertical ? y + n * sy : x + n * sx);
    });
    return command + placed.join(" ");
  });
}

/** For each letter of a FEN: the strokes, and the width of the pen. */
export const CHARACTERS = {
  K: {
    pen: 8.5,
    strokes: [
      "M28 3L20 15",
      "M12 16V94",
      "M12 17H42V47H12",
      "M12 62H44V93H12",
      "M56 30V80",
      "M56 30H96V72C96 81 91 81 85 78",
      "M76 5V98",
    ],
  },
  A: { pen: 9.5, strokes: [...at(MAN, 2, 0, 46, 100), ...at(SCHOLAR, 36, 4, 62, 94)] },
  B: { pen: 8.5, strokes: [...at(TREE, 2, 2, 52, 98), ...at(EYE, 58, 4, 40, 92)] },
  N: { pen: 7.5, strokes: [...at(MAN, 0, 0, 44, 100), ...at(HORSE, 31, 2, 68, 96)] },
  R: { pen: 8, strokes: [...at(MAN, 0, 0, 44, 100), ...at(CART, 34, 0, 66, 100)] },
  C: { pen: 8.5, strokes: [...at(FIRE, 0, 2, 44, 97), ...at(WRAP, 44, 0, 56, 100)] },
  P: {
    pen: 9,
    strokes: [
      "M68 5C56 11 42 14 28 15",
      "M28 15V61",
      "M28 37H80",
      "M62 37V61",
      "M6 61H94",
      "M36 73C32 83 24 91 12 97",
      "M64 73C72 81 80 89 88 97",
    ],
  },
  k: {
    pen: 7.5,
    strokes: [
      "M30 3V98",
      "M11 10V43H30",
      "M4 63H30",
      "M15 63C15 78 11 89 4 96",
      "M62 3C57 16 50 26 41 33",
      "M60 14H92C84 32 68 45 46 53",
      "M58 25L66 33",
      "M50 35L57 42",
      "M40 65H98",
      "M80 50V90C80 98 73 97 65 93",
      "M52 75L61 86",
    ],
  },
  a: { pen: 10.5, strokes: at(SCHOLAR, 2, 2, 96, 96) },
  b: {
    pen: 7.5,
    strokes: [
      "M40 2C34 13 24 22 12 29",
      "M38 11H66L56 25",
      "M20 26H80V46H20Z",
      "M50 26V46",
      "M50 46C40 56 27 63 10 67",
      "M41 54C58 60 66 76 61 91C58 99 51 97 44 93",
      "M54 65C44 74 30 81 11 85",
      "M59 79C47 88 33 94 15 98",
      "M86 52C79 59 72 64 63 67",
      "M63 67C71 79 82 88 95 94",
    ],
  },
  n: { pen: 8.5, strokes: at(HORSE, 0, 0, 100, 100) },
  r: { pen: 9, strokes: at(CART, 0, 0, 100, 100) },
  c: { pen: 8.5, strokes: [...at(STONE, 0, 2, 44, 94), ...at(WRAP, 44, 0, 56, 100)] },
  p: {
    pen: 8.5,
    strokes: [
      "M50 2V15",
      "M12 16H88",
      "M33 17C29 33 21 44 9 53",
      "M33 34L46 49",
      "M68 17C65 33 58 44 49 52",
      "M68 34L89 51",
      "M6 67H94",
      "M50 56V98",
    ],
  },
};
