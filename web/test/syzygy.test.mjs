// A server that has Syzygy files of three men, and no tables of ours.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { at, close, finish, open, PHONE, settled, start, verdict } from "./page.mjs";

const ROOK = "8/8/8/8/8/k7/8/KR6 w - - 0 1";
const QUEEN_ROOK = "8/8/8/3k4/8/2r5/8/KQ6 w - - 0 1";

before(start);
after(finish);

for (const [width, view] of [
  [1280, {}],
  [390, PHONE],
]) {
  test(`the source is named, and all of it is on the screen at ${width} px`, async () => {
    const page = await open(at(ROOK), view);
    assert.match(await verdict(page), /White wins: zeroing in \d+ moves/);
    const source = page.locator("#verdict .source");
    assert.equal(await source.innerText(), "Source: Syzygy files; DTZ may be one ply more.");
    const box = await source.boundingBox();
    assert.ok(box.x >= 0 && box.x + box.width <= width && box.height > 0);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= width, `${wide} px`);
    assert.equal(await page.locator("#verdict details").count(), 1);
    await close(page);
  });
}

test("moves have the distances of the files, and those of no table a dash", async () => {
  const page = await open(at(ROOK) + "#line");
  await page.click("#switches [data-value=plies]");
  const first = page.locator("#moves-list .move").first();
  const texts = await first.locator(".figure").allInnerTexts();
  const figures = texts.map((text) => text.trim().split(/\s+/).pop());
  assert.match(figures.join(" "), /^– – \d+$/);
  const line = page.locator("#panel-line section").first();
  await line.locator(".step").first().waitFor();
  assert.match(await line.innerText(), /by DTZ/);
  assert.match(await line.innerText(), /White wins in \d+ plies/);
  await close(page);
});

test("a clock that rounding leaves open is told", async () => {
  const page = await open(at(ROOK));
  const { dtz } = await page.evaluate(
    async (fen) => (await fetch(`standard?fen=${encodeURIComponent(fen)}`)).json(),
    ROOK,
  );
  await page.fill("#fen", ROOK.replace("- 0", `- ${100 - dtz}`));
  await page.press("#fen", "Enter");
  await page.waitForFunction(() => /leave open/.test(document.querySelector("#verdict").innerText));
  assert.match(await verdict(page), /Maybe win|W/);
  assert.match(await page.innerText("#moves-list h2"), /erhaps winning|Winning/);
  await settled(page);
  await close(page);
});

test("an endgame without files says which table would know it", async () => {
  const page = await open(at(QUEEN_ROOK));
  assert.equal(await page.locator("#verdict .source").count(), 0);
  assert.match(await verdict(page), /KQvKR is not built/);
  await close(page);
});
