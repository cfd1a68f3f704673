// Builds the page: bundle and style in static/, index.html beside them. No file names a host.
//   node build.mjs [--out FOLDER] [--dev]
import { build } from "esbuild";
import { copyFile, mkdir, rm } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { piecesCss } from "./art/pieces.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const argument = (name) => process.argv[process.argv.indexOf(name) + 1];
const out = process.argv.includes("--out")
  ? resolve(argument("--out"))
  : resolve(here, "../src/unmove/service/page");
const dev = process.argv.includes("--dev");

// The drawings of the men are one style sheet, made from the files in art/.
const pieces = {
  name: "pieces",
  setup(b) {
    b.onResolve({ filter: /^pieces\.css$/ }, () => ({ path: "pieces.css", namespace: "art" }));
    b.onLoad({ filter: /.*/, namespace: "art" }, async () => ({
      contents: await piecesCss(),
      loader: "css",
      resolveDir: here,
    }));
  },
};

await rm(out, { recursive: true, force: true });
await mkdir(resolve(out, "static"), { recursive: true });
await build({
  entryPoints: { explorer: resolve(here, "src/main.ts"), style: resolve(here, "style/main.css") },
  outdir: resolve(out, "static"),
  bundle: true,
  format: "esm",
  target: ["es2022", "chrome123", "firefox120", "safari17.5"],
  minify: !dev,
  sourcemap: dev ? "inline" : false,
  legalComments: "none",
  logLevel: "warning",
  plugins: [pieces],
});
await copyFile(resolve(here, "index.html"), resolve(out, "index.html"));
await copyFile(resolve(here, "art/icon.svg"), resolve(out, "static/icon.svg"));
