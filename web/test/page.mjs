// What the tests do with the page: open it, find squares, make moves with each kind of hand.
import assert from "node:assert/strict";
import { launch } from "./browser.mjs";

export const BASE = process.env.UNMOVE_URL ?? "http://127.0.0.1:8000/";
/** Milliseconds, on a busy machine. */
const PATIENCE = 90_000;
export const MATE_IN_2 = "k7/8/2K5/8/8/8/8/7R w - - 0 1";
export const PHONE = { width: 390, height: 844, hasTouch: true, isMobile: true };
export const at = (position) => `?fen=${encodeURIComponent(position)}`;

let browser;

export async function start() {
  browser = await launch();
}

export async function finish() {
  await browser.close();
}

/** A page at an address, in a context of its own; what goes wrong in it is in `page.failures`. */
export async function open(
  path = "",
  { width = 1280, height = 720, base = BASE, ...options } = {},
) {
  const context = await browser.newContext({ viewport: { width, height }, ...options });
  context.setDefaultTimeout(PATIENCE);
  const page = await context.newPage();
  page.failures = [];
  page.requests = [];
  page.on("pageerror", (error) => page.failures.push(String(error)));
  page.on("console", (message) => {
    // A refusal of the server is an answer; the browser logs it all the same.
    const refused = message.text().includes("Failed to load resource");
    if (message.type() === "error" && !refused) page.failures.push(message.text());
  });
  page.on("request", (request) => page.requests.push(request.url()));
  await page.goto(base + path);
  await settled(page);
  return page;
}

/** Closes the page and says what went wrong in it. */
export async function close(page) {
  const { failures } = page;
  await page.context().close();
  assert.deepEqual(failures, []);
}

/** The page has its answer. */
export async function settled(page) {
  await page.waitForSelector("#board-frame[aria-busy=false]", { state: "attached" });
  await page.waitForTimeout(30);
  await page.waitForSelector("#board-frame[aria-busy=false]", { state: "attached" });
}

export const fen = (page) => page.inputValue("#fen");
export const verdict = (page) => page.innerText("#verdict");
export const firstMove = (page) => page.getAttribute("#moves-list .move", "data-uci");

export const parts = (uci) => {
  const [, from, to] = /^([a-i]\d+)([a-i]\d+)/.exec(uci);
  return { from, to };
};

/** The middle of a square on the screen. */
export async function middle(page, square) {
  const box = await page.locator(`#grid [data-square="${square}"]`).boundingBox();
  return [box.x + box.width / 2, box.y + box.height / 2];
}

/** Each hand makes a move that is given in coordinates. */
export const hands = {
  async drag(page, uci) {
    const { from, to } = parts(uci);
    await page.mouse.move(...(await middle(page, from)));
    await page.mouse.down();
    await page.mouse.move(...(await middle(page, to)), { steps: 4 });
    await page.mouse.up();
  },
  async click(page, uci) {
    const { from, to } = parts(uci);
    await page.mouse.click(...(await middle(page, from)));
    await page.mouse.click(...(await middle(page, to)));
  },
  async tap(page, uci) {
    const { from, to } = parts(uci);
    await page.touchscreen.tap(...(await middle(page, from)));
    await page.touchscreen.tap(...(await middle(page, to)));
  },
  async keys(page, uci) {
    const { from, to } = parts(uci);
    await walk(page, from);
    await page.keyboard.press("Enter");
    await walk(page, to);
    await page.keyboard.press("Enter");
  },
  async type(page, uci) {
    await page.keyboard.press("m");
    await page.keyboard.type(uci);
    await page.keyboard.press("Enter");
    await page.evaluate(() => document.activeElement.blur());
  },
  async list(page, uci) {
    await page.click(`#moves-list .move[data-uci="${uci}"]`);
  },
};

/** The focus of the grid is on the square, by arrows alone. */
async function walk(page, square) {
  const now = await page.evaluate(() => document.activeElement.dataset.square);
  assert.ok(now, "the focus is on the board");
  const file = square.charCodeAt(0) - now.charCodeAt(0);
  const rank = Number(square.slice(1)) - Number(now.slice(1));
  for (let i = 0; i < Math.abs(file); i++)
    await page.keyboard.press(file > 0 ? "ArrowRight" : "ArrowLeft");
  for (let i = 0; i < Math.abs(rank); i++)
    await page.keyboard.press(rank > 0 ? "ArrowUp" : "ArrowDown");
  assert.equal(await page.evaluate(() => document.activeElement.dataset.square), square);
}

/** Best moves of both sides are made with a hand until nobody can move; how many there were. */
export async function playToEnd(page, hand, limit = 40) {
  for (let made = 0; made <= limit; made++) {
    const uci = await page.evaluate(() => document.querySelector("#moves-list .move")?.dataset.uci);
    if (!uci) return made;
    const before = await fen(page);
    await hand(page, uci);
    await page.waitForFunction((old) => document.querySelector("#fen").value !== old, before);
    await settled(page);
  }
  assert.fail("the game does not end");
}
