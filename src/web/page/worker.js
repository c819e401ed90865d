// Runs matviz in a thread of its own, so that the page never waits: takes keys and sizes, sends cells.
//
// One piece of work is done at a time. Where the browser can suspend a call (JavaScript Promise Integration), a
// long one stops every few milliseconds: keys, time and more urgent work come in between, and go on first.
// Elsewhere they wait until it is done; the page itself never does.

import { instantiate } from "./module.js";

const SLICE = 8; // milliseconds of work between two looks at what else there is
const FRAME = 16; // milliseconds between two pictures while work goes on

let matviz, work;
let ticked = 0, timer = 0;
let begun = 0; // when the work that runs began or went on; 0 while none runs
let turning = false, hidden = false;
let shown = 0; // when the last picture was made
let told = "";

// The module, unpacked here: not every host serves it as packed.
async function load(url) {
  const packed = await fetch(url);
  if (!packed.ok) throw new Error(`${url}: ${packed.status} ${packed.statusText}`);
  const body = packed.body.pipeThrough(new DecompressionStream("gzip"));
  const module = await WebAssembly.compileStreaming(
    new Response(body, { headers: { "content-type": "application/wasm" } }));
  const failed = (why) => postMessage({ failed: why });
  if ("Suspending" in WebAssembly) {
    const due = () => (begun > 0 && performance.now() - begun > SLICE ? 1 : 0);
    matviz = await instantiate(module, { failed, due, pause: new WebAssembly.Suspending(pause) });
    work = WebAssembly.promising(matviz.does.work);
  } else {
    matviz = await instantiate(module, { failed });
    work = matviz.does.work;
  }
}

// It is loaded while the page measures its font; what fails is said when it is awaited.
const loading = load("matviz.wasm.gz");
loading.catch(() => {});

// Does a piece of work; returns whether more waits that may be done now.
async function worked() {
  begun = performance.now();
  const more = await work() === 1;
  begun = 0;
  return more;
}

// While long work is suspended: what has come in, and what is more urgent.
async function pause() {
  begun = 0;
  do {
    if (performance.now() - shown > FRAME) show();
    await others();
    pass();
  } while (await worked());
  begun = performance.now();
}

// Lets the next messages in.
const channel = new MessageChannel();
let wake = () => {};
channel.port1.onmessage = () => wake();
function others() {
  return new Promise((resolve) => {
    wake = resolve;
    channel.port2.postMessage(0);
  });
}

// Lets the time pass that has passed. A page that is not seen stands still.
function pass() {
  const now = performance.now(), next = matviz.does.next_tick();
  if (next < 0 || hidden) ticked = now;
  else if (now - ticked >= next) {
    matviz.does.tick(now - ticked);
    ticked = now;
  }
}

// Time and work, until neither is left for now.
async function turn() {
  if (turning) return;
  turning = true;
  clearTimeout(timer);
  try {
    for (let more = true; more;) {
      pass();
      const until = performance.now() + SLICE;
      do more = await worked(); while (more && performance.now() < until);
      show();
      if (more) await others();
    }
  } catch (error) {
    stop(error);
  }
  turning = false;
  const next = matviz.does.next_tick();
  if (next >= 0 && !hidden) timer = setTimeout(turn, Math.max(0, next - (performance.now() - ticked)));
}

// Sends what has changed.
function show() {
  shown = performance.now();
  const count = matviz.does.cells();
  if (count > 0) {
    const cells = matviz.bytes().slice().buffer;
    const message = { cells, ground: matviz.does.ground(), plays: matviz.does.plays() === 1 };
    const sentence = matviz.ask("sentence");
    if (sentence !== told) message.sentence = told = sentence;
    if (!message.plays) message.link = matviz.ask("link");
    postMessage(message, [cells]);
  }
  const requests = matviz.does.requests();
  if (requests & 1) postMessage({ save: matviz.ask("svg") });
  if (requests & 2) postMessage({ copy: matviz.ask("link") });
  if (requests & 4) postMessage({ progress: matviz.ask("progress") });
  if (requests & 8) postMessage({ kernel: matviz.ask("kernel") });
}

function act({ size, key, mouse, edit, lesson }) {
  if (size) {
    matviz.does.resize(...size);
    begun_with.size = size;
  }
  if (lesson) open(lesson);
  if (key) {
    matviz.give(key);
    matviz.does.key();
  }
  if (mouse) matviz.does.mouse(...mouse);
  if (edit !== undefined) {
    const now = new Date();
    matviz.give(edit);
    matviz.does.edit(now.getHours(), now.getMinutes(), now.getSeconds());
  }
}

// Begins at a place; returns whether there is one.
let begun_with; // what it was begun with
function begin(link) {
  matviz.give(link);
  const { size, wishes } = begun_with;
  const is_there = matviz.does.start(...size, wishes) === 1;
  if (!is_there) postMessage({ notice: matviz.text() });
  return is_there;
}

// Shows a lesson of the user's own, or what is wrong with it.
function open(lesson) {
  matviz.give(lesson);
  if (matviz.does.lesson() === 1) begin("lesson=1&page=1");
  else postMessage({ notice: matviz.text() });
}

async function start({ link, progress, day, seed, size, wishes }) {
  begun_with = { size, wishes };
  await loading;
  matviz.give(day + "\n" + progress);
  if (matviz.does.learner(seed) !== 1) postMessage({ notice: matviz.text() });
  if (!begin(link)) begin("");
  ticked = performance.now();
}

function stop(error) {
  postMessage({ failed: String(error) });
}

let waiting = []; // what comes before the module is there
onmessage = async ({ data }) => {
  try {
    if (data.start) {
      await start(data.start);
      const early = waiting;
      waiting = null;
      early.forEach(hear);
      turn();
    } else if (waiting) waiting.push(data);
    else hear(data);
  } catch (error) {
    stop(error);
  }
};

function hear(data) {
  if (data.ask) return postMessage({ answer: data.ask, text: matviz.ask(data.ask) });
  if (data.grab) return postMessage({ grabs: matviz.does.grabs(...data.grab) === 1 });
  if (data.hidden !== undefined) hidden = data.hidden;
  if (matviz.does.next_tick() < 0) ticked = performance.now();
  act(data);
  postMessage({ heard: true });
  show();
  turn();
}
