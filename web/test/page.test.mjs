// The page as a whole: links, narrow and dark, access, weight, hosts, failures.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createServer, request } from "node:http";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";
import {
  at,
  BASE,
  close,
  fen,
  finish,
  hands,
  MATE_IN_2,
  open,
  PHONE,
  settled,
  start,
  verdict,
} from "./page.mjs";

before(start);
after(finish);

const START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
const PANELS = ["moves", "line", "endgame", "find", "train", "index"];
/** The same page at another address, loaded anew. */
async function visit(page, path) {
  await page.goto("about:blank");
  await page.goto(BASE + path);
  await settled(page);
}

const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

test("a link opens game, position, metric and panel", async () => {
  const page = await open("?fen=8/8/8/3k4/8/2r5/8/KQ6_w_-_-_0_1&metric=dtc&game=chess#endgame");
  assert.equal(await page.getAttribute("#switches [data-value=dtc]", "aria-pressed"), "true");
  assert.equal(await page.getAttribute("#tab-endgame", "aria-selected"), "true");
  await close(page);
  const other = await open("?game=xiangqi#find");
  assert.equal(await other.getAttribute("#games [data-value=xiangqi]", "aria-pressed"), "true");
  assert.ok(await other.isVisible("#panel-find"));
  await close(other);
});

test("the address follows game, panel and flip, and the game follows the FEN", async () => {
  const page = await open();
  await page.click("#games [data-value=xiangqi]");
  await settled(page);
  assert.match(page.url(), /game=xiangqi/);
  await page.click("#tab-train");
  assert.match(page.url(), /#train$/);
  await page.fill("#fen", MATE_IN_2);
  await page.waitForFunction(() => location.search.includes("game=chess"));
  await settled(page);
  assert.equal(await page.getAttribute("#games [data-value=chess]", "aria-pressed"), "true");
  await close(page);
});

for (const [name, options, sizes] of [
  [
    "a phone",
    PHONE,
    [
      [390, 844],
      [320, 640],
    ],
  ],
  [
    "a desk",
    {},
    [
      [768, 1024],
      [1024, 768],
      [1280, 720],
    ],
  ],
])
  test(`no sideways scroll at any width of ${name}, in any panel of either game`, async () => {
    const page = await open("", options);
    for (const game of ["chess", "xiangqi"])
      for (const panel of PANELS) {
        await visit(page, `?game=${game}#${panel}`);
        if (panel === "endgame") await page.waitForSelector("#panel-endgame .share");
        if (panel === "index") await page.waitForSelector(".endgames");
        if (panel === "moves") await page.keyboard.press("e");
        for (const [width, height] of sizes) {
          await page.setViewportSize({ width, height });
          // The board follows the width a moment later. A phone shows a page that is too wide as a
          // whole, so its `innerWidth` grows with it.
          const wide = () => page.evaluate(() => document.documentElement.scrollWidth);
          for (let i = 0; i < 20 && (await wide()) !== width; i++) await page.waitForTimeout(50);
          assert.equal(await wide(), width, `${game} ${panel}`);
        }
      }
    await close(page);
  });

test("on a phone a long FEN in a sentence wraps, and a line is shown whole", async () => {
  const page = await open(at(START) + "#line", PHONE);
  await page.waitForSelector("#panel-line .empty:has-text('castling')");
  assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= PHONE.width);
  await visit(page, "#line");
  await page.waitForSelector("#panel-line .step");
  const [whole, seen] = await page
    .locator("#panel-line .strip")
    .first()
    .evaluate((strip) => [strip.scrollHeight, strip.clientHeight]);
  assert.equal(whole, seen);
  await close(page);
});

