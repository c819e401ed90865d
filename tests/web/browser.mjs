// Drives Chromium by its DevTools protocol, over pipes: serves a folder, reads one command a line as JSON,
// answers each with a line.
//
// { open, width, height, ratio, touch, light } -> when the first cells were there, in milliseconds
// { until } -> waits until an expression is true; { value } -> that of an expression
// { key }, { text }, { click: [x, y] }, { tap: [x, y] }, { swipe: [[x, y], [x, y]] } -> null
// { messages } -> what the page has put on its console so far

import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { createInterface } from "node:readline";

const [folder, program] = process.argv.slice(2);
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".woff2": "font/woff2" };
const server = createServer((request, response) => {
  try {
    const path = new URL(request.url, "http://x").pathname;
    const body = path === "/slide.html"
      ? `<link rel="icon" href="data:,"><iframe title="a run" width="800" height="500" src="/index.html#kernel=tiled&embed=1"></iframe>`
      : readFileSync(join(folder, path === "/" ? "index.html" : path));
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
const browser = spawn(program, [
  "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", `--user-data-dir=${home}`, "--no-first-run",
], { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });

let number = 0, rest = "";
const waiting = new Map(), messages = [];
browser.stdio[4].setEncoding("utf8").on("data", (text) => {
  const parts = (rest + text).split("\0");
  rest = parts.pop();
  for (const part of parts.map(JSON.parse)) {
    if (part.id) waiting.get(part.id)?.(part);
    else if (part.method === "Runtime.consoleAPICalled") messages.push(part.params.args.map((arg) => arg.value).join(" "));
    else if (part.method === "Runtime.exceptionThrown") messages.push(part.params.exceptionDetails.exception?.description ?? "an exception");
    else if (part.method === "Log.entryAdded") messages.push(part.params.entry.text);
  }
});
let session;
function call(method, params = {}) {
  number += 1;
  browser.stdio[3].write(JSON.stringify({ id: number, method, params, sessionId: session }) + "\0");
  return new Promise((resolve, reject) => {
    waiting.set(number, ({ result, error }) => (error ? reject(new Error(`${method}: ${error.message}`)) : resolve(result)));
  });
}
async function value(expression) {
  const { result, exceptionDetails } = await call("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
  if (exceptionDetails) throw new Error(`${expression}: ${exceptionDetails.exception?.description}`);
  return result.value ?? null;
}
async function until(expression) {
  for (const begun = performance.now(); performance.now() - begun < 60_000;) {
    // A page that is not there yet knows nothing.
    if (await value(expression).catch(() => false)) return Math.round(performance.now() - begun);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const shown = await value("window.matviz?.text()").catch(String);
  throw new Error(`never: ${expression}\n${shown}\n${messages.join("\n")}`);
}

let target;
async function open({ open, width = 1280, height = 800, ratio = 1, touch = false, light = false }) {
  if (target) {
    await call("Page.close");
    session = undefined;
  }
  ({ targetId: target } = await call("Target.createTarget", { url: "about:blank" }));
  ({ sessionId: session } = await call("Target.attachToTarget", { targetId: target, flatten: true }));
  for (const domain of ["Page", "Runtime", "Log"]) await call(`${domain}.enable`);
  await call("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: ratio, mobile: touch });
  await call("Emulation.setTouchEmulationEnabled", { enabled: touch });
  await call("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: light ? "light" : "dark" }] });
  const begun = performance.now();
  await call("Page.navigate", { url: address + open });
  await until("document.documentElement.dataset.drawn !== undefined || location.pathname === '/slide.html'");
  return Math.round(performance.now() - begun);
}

const CODES = { Esc: "Escape", Left: "ArrowLeft", Right: "ArrowRight", Space: " " };
async function key(name) {
  const key = CODES[name] ?? name;
  const text = key.length === 1 ? key : undefined;
  const code = { Tab: 9, Enter: 13, Escape: 27 }[key];
  await call("Input.dispatchKeyEvent", { type: "keyDown", key, text, windowsVirtualKeyCode: code });
  await call("Input.dispatchKeyEvent", { type: "keyUp", key, windowsVirtualKeyCode: code });
}
async function click([x, y]) {
  for (const type of ["mousePressed", "mouseReleased"]) {
    await call("Input.dispatchMouseEvent", { type, x, y, button: "left", buttons: 1, clickCount: 1 });
  }
}
async function swipe(from, to) {
  const touch = (type, at) => call("Input.dispatchTouchEvent", { type, touchPoints: at ? [{ x: at[0], y: at[1] }] : [] });
  await touch("touchStart", from);
  if (to) await touch("touchMove", to);
  await touch("touchEnd");
}

async function answer(line) {
  if (line.open) return open(line);
  if (line.until) return until(line.until);
  if (line.value) return value(line.value);
  if (line.key) return key(line.key);
  if (line.text) return call("Input.insertText", { text: line.text });
  if (line.click) return click(line.click);
  if (line.tap) return swipe(line.tap);
  if (line.swipe) return swipe(...line.swipe);
  return messages.splice(0);
}

try {
  for await (const line of createInterface({ input: process.stdin })) {
    console.log(JSON.stringify(await answer(JSON.parse(line)) ?? null));
  }
} finally {
  browser.kill();
  server.close();
  await new Promise((resolve) => browser.once("exit", resolve));
  rmSync(home, { recursive: true, force: true });
}
