// The two pictures of the README, from a running server: UNMOVE_URL=http://127.0.0.1:8000/ node screenshots.mjs
import { fileURLToPath } from "node:url";
import { launch } from "./test/browser.mjs";

const BASE = process.env.UNMOVE_URL ?? "http://127.0.0.1:8000/";
const PICTURES = [
  {
    name: "explorer-chess",
    path: "#endgame",
    height: 1064,
    colorScheme: "light",
    ready: ".bar-button.current",
    hover: "#moves-list .move",
  },
  {
    name: "explorer-xiangqi",
    path: "?game=xiangqi#line",
    height: 900,
    colorScheme: "dark",
    ready: "#panel-line .step",
    hover: "#moves-list .move",
  },
];

const browser = await launch();
for (const { name, path, height, colorScheme, ready, hover } of PICTURES) {
  const viewport = { width: 1280, height };
  const context = await browser.newContext({ viewport, colorScheme });
  const page = await context.newPage();
  await page.goto(BASE + path);
  await page.waitForSelector(ready);
  await page.hover(hover);
  await page.waitForTimeout(500);
  const out = fileURLToPath(new URL(`../docs/images/${name}.png`, import.meta.url));
  await page.screenshot({ path: out, clip: { x: 0, y: 0, ...viewport } });
  await context.close();
}
await browser.close();