test("at 1280 by 720 verdict, ten moves and board are seen without scrolling", async () => {
  const page = await open();
  const bottom = async (selector) => {
    const box = await page.locator(selector).boundingBox();
    return box.y + box.height;
  };
  assert.ok((await bottom("#board-frame")) <= 720);
  assert.ok((await bottom("#verdict")) <= 720);
  const list = await page.locator("#moves-list").boundingBox();
  assert.ok((await bottom("#moves-list .move >> nth=9")) <= Math.min(720, list.y + list.height));
  const { width, height } = await page.locator("#board cg-board").boundingBox();
  assert.deepEqual([width, height], [560, 560]);
  await page.click("#games [data-value=xiangqi]");
  await settled(page);
  const box = await page.locator("#board cg-board").boundingBox();
  assert.deepEqual([box.width, box.height], [504, 560]);
  await close(page);
});

test("on a phone the board is as wide as the page, with cells of 48 and 43 px", async () => {
  const page = await open("", PHONE);
  const width = async () => (await page.locator("#board cg-board").boundingBox()).width;
  assert.equal(await width(), 8 * 48);
  await page.click("#games [data-value=xiangqi]");
  await settled(page);
  assert.equal(await width(), 9 * 43);
  await close(page);
});

const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
const CONTRAST = { type: "rule", values: ["color-contrast"] };

/** What axe finds in the page, in a line for each rule. */
async function violations(page, runOnly) {
  const found = await page.evaluate(
    (rules) => window.axe.run(document, { runOnly: rules }),
    runOnly,
  );
  return found.violations.map(
    (v) =>
      `${v.impact} ${v.id}: ${v.nodes
        .slice(0, 3)
        .map((n) => n.target.join(" "))
        .join(" | ")}`,
  );
}

for (const [name, options] of [
  ["a desk", {}],
  ["a phone", PHONE],
])
  test(`axe finds nothing in any panel, in light or dark: ${name}`, async () => {
    const page = await open("", { ...options, reducedMotion: "reduce" });
    for (const path of [
      ...PANELS.map((panel) => `#${panel}`),
      "?game=xiangqi#line",
      "?fen=8/8/8/8/8/8/8/8",
    ]) {
      await page.emulateMedia({ colorScheme: "light" });
      await visit(page, path);
      if (path === "#endgame")
        await page.waitForSelector("#panel-endgame .pager, #panel-endgame .empty");
      if (path === "#index") await page.waitForSelector(".endgames");
      if (path === "#line") await page.keyboard.press("e");
      if (path === "#moves") await page.keyboard.press("?");
      await page.waitForTimeout(100);
      await page.evaluate(axe);
      assert.deepEqual(await violations(page, RULES), [], path);
      await page.emulateMedia({ colorScheme: "dark" });
      await page.waitForTimeout(100);
      assert.deepEqual(await violations(page, CONTRAST), [], `${path}, dark`);
    }
    await close(page);
  });

test("the switch of colours beats the system, and is kept", async () => {
  const page = await open("", { colorScheme: "dark" });
  const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  assert.equal(await paper(), "rgb(21, 24, 28)");
  await page.click("#theme");
  assert.equal(await paper(), "rgb(245, 243, 238)");
  await page.reload();
  await settled(page);
  assert.equal(await paper(), "rgb(245, 243, 238)");
  await close(page);
});

test("the page weighs less than 150 kB, asks no other host, and one question brings the first verdict", async () => {
  const page = await open();
  const urls = [...new Set(page.requests)].filter((url) => !url.startsWith("data:"));
  assert.deepEqual(
    urls.filter((url) => !url.startsWith(BASE)),
    [],
  );
  let weight = 0;
  for (const url of urls.filter((u) => u === BASE || u.includes("/static/")))
    weight += gzipSync(Buffer.from(await (await fetch(url)).arrayBuffer())).length;
  assert.ok(weight < 150_000, `${weight} bytes`);
  const first = urls.findIndex((url) => url.includes("/standard"));
  assert.ok(
    urls.slice(0, first).every((url) => url === BASE || url.includes("/static/")),
    urls.join(" "),
  );
  await close(page);
});

