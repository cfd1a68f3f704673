// The panels: line, endgame, find, random, train, index; metrics and units.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  at,
  BASE,
  close,
  fen,
  finish,
  hands,
  MATE_IN_2,
  open,
  settled,
  start,
  verdict,
} from "./page.mjs";

before(start);
after(finish);

const answer = async (path) => (await fetch(BASE + path)).json();

test("metric and unit change the sentence, the figures and the order", async () => {
  const page = await open();
  const numbersIn = async (figures) =>
    (await figures.allInnerTexts()).map((text) => text.replace(/\D/g, ""));
  const figures = () => numbersIn(page.locator("#moves-list .move").first().locator(".figure"));
  assert.deepEqual(await figures(), ["33", "28", "28"]);
  await page.click("#switches [data-value=plies]");
  assert.deepEqual(await figures(), ["65", "55", "55"]);
  assert.match(await verdict(page), /mate in 65 plies, 33 moves; conversion in 55/);
  await page.keyboard.press("2");
  await settled(page);
  assert.match(await verdict(page), /White wins: conversion in 55 plies/);
  assert.match(page.url(), /metric=dtc/);
  const numbers = (
    await numbersIn(page.locator("#moves-list section:first-of-type .figure.chosen"))
  ).map(Number);
  assert.deepEqual(
    numbers,
    [...numbers].sort((a, b) => a - b),
  );
  await close(page);
});

test("moves are grouped by outcome with their counts, best and only moves are marked", async () => {
  const page = await open("?game=xiangqi");
  const headings = await page.locator("#moves-list h2").allInnerTexts();
  assert.deepEqual(
    headings.map((text) => text.replace(/\s+/g, " ")),
    ["W Winning 1", "D Drawing 4"],
  );
  assert.equal(await page.innerText("#moves-list .badge"), "only move");
  assert.match(await verdict(page), /only P6\+1 wins/);
  await close(page);
});

test("the line is stepped through, followed by a click, and its moves become the visitor's", async () => {
  const page = await open(at(MATE_IN_2) + "#line");
  const line = page.locator("#panel-line section").first();
  await line.locator(".step").first().waitFor();
  const moves = await line.locator(".step").allInnerTexts();
  assert.equal(moves.length, 3);
  await page.click("[data-value=next]");
  await settled(page);
  assert.equal(
    (await line.locator(".step").allInnerTexts()).length,
    3,
    "the line stays while it is followed",
  );
  await line.locator(".step").nth(2).click();
  await settled(page);
  assert.match(await verdict(page), /Checkmate/);
  await line.locator(".step").first().click();
  await settled(page);
  assert.match(await fen(page), / b /);
  await page.waitForSelector("#panel-line section:nth-of-type(2) .step");
  assert.equal(await page.locator("#panel-line section:nth-of-type(2) .step").count(), 3);
  await close(page);
});

