// Drives the page's module without a browser: reads one place a line as JSON, answers each with a line.
// { link, size: [columns, rows], keys: [...] } -> { svg, text, link } or { why }

import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { gunzipSync } from "node:zlib";

const module = await WebAssembly.compile(gunzipSync(readFileSync(`${process.argv[2]}/matviz.wasm.gz`)));
const decoder = new TextDecoder(), encoder = new TextEncoder();

let matviz, memory;
function fresh() {
  const failed = (at, len) => {
    console.error(decoder.decode(new Uint8Array(memory.buffer, at, len)));
  };
  matviz = new WebAssembly.Instance(module, { page: { failed } }).exports;
  memory = matviz.memory;
}
const text = () => decoder.decode(new Uint8Array(memory.buffer, matviz.output(), matviz.output_len()));
function put(string) {
  const bytes = encoder.encode(string);
  // The memory may grow, and its buffer be another one then.
  const at = matviz.input(bytes.length);
  new Uint8Array(memory.buffer, at, bytes.length).set(bytes);
}
const settle = () => { while (matviz.work()); };
const of = (what) => { matviz[what](); return text(); };

for await (const line of createInterface({ input: process.stdin })) {
  const { link, size, keys = [], pass = 0 } = JSON.parse(line);
  fresh();
  put(link);
  if (matviz.start(...size, 0) !== 1) {
    console.log(JSON.stringify({ why: text() }));
    continue;
  }
  settle();
  let slowest = 0;
  for (const key of keys) {
    put(key);
    matviz.key();
    if (pass > 0) matviz.tick(pass);
    for (let more = true; more;) {
      const begun = performance.now();
      more = matviz.work() === 1;
      slowest = Math.max(slowest, performance.now() - begun);
    }
    if (pass > 0) matviz.cells();
  }
  matviz.cells();
  console.log(JSON.stringify({ svg: of("svg"), text: of("text"), link: of("link"), slowest }));
}
