// Drives the page's module without a browser: reads one place a line as JSON, answers each with a line.
// { link, size: [columns, rows], keys: [...], pass, edit, most, wishes } -> { svg, text, link, slowest, memory, keys } or { why }
//
// Before each key `pass` milliseconds pass; `edit` is the text of a kernel that is pasted. Keys end after `most`
// milliseconds; the answer says how many were pressed.

import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { gunzipSync } from "node:zlib";

const folder = process.argv[2];
// As text: by its name alone node takes it for a CommonJS one.
const glue = readFileSync(`${folder}/module.js`, "utf8");
const { instantiate } = await import("data:text/javascript," + encodeURIComponent(glue));
const module = await WebAssembly.compile(gunzipSync(readFileSync(`${folder}/matviz.wasm.gz`)));
const failed = (why) => console.error(why);

for await (const line of createInterface({ input: process.stdin })) {
  const { link, size, keys = [], pass = 0, edit, most = Infinity, wishes = 0 } = JSON.parse(line);
  const matviz = await instantiate(module, { failed });
  matviz.give(link);
  if (matviz.does.start(...size, wishes) !== 1) {
    console.log(JSON.stringify({ why: matviz.text() }));
    continue;
  }
  let slowest = 0;
  const settle = () => {
    for (let more = true; more;) {
      const begun = performance.now();
      more = matviz.does.work() === 1;
      slowest = Math.max(slowest, performance.now() - begun);
    }
  };
  settle();
  if (edit !== undefined) {
    matviz.give(edit);
    matviz.does.edit(10, 42, 7);
    settle();
  }
  const begun = performance.now();
  let pressed = 0;
  for (const key of keys) {
    if (performance.now() - begun > most) break;
    pressed += 1;
    if (pass > 0) matviz.does.tick(pass);
    matviz.give(key);
    matviz.does.key();
    settle();
    if (pass > 0) matviz.does.cells();
  }
  matviz.does.cells();
  const [svg, text, there] = ["svg", "text", "link"].map((what) => matviz.ask(what));
  const memory = matviz.does.memory.buffer.byteLength;
  console.log(JSON.stringify({ svg, text, link: there, slowest, memory, keys: pressed }));
}
