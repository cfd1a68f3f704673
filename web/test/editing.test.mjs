// Positions are arranged with the mouse, by touch and with keys; the FEN box and the clock.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  at,
  close,
  fen,
  finish,
  hands,
  MATE_IN_2,
  middle,
  open,
  settled,
  start,
  verdict,
} from "./page.mjs";

before(start);
after(finish);

const board = async (page) => (await fen(page)).split(" ")[0];

async function editing(path, options) {
  const page = await open(path, options);
  await page.click("#tool-edit");
  return page;
}

test("a spare man is dragged to a square, also to one that is taken", async () => {
  const page = await editing(at(MATE_IN_2));
  const box = await page.locator("#spares [data-tool=Q]").boundingBox();
  for (const square of ["e4", "h1"]) {
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(...(await middle(page, square)), { steps: 4 });
    await page.mouse.up();
    await settled(page);
  }
  assert.equal(await board(page), "k7/8/2K5/8/4Q3/8/8/7Q");
  await close(page);
});

test("a spare man is chosen and put on squares; the bin empties them; a second king moves the first", async () => {
  const page = await editing(at(MATE_IN_2));
  await page.click("#spares [data-tool=N]");
  for (const square of ["a1", "b1", "b1"]) await page.mouse.click(...(await middle(page, square)));
  await settled(page);
  assert.equal(await board(page), "k7/8/2K5/8/8/8/8/N6R", "the same man again removes it");
  await page.click("#spares [data-tool='Delete men']");
  await page.mouse.click(...(await middle(page, "h1")));
  await page.click("#spares [data-tool=k]");
  await page.mouse.click(...(await middle(page, "h8")));
  await settled(page);
  assert.equal(await board(page), "7k/8/2K5/8/8/8/8/N7");
  await close(page);
});

test("men are dragged freely, and off the board they are gone", async () => {
  const page = await editing(at(MATE_IN_2));
  await hands.drag(page, "h1e5");
  await settled(page);
  assert.equal(await board(page), "k7/8/2K5/4R3/8/8/8/8");
  await page.mouse.move(...(await middle(page, "e5")));
  await page.mouse.down();
  await page.mouse.move(900, 700, { steps: 5 });
  await page.mouse.up();
  await settled(page);
  assert.equal(await board(page), "k7/8/2K5/8/8/8/8/8");
  await close(page);
});

test("on a phone a spare man is tapped, then squares", async () => {
  const page = await editing(at(MATE_IN_2), {
    width: 390,
    height: 844,
    hasTouch: true,
    isMobile: true,
  });
  await page.tap("#spares [data-tool=R]");
  await page.touchscreen.tap(...(await middle(page, "a1")));
  await settled(page);
  assert.equal(await board(page), "k7/8/2K5/8/8/8/8/R6R");
  await close(page);
});

test("with keys: letters put men, Delete removes them, Enter carries them", async () => {
  const page = await open(at(MATE_IN_2));
  await page.keyboard.press("e");
  await page.focus("#grid [data-square=a1]");
  await page.keyboard.press("Q");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("p");
  await settled(page);
  assert.equal(await board(page), "k7/8/2K5/8/8/8/8/Qp5R");
  await page.keyboard.press("Delete");
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("Enter");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  await settled(page);
  assert.equal(await board(page), "k7/8/2K5/8/8/8/Q7/7R");
  await close(page);
});

const TOOLS = [
  ["Mirror: left and right", "7k/8/5K2/8/8/8/8/R7"],
  ["Mirror: top and bottom", "7R/8/8/8/8/2K5/8/k7"],
  ["swap", "7r/8/8/8/8/2k5/8/K7"],
  ["Clear the board", "8/8/8/8/8/8/8/8"],
];
for (const [tool, expected] of TOOLS)
  test(`tool: ${tool}`, async () => {
    const page = await editing(at(MATE_IN_2));
    await page.click(`#spares [data-tool="${tool}"]`);
    await settled(page);
    assert.equal(await board(page), expected);
    await close(page);
  });

