// A won ending is played to mate with every kind of hand.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  at,
  close,
  fen,
  finish,
  firstMove,
  hands,
  MATE_IN_2,
  open,
  PHONE,
  playToEnd,
  settled,
  start,
  verdict,
} from "./page.mjs";

before(start);
after(finish);

for (const hand of ["drag", "click", "type", "list"])
  test(`a rook mates, by ${hand}`, async () => {
    const page = await open(at(MATE_IN_2));
    assert.match(await verdict(page), /White wins: mate in 2 moves, 3 plies/);
    assert.equal(await playToEnd(page, hands[hand]), 3);
    assert.match(await verdict(page), /Checkmate: White has won/);
    await close(page);
  });

test("a rook mates, by touch on a phone", async () => {
  const page = await open(at(MATE_IN_2) + "#moves", PHONE);
  assert.equal(await playToEnd(page, hands.tap), 3);
  assert.match(await verdict(page), /Checkmate/);
  await close(page);
});

test("a rook mates, by the keyboard alone, with words for those who listen", async () => {
  const page = await open(at(MATE_IN_2));
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.id), "skip");
  await page.keyboard.press("Enter");
  assert.equal(await playToEnd(page, hands.keys), 3);
  assert.match(await page.innerText("#announcer"), /# *\.? *Checkmate: White has won/);
  await close(page);
});

test("escape puts a man back, and every square says what stands on it", async () => {
  const page = await open(at(MATE_IN_2));
  const label = (square) => page.getAttribute(`#grid [data-square="${square}"]`, "aria-label");
  assert.equal(await label("h1"), "h1, white rook");
  assert.equal(await label("e4"), "e4, empty");
  await page.focus("#grid [data-square=a1]");
  for (let i = 0; i < 7; i++) await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  assert.equal(await label("h1"), "h1, white rook, picked up");
  assert.equal(await label("h8"), "h8, empty, possible target");
  await page.keyboard.press("Escape");
  assert.equal(await label("h1"), "h1, white rook");
  assert.equal(await fen(page), MATE_IN_2);
  await close(page);
});

test("a pawn promotes to the man that is chosen", async () => {
  const page = await open(at("8/k1P5/2K5/8/8/8/8/8 w - - 0 1"));
  await hands.drag(page, "c7c8");
  await page.click("#promotion [aria-label='white rook']");
  await settled(page);
  assert.match(await fen(page), /^2R5\//);
  await page.keyboard.press("ArrowLeft");
  await settled(page);
  await hands.drag(page, "c7c8");
  await page.keyboard.press("Escape");
  assert.match(await fen(page), /^8\/k1P5/);
  await close(page);
});

test("a move that is not legal is refused in words, and the board stays", async () => {
  const page = await open(at(MATE_IN_2));
  await hands.drag(page, "h1g3");
  assert.equal(await fen(page), MATE_IN_2);
  await hands.type(page, "Qh9");
  assert.match(await page.innerText("#move-message"), /No legal move here is called “Qh9”/);
  await hands.type(page, "kc7");
  await settled(page);
  assert.match(await fen(page), /^k7\/2K5/);
  await close(page);
});

test("the space bar makes the best move, and goes on while it is held", async () => {
  const page = await open(at(MATE_IN_2));
  const best = await firstMove(page);
  await page.keyboard.press(" ");
  await settled(page);
  assert.match(page.url(), /_b_/);
  await page.keyboard.press("ArrowLeft");
  await settled(page);
  assert.equal(await firstMove(page), best);
  await page.keyboard.down(" ");
  await page.waitForFunction(
    () => document.querySelector("#verdict").innerText.includes("Checkmate"),
    null,
    { timeout: 60_000 },
  );
  await page.keyboard.up(" ");
  await close(page);
});

test("undo, redo and the back button go the same way", async () => {
  const page = await open(at(MATE_IN_2));
  await hands.drag(page, "c6c7");
  await settled(page);
  const second = await fen(page);
  await hands.drag(page, "a8a7");
  await settled(page);
  const third = await fen(page);
  await page.keyboard.press("ArrowLeft");
  await settled(page);
  assert.equal(await fen(page), second);
  await page.keyboard.press("ArrowRight");
  await settled(page);
  assert.equal(await fen(page), third);
  for (const expected of [second, third, second, MATE_IN_2]) {
    await page.goBack();
    await settled(page);
    assert.equal(await fen(page), expected);
  }
  await page.goForward();
  await settled(page);
  assert.equal(await fen(page), second);
  await page.reload();
  await settled(page);
  assert.equal(await fen(page), second);
  await page.keyboard.press("ArrowLeft");
  await settled(page);
  assert.equal(await fen(page), MATE_IN_2, "the moves are still known after a reload");
  await close(page);
});

test("touching an empty square scrolls the page, touching a man does not", async () => {
  const page = await open(at(MATE_IN_2), PHONE);
  await page.evaluate(() => {
    window.touches = [];
    window.addEventListener(
      "touchstart",
      (event) => setTimeout(() => window.touches.push(event.defaultPrevented)),
      true,
    );
  });
  for (const square of ["e4", "b8", "h1"]) {
    const box = await page.locator(`#grid [data-square="${square}"]`).boundingBox();
    await page.touchscreen.tap(box.x + box.width / 2, box.y + box.height / 2);
  }
  await page.waitForTimeout(50);
  assert.deepEqual(await page.evaluate(() => window.touches), [false, false, true]);
  await close(page);
});

test("xiangqi: a soldier mates, in the notation of xiangqi, with either set of men", async () => {
  const page = await open("?game=xiangqi");
  assert.match(await verdict(page), /Red wins: mate in 7 moves, 13 plies/);
  assert.match(await page.innerText("#moves-list .san"), /^P6\+1$/);
  assert.equal(
    await page.getAttribute("#grid [data-square=f10]", "aria-label"),
    "f10, black general",
  );
  await page.click("#sets [data-value=western]");
  assert.ok(await page.evaluate(() => document.documentElement.classList.contains("western")));
  assert.equal(await playToEnd(page, hands.click), 13);
  assert.match(await verdict(page), /Red has won/);
  await close(page);
});