test("text and PGN of the line are copied", async () => {
  const page = await open(at(MATE_IN_2) + "#line", {
    permissions: ["clipboard-read", "clipboard-write"],
  });
  await page.click("[data-value=text]");
  await page.waitForTimeout(100);
  assert.match(
    await page.evaluate(() => navigator.clipboard.readText()),
    /^1\.\sK\w+ K\w+ 2\.\sR\w+#$/,
  );
  await page.click("[data-value=pgn]");
  await page.waitForTimeout(300);
  assert.match(await page.evaluate(() => navigator.clipboard.readText()), /\[FEN "k7\/8\/2K5/);
  await close(page);
});

test("the histogram marks the position, and a bar opens a position of its distance", async () => {
  const page = await open("#endgame");
  await page.waitForSelector(".bar-button.current");
  assert.match(
    await page.getAttribute(".bar-button.current", "aria-label"),
    /mate in 33 moves: .* positions?, the position on the board/,
  );
  await page.focus(".bar-button.current");
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() =>
    document.querySelector("#verdict").innerText.includes("mate in 2 moves"),
  );
  await page.click("#panel-endgame summary");
  const rows = await page.locator("#panel-endgame tbody tr").count();
  assert.equal(rows, await page.locator(".bar-button").count());
  await close(page);
});

test("shares, longest wins, zugzwangs and what an endgame leads into", async () => {
  const page = await open(at("8/8/8/8/1n6/4K3/3R4/4k3 w - - 0 1") + "#endgame");
  await page.waitForSelector("#panel-endgame .pager");
  const text = await page.innerText("#panel-endgame");
  assert.match(text, /White to move[\s\S]*wins 48\.\d %, draws 51\.\d %, loses 0\.0 %/);
  assert.match(text, /18: 0 of a full point, 18 cost White half a point, 0 cost Black/);
  assert.match(text, /White wins, White to move: mate in 40 moves/);
  await page.click("#panel-endgame .pager button:last-child");
  await page.waitForFunction(() =>
    document.querySelector("#panel-endgame .pager").innerText.includes("9 to 16"),
  );
  await page.click("#panel-endgame .card >> nth=0");
  await settled(page);
  assert.match(await verdict(page), /mate in 40 moves/);
  await page.click("#panel-endgame section:last-of-type .small >> nth=1");
  await page.waitForFunction(
    () => document.querySelector("#panel-endgame h2")?.innerText === "KRvK",
  );
  await close(page);
});

test("positions are found by a query, in pages, and a wrong query is explained", async () => {
  const page = await open("#find");
  await page.fill("#find-material", "KQvKR");
  await page.fill("#find-query", "wtm win and dtm == max");
  await page.click("#panel-find .primary >> nth=0");
  await page.waitForSelector("#panel-find .card");
  assert.match(await page.innerText("#panel-find [role=status] >> nth=0"), /\d+ positions/);
  await page.click("#panel-find .card >> nth=0");
  await settled(page);
  assert.match(await verdict(page), /mate in 35 moves, 69 plies/);
  await page.fill("#find-query", "wtm and");
  await page.keyboard.press("Enter");
  await page.waitForSelector("#panel-find .problem");
  await page.click("#panel-find .word >> nth=0");
  assert.equal(await page.inputValue("#find-query"), "wtm and wtm");
  await close(page);
});

test("a random position has the kind and the distance that were asked for", async () => {
  const page = await open("#find");
  await page.click("#panel-find [data-value=won]");
  await page.fill("#random-min", "31");
  await page.fill("#random-max", "31");
  await page.click("#panel-find .primary >> nth=1");
  await page.waitForFunction(() =>
    document.querySelector("#verdict").innerText.includes("mate in 16 moves, 31 plies"),
  );
  await page.fill("#random-min", "999");
  await page.fill("#random-max", "999");
  await page.click("#panel-find .primary >> nth=1");
  await page.waitForSelector("#verdict .problem");
  await close(page);
});

test("training: best moves keep the win to mate, the page hides what it knows, hints and take-backs work", async () => {
  const page = await open(at("8/8/8/8/8/2k5/8/K6Q b - - 0 1") + "#train");
  await page.goto(BASE + at(MATE_IN_2) + "#train");
  await settled(page);
  await page.click("#train-here");
  await page.waitForSelector("#train-hint");
  assert.equal(await page.locator("#moves-list .move").count(), 0);
  assert.doesNotMatch(await verdict(page), /mate in/);
  await page.click("#train-hint");
  await page.click("#train-hint");
  assert.match(await page.innerText("#panel-train"), /Try \w+/);
  await hands.drag(page, "h1g1");
  await page.waitForSelector(".remarks li");
  await page.click("#train-undo");
  await page.waitForFunction(() => document.querySelectorAll(".remarks li").length === 0);
  await settled(page);
  assert.equal(await fen(page), MATE_IN_2);
  for (let turn = 1; turn <= 2; turn++) {
    const known = await answer(`standard?fen=${encodeURIComponent(await fen(page))}&metric=dtz`);
    await hands.click(page, known.moves[0].uci);
    await page.waitForFunction((n) => document.querySelectorAll(".remarks li").length === n, turn);
    await page.waitForFunction(
      () => !document.querySelector("#panel-train h2").innerText.includes("…"),
    );
    await settled(page);
  }
  assert.match(
    await page.innerText("#panel-train"),
    /The lesson is over\s*2 of 2 moves kept the outcome/,
  );
  await page.click("#train-stop");
  assert.match(await verdict(page), /Checkmate/);
  await close(page);
});

test("training: a slip is called one, and another position comes on demand", async () => {
  const page = await open("#train");
  await page.fill("#train-material", "KRvK");
  await page.click("#panel-train [type=submit]");
  await page.waitForSelector("#train-hint");
  const first = await fen(page);
  await page.click("#train-next");
  await page.waitForFunction((old) => document.querySelector("#fen").value !== old, first);
  await settled(page);
  const known = await answer(`standard?fen=${encodeURIComponent(await fen(page))}`);
  assert.equal(known.category, "win");
  const worst = known.moves[known.moves.length - 1];
  await hands.type(page, worst.uci);
  await page.waitForSelector(".remarks li");
  const chip = await page.innerText(".remarks .chip");
  assert.equal(chip, worst.category === "loss" ? "kept" : "slip");
  await close(page);
});

test("the index lists endgames by men, finds them by name, and opens one", async () => {
  const page = await open("#index");
  await page.waitForSelector(".endgames");
  assert.equal(await page.getAttribute("#index [data-value='4']", "aria-pressed"), "true");
  await page.fill("#index-search", "krvkn");
  assert.equal(await page.locator(".endgames tbody tr").count(), 1);
  await page.click(".endgames .link");
  await page.waitForSelector("#panel-endgame .share");
  assert.match(page.url(), /#endgame$/);
  await page.goBack();
  await page.waitForSelector(".endgames");
  await page.fill("#index-search", "");
  await page.click("#index [data-value='5']");
  await page.waitForSelector(".endgames .build");
  assert.match(await page.innerText(".endgames .build"), /of memory, .* of disk/);
  await close(page);
});

test("tables that are missing are named with the command that builds them", async () => {
  const page = await open(at("8/8/8/3k4/8/2r5/8/KQQ5 w - - 0 1"));
  assert.match(
    await verdict(page),
    /KQQvKR is not built \(DTM, DTC, DTZ\)\.\s*unmove build KQQvKR --metric dtm/,
  );
  assert.ok((await page.locator("#moves-list .move").count()) > 20, "moves are still to be made");
  await close(page);
});
