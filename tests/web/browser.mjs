// Drives a page in a browser: serves a folder, reads one command a line as JSON, answers each with a line.
//
// { open, width, height, ratio, touch, light } -> when the first cells were there, in milliseconds
// { until } -> waits until an expression is true; { value } -> that of an expression
// { key }, { text }, { move: [x, y] }, { touch: [[x, y], ...] } -> null
// { messages } -> what the page has put on its console so far
// { picture: file } -> null

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { createInterface } from "node:readline";

const [folder, driver, program] = process.argv.slice(2);
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".woff2": "font/woff2" };
const SLIDE = `<link rel="icon" href="data:,"><iframe title="a run" width="800" height="500" \
src="/index.html#kernel=tiled&panel=stage&embed=1&play=1"></iframe>`;
const server = createServer((request, response) => {
  try {
    const path = new URL(request.url, "http://x").pathname;
    const body = path === "/slide.html" ? SLIDE : readFileSync(join(folder, path === "/" ? "index.html" : path));
    response.writeHead(200, { "content-type": TYPES[extname(path)] ?? (path === "/" ? "text/html" : "application/gzip") });
    response.end(body);
  } catch {
    response.writeHead(404);
    response.end();
  }
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
const address = `http://127.0.0.1:${server.address().port}`;

const home = mkdtempSync(join(tmpdir(), "matviz-web-"));
const browser = await (await import(`./${driver}.mjs`)).start(program, home);

async function until(expression) {
  for (const begun = performance.now(); performance.now() - begun < 60_000;) {
    // A page that is not there yet knows nothing.
    if (await browser.value(expression).catch(() => false)) return Math.round(performance.now() - begun);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const shown = await browser.value("window.matviz?.text()").catch(String);
  throw new Error(`never: ${expression}\n${shown}\n${browser.messages.join("\n")}`);
}

async function open({ open, width = 1280, height = 800, ratio = 1, touch = false, light = false }) {
  await browser.window({ width, height, ratio, touch, light });
  const begun = performance.now();
  await browser.go(address + open);
  await until("document.documentElement.dataset.drawn !== undefined || location.pathname === '/slide.html'");
  return Math.round(performance.now() - begun);
}

async function answer(line) {
  if (line.open) return open(line);
  if (line.until) return until(line.until);
  if (line.value) return browser.value(line.value);
  if (line.key) return browser.key(line.key);
  if (line.text) return browser.text(line.text);
  if (line.move) return browser.move(line.move);
  if (line.touch) return browser.touch(line.touch);
  if (line.picture) return writeFileSync(line.picture, await browser.picture());
  return browser.messages.splice(0);
}

try {
  for await (const line of createInterface({ input: process.stdin })) {
    console.log(JSON.stringify(await answer(JSON.parse(line)) ?? null));
  }
} finally {
  server.close();
  await browser.close();
  // Its children may still write there for a moment.
  for (let tries = 0; tries < 50; tries++) {
    try {
      rmSync(home, { recursive: true, force: true });
      break;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}
