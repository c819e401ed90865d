// Draws the cells of matviz on a canvas, and passes on keys, mouse and touch.

import { shape } from "./shapes.js";

const canvas = document.getElementById("screen");
const paint = canvas.getContext("2d", { alpha: false });
const said = document.getElementById("said");
const notice = document.getElementById("notice");
const hash = new URLSearchParams(location.hash.slice(1));
const embedded = hash.get("embed") === "1";
hash.delete("embed");
document.documentElement.classList.toggle("embed", embedded);

const FONT = "matviz, \"DejaVu Sans Mono\", Menlo, Consolas, monospace";
// CSS pixels: a screen of 80 columns is wanted, but no smaller text than can be read.
const SMALLEST = 10, LARGEST = 18, COLUMNS = 120;

let cell = { width: 8, height: 16, size: 13 };
let columns = 0, rows = 0, ground = 0x1e1e1e;

const worker = new Worker("worker.js", { type: "module" });
const css = (colour) => "#" + (colour & 0xffffff).toString(16).padStart(6, "0");

// The size of a cell, in whole device pixels, and how many there are.
function measure() {
  const ratio = devicePixelRatio || 1;
  const box = canvas.getBoundingClientRect();
  const width = Math.floor(box.width * ratio), height = Math.floor(box.height * ratio);
  const wanted = Math.min(LARGEST, Math.max(SMALLEST, box.width / COLUMNS / 0.6));
  paint.font = `${100}px ${FONT}`;
  const advance = paint.measureText("M").width / 100;
  const size = wanted * ratio;
  cell = { size, width: Math.max(1, Math.floor(size * advance)), height: Math.max(1, Math.round(size * 1.2)) };
  columns = Math.max(1, Math.floor(width / cell.width));
  rows = Math.max(1, Math.floor(height / cell.height));
  if (canvas.width !== width || canvas.height !== height) {
    canvas.width = width;
    canvas.height = height;
  }
  paint.textBaseline = "alphabetic";
  paint.fillStyle = css(ground);
  paint.fillRect(0, 0, width, height);
}

function draw(index, sign, text, paper) {
  const x = index % columns * cell.width, y = Math.floor(index / columns) * cell.height;
  paint.fillStyle = css(paper);
  paint.fillRect(x, y, cell.width, cell.height);
  if (sign === 32) return;
  paint.fillStyle = css(text);
  if (shape(paint, sign, x, y, cell.width, cell.height)) return;
  paint.font = `${text >>> 24 ? "bold " : ""}${cell.size}px ${FONT}`;
  paint.fillText(String.fromCodePoint(sign), x, y + Math.round(cell.height * 0.78));
}

function show(cells) {
  window.matvizDrawn = (window.matvizDrawn ?? 0) + 1;
  const words = new Uint32Array(cells);
  for (let at = 0; at < words.length; at += 4) {
    draw(words[at], words[at + 1], words[at + 2], words[at + 3]);
  }
}

function tell(text, stays) {
  notice.textContent = text;
  notice.hidden = text === "";
  if (!stays) setTimeout(() => { notice.hidden = true; }, 6000);
}

// At most once a second, or a reader would never come to an end.
let saidAt = 0, waiting = 0;
function say(sentence) {
  clearTimeout(waiting);
  const left = saidAt + 1000 - performance.now();
  if (left > 0) {
    waiting = setTimeout(() => say(sentence), left);
    return;
  }
  saidAt = performance.now();
  said.textContent = sentence;
}

function address(link) {
  if (embedded || link === "") return;
  history.replaceState(null, "", "#" + link);
}

function save(name, type, text) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

