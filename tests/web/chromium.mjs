// Chromium, by its DevTools protocol over pipes.

import { spawn } from "node:child_process";

const CODES = { Esc: "Escape", Left: "ArrowLeft", Right: "ArrowRight", Space: " " };

export async function start(program, home) {
  const browser = spawn(program, [
    "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", `--user-data-dir=${home}`, "--no-first-run",
  ], { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });

  let number = 0, rest = "", session, target;
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
  function call(method, params = {}) {
    number += 1;
    browser.stdio[3].write(JSON.stringify({ id: number, method, params, sessionId: session }) + "\0");
    return new Promise((resolve, reject) => {
      waiting.set(number, ({ result, error }) => (error ? reject(new Error(`${method}: ${error.message}`)) : resolve(result)));
    });
  }

  return {
    messages,
    // A new window, with no other open.
    async window({ width, height, ratio, touch, light }) {
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
    },
    go: (url) => call("Page.navigate", { url }),
    async value(expression) {
      const { result, exceptionDetails } = await call("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
      if (exceptionDetails) throw new Error(`${expression}: ${exceptionDetails.exception?.description}`);
      return result.value ?? null;
    },
    async key(name) {
      const key = CODES[name] ?? name;
      const text = key.length === 1 ? key : undefined;
      const code = { Tab: 9, Enter: 13, Escape: 27 }[key];
      await call("Input.dispatchKeyEvent", { type: "keyDown", key, text, windowsVirtualKeyCode: code });
      await call("Input.dispatchKeyEvent", { type: "keyUp", key, windowsVirtualKeyCode: code });
    },
    text: (text) => call("Input.insertText", { text }),
    move: ([x, y]) => call("Input.dispatchMouseEvent", { type: "mouseMoved", x, y }),
    // A finger goes down at the first place, over the others, and up.
    async touch([first, ...others]) {
      const send = (type, touchPoints) => call("Input.dispatchTouchEvent", { type, touchPoints });
      await send("touchStart", [{ x: first[0], y: first[1] }]);
      for (const [x, y] of others) await send("touchMove", [{ x, y }]);
      await send("touchEnd", []);
    },
    async picture() {
      return Buffer.from((await call("Page.captureScreenshot", { format: "png" })).data, "base64");
    },
    async close() {
      browser.kill();
      await new Promise((resolve) => browser.once("exit", resolve));
    },
  };
}
