// Firefox, by WebDriver BiDi. Needs node's WebSocket, which node 20 has with --experimental-websocket.

import { spawn } from "node:child_process";

const CODES = { Esc: "\uE00C", Enter: "\uE007", Tab: "\uE004", Left: "\uE012", Right: "\uE014", Space: " " };

export async function start(program, home) {
  const browser = spawn(program, ["--headless", "--no-remote", "--profile", home, "--remote-debugging-port", "0"], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  const address = await new Promise((resolve, reject) => {
    let said = "";
    browser.stderr.setEncoding("utf8").on("data", (text) => {
      said += text;
      const found = /listening on (ws:\S+)/.exec(said);
      if (found) resolve(found[1]);
    });
    browser.once("exit", () => reject(new Error(`it has ended:\n${said}`)));
  });
  const socket = new WebSocket(`${address}/session`);
  await new Promise((resolve, reject) => Object.assign(socket, { onopen: resolve, onerror: reject }));
  let number = 0;
  const waiting = new Map(), messages = [];
  socket.onmessage = ({ data }) => {
    const told = JSON.parse(data);
    if (told.id) waiting.get(told.id)(told);
    else if (told.method === "log.entryAdded") messages.push(told.params.text);
  };
  function call(method, params = {}) {
    number += 1;
    socket.send(JSON.stringify({ id: number, method, params }));
    return new Promise((resolve, reject) => {
      waiting.set(number, ({ result, error, message }) => (error ? reject(new Error(`${method}: ${message}`)) : resolve(result)));
    });
  }
  await call("session.new", { capabilities: {} });
  await call("session.subscribe", { events: ["log.entryAdded"] });
  const { contexts: [{ context }] } = await call("browsingContext.getTree");

  return {
    messages,
    async window({ width, height, ratio }) {
      await call("browsingContext.navigate", { context, url: "about:blank", wait: "complete" });
      await call("browsingContext.setViewport", { context, viewport: { width, height }, devicePixelRatio: ratio });
    },
    go: (url) => call("browsingContext.navigate", { context, url, wait: "none" }),
    async value(expression) {
      const whole = `(async () => JSON.stringify((await (${expression})) ?? null))()`;
      const told = await call("script.evaluate", { expression: whole, target: { context }, awaitPromise: true });
      if (told.type !== "success") throw new Error(`${expression}: ${told.exceptionDetails.text}`);
      return JSON.parse(told.result.value);
    },
    key(name) {
      const value = CODES[name] ?? name;
      const actions = ["keyDown", "keyUp"].map((type) => ({ type, value }));
      return call("input.performActions", { context, actions: [{ type: "key", id: "keys", actions }] });
    },
    async picture() {
      return Buffer.from((await call("browsingContext.captureScreenshot", { context })).data, "base64");
    },
    async close() {
      browser.kill();
      await new Promise((resolve) => browser.once("exit", resolve));
    },
  };
}