test("the page works from a sub-path", async (t) => {
  const proxy = createServer((incoming, outgoing) => {
    if (!incoming.url.startsWith("/deep/er/")) return outgoing.writeHead(404).end();
    const target = new URL(incoming.url.slice("/deep/er/".length), BASE);
    const headers = { ...incoming.headers, host: target.host };
    return request(target, { headers }, (answer) => {
      outgoing.writeHead(answer.statusCode, answer.headers);
      answer.pipe(outgoing);
    }).end();
  });
  await new Promise((done) => proxy.listen(0, "127.0.0.1", done));
  t.after(() => {
    proxy.close();
    proxy.closeAllConnections();
  });
  const base = `http://127.0.0.1:${proxy.address().port}/deep/er/`;
  const page = await open(at(MATE_IN_2), { base });
  await hands.drag(page, "c6c7");
  await settled(page);
  assert.ok(page.url().startsWith(base));
  assert.match(await verdict(page), /White wins/);
  await close(page);
});

test("whatever stands in the address is shown as text, or not at all", async () => {
  for (const bad of [
    "<img src=x onerror=alert(1)>",
    "javascript:alert(1)",
    "8/8/8/8/8/8/8/8/8/8/8/8 w",
    "%00",
    "9999999999",
    "ＫＱ６/８ w",
    "\u202e",
    "k".repeat(3000),
  ]) {
    const page = await open(`?fen=${encodeURIComponent(bad)}&metric=<b>&game=go#<script>`);
    await page.waitForSelector("#verdict .problem");
    assert.equal(await page.locator("img[src=x]").count(), 0);
    assert.ok(await page.isVisible("#board cg-board"));
    await page.click("#games [data-value=xiangqi]");
    await settled(page);
    assert.match(await verdict(page), /Red wins/, "the page goes on");
    await close(page);
  }
});

test("a server that is gone is told in a sentence, and the page goes on when it is back", async () => {
  const page = await open(at(MATE_IN_2));
  await page.route("**/standard?**", (route) => route.abort());
  await hands.drag(page, "c6c7");
  await page.waitForSelector("#verdict .problem");
  assert.match(await verdict(page), /The server does not answer/);
  assert.equal(await fen(page), MATE_IN_2, "the move is not made");
  await page.unroute("**/standard?**");
  await hands.drag(page, "c6c7");
  await settled(page);
  assert.match(await verdict(page), /White wins/);
  await close(page);
});

test("a busy server is asked again after the time it names", async () => {
  const page = await open(at(MATE_IN_2));
  let refusals = 0;
  await page.route("**/standard?**", (route) =>
    refusals++ === 0
      ? route.fulfill({
          status: 429,
          headers: { "retry-after": "1" },
          contentType: "text/plain",
          body: "Slow down.",
        })
      : route.continue(),
  );
  await hands.drag(page, "c6c7");
  await page.waitForFunction(() => document.querySelector("#fen").value.includes(" b "));
  assert.equal(refusals, 2);
  await close(page);
});

test("an answer that comes late does not replace a newer one", async () => {
  const page = await open(at(MATE_IN_2));
  await page.route("**/standard?**", async (route) => {
    if (route.request().url().includes("dtc")) await new Promise((done) => setTimeout(done, 700));
    await route.continue().catch(() => undefined);
  });
  await page.keyboard.press("2");
  await page.keyboard.press("3");
  await settled(page);
  await page.waitForTimeout(900);
  assert.match(await verdict(page), /White wins: zeroing/);
  assert.match(page.url(), /metric=dtz/);
  await close(page);
});

test("no key does anything while one types, and the help lists the keys", async () => {
  const page = await open();
  const before = await fen(page);
  await page.focus("#move-text");
  await page.keyboard.type("fex ?12");
  assert.equal(await fen(page), before);
  assert.ok(!(await page.evaluate(() => document.body.classList.contains("editing"))));
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press("?");
  const help = await page.innerText("#help");
  for (const key of ["Space", "flip", "edit", "FEN", "DTM, DTC, DTZ", "Escape"])
    assert.ok(help.includes(key), key);
  await page.keyboard.press("Escape");
  await page.waitForSelector("#help", { state: "hidden" });
  await page.keyboard.press("f");
  await settled(page);
  assert.equal(
    await page.getAttribute(
      "#grid [role=row]:first-child [role=gridcell]:first-child",
      "data-square",
    ),
    "h1",
  );
  await close(page);
});