worker.onmessage = ({ data }) => {
  if (data.ground !== undefined && data.ground !== ground) {
    ground = data.ground;
    document.body.style.background = css(ground);
  }
  if (data.cells) show(data.cells);
  if (data.sentence) say(data.sentence);
  if (data.link !== undefined) address(data.link);
  if (data.svg) save("matviz.svg", "image/svg+xml", data.svg);
  if (data.notice) tell(data.notice, false);
  if (data.failed) {
    tell(`matviz has stopped: ${data.failed}\nReload the page: its address leads back here.`, true);
  }
  if (data.answer) document.dispatchEvent(new CustomEvent("answer", { detail: data }));
};
worker.onerror = (event) => tell(`matviz cannot be loaded: ${event.message}`, true);

const NAMES = {
  " ": "Space", Escape: "Esc", ArrowLeft: "Left", ArrowRight: "Right", ArrowUp: "Up", ArrowDown: "Down",
  Enter: "Enter", Tab: "Tab", Backspace: "Backspace", Delete: "Delete", Insert: "Insert", Home: "Home",
  End: "End", PageUp: "PageUp", PageDown: "PageDown",
};

// A key's name, as the help spells it; none for those that belong to the browser.
let leaving = false;
function named(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return null;
  const key = event.key;
  if (key === "Tab" && leaving) return null;
  leaving = key === "Escape";
  if (NAMES[key]) return (event.shiftKey && key !== " " ? "Shift-" : "") + NAMES[key];
  return [...key].length === 1 ? key : null;
}

canvas.addEventListener("keydown", (event) => {
  const key = named(event);
  if (key === null || key === "q" || key === "Q") return;
  event.preventDefault();
  worker.postMessage({ key });
});

function at(event) {
  const box = canvas.getBoundingClientRect(), ratio = canvas.width / box.width;
  const column = Math.floor((event.clientX - box.left) * ratio / cell.width);
  const row = Math.floor((event.clientY - box.top) * ratio / cell.height);
  return [Math.min(column, columns - 1), Math.min(row, rows - 1)];
}

let pressed = null;
canvas.addEventListener("pointerdown", (event) => {
  canvas.focus();
  pressed = { x: event.clientX, y: event.clientY, moved: false };
  canvas.setPointerCapture(event.pointerId);
  if (event.pointerType === "mouse") worker.postMessage({ mouse: [event.button === 0 ? 0 : 1, ...at(event)] });
});
canvas.addEventListener("pointermove", (event) => {
  if (!pressed || event.buttons !== 1) return;
  pressed.moved ||= Math.hypot(event.clientX - pressed.x, event.clientY - pressed.y) > 8;
  if (event.pointerType === "mouse") worker.postMessage({ mouse: [2, ...at(event)] });
});
canvas.addEventListener("pointerup", (event) => {
  if (pressed && event.pointerType !== "mouse") {
    const across = event.clientX - pressed.x;
    if (Math.abs(across) > 40) worker.postMessage({ key: across < 0 ? "Right" : "Left" });
    else if (!pressed.moved) worker.postMessage({ mouse: [0, ...at(event)] });
  }
  pressed = null;
});
canvas.addEventListener("contextmenu", (event) => event.preventDefault());

let wheel = 0;
canvas.addEventListener("wheel", (event) => {
  event.preventDefault();
  wheel += event.deltaMode === 1 ? event.deltaY * 16 : event.deltaY;
  for (; Math.abs(wheel) >= 40; wheel -= 40 * Math.sign(wheel)) {
    worker.postMessage({ mouse: [wheel < 0 ? 3 : 4, ...at(event)] });
  }
}, { passive: false });

for (const button of document.querySelectorAll("#buttons button")) {
  button.addEventListener("click", () => worker.postMessage({ key: button.dataset.key }));
}

let resizing = 0;
function resize() {
  clearTimeout(resizing);
  resizing = setTimeout(() => {
    measure();
    worker.postMessage({ size: [columns, rows] });
  }, 80);
}
new ResizeObserver(resize).observe(canvas);
(function ratio() {
  matchMedia(`(resolution: ${devicePixelRatio}dppx)`).addEventListener("change", () => { resize(); ratio(); }, { once: true });
})();
addEventListener("hashchange", () => location.reload());

