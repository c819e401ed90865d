// Runs matviz in a thread of its own, so that the page never waits: takes keys and sizes, sends cells.

let matviz, memory;
let ticked = 0, timer = 0, working = false, told = "", linked = "";

const decoder = new TextDecoder(), encoder = new TextEncoder();

function output() {
  const at = matviz.output(), len = matviz.output_len();
  return new Uint8Array(memory.buffer, at, len);
}
const text = () => decoder.decode(output());

function put(string) {
  const bytes = encoder.encode(string);
  // The memory may grow, and its buffer be another one then.
  const at = matviz.input(bytes.length);
  new Uint8Array(memory.buffer, at, bytes.length).set(bytes);
}

// The module, unpacked here: not every host serves it as packed.
async function load(url) {
  const packed = await fetch(url);
  if (!packed.ok) throw new Error(`${url}: ${packed.status} ${packed.statusText}`);
  const body = packed.body.pipeThrough(new DecompressionStream("gzip"));
  const response = new Response(body, { headers: { "content-type": "application/wasm" } });
  const failed = (at, len) => {
    postMessage({ failed: decoder.decode(new Uint8Array(memory.buffer, at, len)) });
  };
  const { instance } = await WebAssembly.instantiateStreaming(response, { page: { failed } });
  matviz = instance.exports;
  memory = matviz.memory;
}

// Sends what has changed.
function show() {
  const count = matviz.cells();
  if (count > 0) {
    const cells = output().slice().buffer;
    matviz.sentence();
    const sentence = text();
    const message = { cells, ground: matviz.ground(), plays: matviz.plays() === 1 };
    if (sentence !== told) message.sentence = told = sentence;
    if (!message.plays) {
      matviz.link();
      const link = text();
      if (link !== linked) message.link = linked = link;
    }
    postMessage(message, [cells]);
  }
  if (matviz.requests() & 1) {
    matviz.svg();
    postMessage({ svg: text() });
  }
}

// Lets time pass and does a slice of work, then lets the next message in.
const channel = new MessageChannel();
channel.port1.onmessage = () => turn();

function turn() {
  working = false;
  const now = performance.now();
  const next = matviz.next_tick();
  if (next < 0) ticked = now;
  else if (now - ticked >= next) {
    matviz.tick(now - ticked);
    ticked = now;
  }
  const begun = performance.now();
  let more = true;
  while (more && performance.now() - begun < 8) more = matviz.work() === 1;
  show();
  again(more);
}

function again(more) {
  if (working) return;
  clearTimeout(timer);
  if (more) {
    working = true;
    channel.port2.postMessage(0);
    return;
  }
  const next = matviz.next_tick();
  if (next >= 0) timer = setTimeout(turn, Math.max(0, next - (performance.now() - ticked)));
}

function act(message) {
  if (message.size) matviz.resize(...message.size);
  if (message.key) {
    put(message.key);
    matviz.key();
  }
  if (message.edit !== undefined) {
    const now = new Date();
    put(message.edit);
    matviz.edit(now.getHours(), now.getMinutes(), now.getSeconds());
  }
  if (message.mouse) matviz.mouse(...message.mouse);
}

async function start({ url, link, size, wishes }) {
  await load(url);
  put(link);
  if (matviz.start(...size, wishes) !== 1) {
    const why = text();
    put("");
    matviz.start(...size, wishes);
    postMessage({ notice: why });
  }
  ticked = performance.now();
}

let ready;
onmessage = async ({ data }) => {
  try {
    if (data.start) ready = start(data.start);
    await ready;
    if (data.ask) {
      matviz[data.ask]();
      postMessage({ answer: data.ask, text: text() });
      return;
    }
    if (matviz.next_tick() < 0) ticked = performance.now();
    act(data);
    show();
    again(true);
  } catch (error) {
    postMessage({ failed: String(error) });
  }
};