test("all men are shifted, as far as the edge, as it is seen", async () => {
  const page = await editing(at("8/8/2K5/8/3k4/8/4R3/8 w - - 0 1"));
  const shift = (way) => page.click(`#spares [data-tool="Shift ${way}"]`);
  await shift("up");
  await shift("to the left");
  await settled(page);
  assert.equal(await board(page), "8/1K6/8/2k5/8/3R4/8/8");
  await shift("to the left");
  await shift("to the left");
  await settled(page);
  assert.equal(await board(page), "8/K7/8/1k6/8/2R5/8/8", "nobody leaves the board");
  await page.click("#tool-flip");
  await shift("down");
  await settled(page);
  assert.equal(await board(page), "K7/8/1k6/8/2R5/8/8/8");
  await close(page);
});

test("the other side is to move; the server says what is illegal, and the board stays editable", async () => {
  const page = await editing(at("8/8/8/8/8/2k5/8/K6r w - - 0 1"));
  await page.click("#turn");
  await settled(page);
  assert.match(await verdict(page), /Illegal position: opposite check\./);
  await page.click("#spares [data-tool='Clear the board']");
  await settled(page);
  assert.match(await verdict(page), /empty board/);
  await page.click("#spares [data-tool=K]");
  await page.mouse.click(...(await middle(page, "e1")));
  await settled(page);
  assert.equal(await board(page), "8/8/8/8/8/8/8/4K3");
  await close(page);
});

test("editing is one step of the back button", async () => {
  const page = await open(at(MATE_IN_2));
  await hands.list(page, "c6c7");
  await settled(page);
  await page.click("#tool-edit");
  await hands.drag(page, "h1e5");
  await settled(page);
  await hands.drag(page, "e5e4");
  await settled(page);
  await page.goBack();
  await settled(page);
  assert.match(await fen(page), /^k7\/2K5\/8\/8\/8\/8\/8\/7R b/);
  await close(page);
});

test("the FEN box says what is wrong while one types, and the board follows what is right", async () => {
  const page = await open();
  await page.keyboard.press("/");
  await page.fill("#fen", "8/8/8/3k4/8/2r5/8/KQ");
  await page.waitForFunction(() => document.querySelector("#fen-message").textContent !== "");
  assert.equal(await page.getAttribute("#fen", "aria-invalid"), "true");
  await page.fill("#fen", "8/8/8/3k4/8/8/8/KQ6");
  await page.waitForFunction(() => document.querySelector("#fen-message").textContent === "");
  await settled(page);
  assert.equal(await page.getAttribute("#grid [data-square=c3]", "aria-label"), "c3, empty");
  assert.equal(
    await page.inputValue("#fen"),
    "8/8/8/3k4/8/8/8/KQ6",
    "what is typed stays as it is typed",
  );
  await close(page);
});

test("the clock decides the outcome under the 50-move rule", async () => {
  const page = await open();
  await page.fill("#clock", "46");
  await page.waitForFunction(() =>
    document.querySelector("#verdict").innerText.includes("makes it a draw"),
  );
  assert.match(
    await verdict(page),
    /Cursed win.*55 plies to zeroing and 46 on the clock are 101, more than 100/s,
  );
  assert.match(await page.innerText("#moves-list h2"), /drawn by the 50-move rule/);
  await page.fill("#clock", "45");
  await page.waitForFunction(() =>
    document.querySelector("#verdict").innerText.includes("allows it"),
  );
  await close(page);
});

test("xiangqi is arranged in the same way", async () => {
  const page = await editing("?game=xiangqi");
  await page.click("#spares [data-tool=a]");
  await page.mouse.click(...(await middle(page, "d10")));
  await settled(page);
  assert.equal(await board(page), "3a1k3/9/5a3/9/3P5/9/9/9/9/5K3");
  await page.click("#spares [data-tool='Mirror: left and right']");
  await settled(page);
  assert.equal(await board(page), "3k1a3/9/3a5/9/5P3/9/9/9/9/3K5");
  await close(page);
});