// The ask of a test or of a reader: the text of the screen, its SVG, the link.
window.matviz = (what) => new Promise((resolve) => {
  const heard = ({ detail }) => {
    if (detail.answer !== what) return;
    document.removeEventListener("answer", heard);
    resolve(detail.text);
  };
  document.addEventListener("answer", heard);
  worker.postMessage({ ask: what });
});

// --- a kernel of one's own ---

const MOST = 64 * 1024; // bytes of a kernel in a link
const element = (id) => document.getElementById(id);
const source = element("source");

async function bytes(stream) {
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

async function packed(text) {
  const small = await bytes(new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw")));
  return btoa(String.fromCharCode(...small)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

async function unpacked(word) {
  if (word.length > MOST) throw new Error("it is too long");
  const small = Uint8Array.from(atob(word.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
  const large = await bytes(new Blob([small]).stream().pipeThrough(new DecompressionStream("deflate-raw")));
  if (large.length > MOST) throw new Error("it is too long");
  return new TextDecoder().decode(large);
}

function editing(is) {
  element("kernel").hidden = !is;
  element("paste").setAttribute("aria-expanded", is);
  if (is) source.focus();
  else canvas.focus();
}

let judging = 0;
function judge(after) {
  clearTimeout(judging);
  if (source.value.trim() !== "") judging = setTimeout(() => worker.postMessage({ edit: source.value }), after);
}
source.addEventListener("input", () => judge(300));
source.addEventListener("keydown", (event) => {
  if (event.key === "Escape") canvas.focus();
});
element("paste").addEventListener("click", () => editing(element("kernel").hidden));
element("close").addEventListener("click", () => { location.hash = ""; location.reload(); });
element("open").addEventListener("click", () => element("file").click());
element("save").addEventListener("click", () => save("kernel.cu", "text/plain", source.value));
element("picture").addEventListener("click", async () => save("matviz.svg", "image/svg+xml", await window.matviz("svg")));

async function take(file) {
  if (!file) return;
  if (file.size > MOST) return tell(`${file.name} has more than ${MOST} bytes.`, false);
  source.value = await file.text();
  editing(true);
  judge(0);
}
element("file").addEventListener("change", (event) => take(event.target.files[0]));
addEventListener("dragover", (event) => event.preventDefault());
addEventListener("drop", (event) => { event.preventDefault(); take(event.dataTransfer.files[0]); });

async function copy(fragment) {
  const link = location.href.split("#")[0] + "#" + fragment;
  history.replaceState(null, "", link);
  try {
    await navigator.clipboard.writeText(link);
    tell("The link is copied.", false);
  } catch {
    tell("The link is in the address bar.", false);
  }
}
element("share").addEventListener("click", async () => copy("src=" + await packed(source.value)));
element("copy").addEventListener("click", async () => {
  const link = await window.matviz("link");
  if (link === "") tell("No link leads here: a kernel of your own has a link of its own.", false);
  else copy(link);
});

const pasted = hash.get("src");
hash.delete("src");

await Promise.all([document.fonts.load(`16px ${FONT}`), document.fonts.load(`bold 16px ${FONT}`)]);
measure();
const light = matchMedia("(prefers-color-scheme: light)").matches ? 1 : 0;
const still = matchMedia("(prefers-reduced-motion: reduce)").matches ? 2 : 0;
worker.postMessage({ start: { url: "matviz.wasm.gz", link: hash.toString(), size: [columns, rows], wishes: light | still } });
if (pasted) {
  try {
    source.value = await unpacked(pasted);
    if (!embedded) editing(true);
    judge(0);
  } catch (error) {
    tell(`The link's kernel cannot be read: ${error.message}`, false);
  }
} else if (!embedded) canvas.focus();
else tell("Click to use the keys.", false);
