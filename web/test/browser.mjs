// A Chromium for the tests: the system's where there is one, else the one that an npm package carries.
import { existsSync } from "node:fs";
import { chromium } from "playwright-core";

const SYSTEM = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** A started browser. */
export async function launch() {
  const system = SYSTEM.find((path) => existsSync(path));
  if (system) return chromium.launch({ executablePath: system, args: ["--no-sandbox"] });
  const { default: packed } = await import("@sparticuz/chromium");
  packed.setGraphicsMode = false; // the page draws nothing with WebGL
  // In one process, closing a page would end the browser.
  const args = packed.args.filter((arg) => arg !== "--single-process");
  return chromium.launch({ executablePath: await packed.executablePath(), args });
}
