// The page around matviz: draws its cells on a canvas, and passes on keys, mouse and touch.

import { Canvas } from "./canvas.js";
import { Cast } from "./cast.js";
import { openKernels } from "./kernel.js";
import { openProgress } from "./progress.js";

const element = (id) => document.getElementById(id);
// What the address says after `#`: the text of a kernel is for this page, all else for matviz.
const parts = location.hash.slice(1).replaceAll("%2C", ",").split("&");
const embedded = parts.includes("embed=1");
const source = parts.find((part) => part.startsWith("src="))?.slice(4);
const link = parts.filter((part) => !part.startsWith("src=")).join("&");
document.documentElement.classList.toggle("embed", embedded);

const worker = new Worker("worker.js", { type: "module" });
const tell = (message) => worker.postMessage(message);
let own = false; // whether a lesson of the user's own is shown, to which no link leads
let used = false; // whether the user has done something here
let busy = 0; // says that what was done waits
function act(message) {
  used = true;
  tell(message);
  clearTimeout(busy);
  busy = setTimeout(() => notice("Working: what you do now is done as soon as that ends."), 700);
}

// In a frame of a slide the last row, which lists keys, is left out.
const screen = new Canvas(element("screen"), embedded ? 1 : 0);
const canvas = screen.canvas;

// --- what the page says ---

let noticed = 0;
function notice(text, action) {
  clearTimeout(noticed);
  const box = element("notice");
  box.textContent = text;
  box.hidden = text === "";
  if (action) box.append(action);
  else noticed = setTimeout(() => { box.hidden = true; }, 6000);
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
  element("said").textContent = sentence;
}

let stopped = false;
function stop(why) {
  if (stopped) return;
  stopped = true;
  const again = document.createElement("button");
  again.textContent = "Load the page again, at this place";
  again.addEventListener("click", () => location.reload());
  notice(`matviz has stopped: ${why}`, again);
}

function save(name, type, text) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

// Puts a place into the address bar.
function go(fragment) {
  clearTimeout(going);
  if (!embedded && location.hash !== "#" + fragment) history.replaceState(null, "", "#" + fragment);
}

// The same once it has stood for a moment: browsers refuse to change an address at every step of a held key.
let going = 0;
function follow(fragment) {
  clearTimeout(going);
  going = setTimeout(() => go(fragment), 250);
}

// Copies the address of a place.
async function copy(fragment) {
  go(fragment);
  const address = location.href.split("#")[0] + "#" + fragment;
  try {
    await navigator.clipboard.writeText(address);
    notice("The link is copied.");
  } catch {
    notice(embedded ? address : "The link is in the address bar.");
  }
}

// --- what the worker says ---

// What is asked of the screen: its text, its SVG, the link to what is shown.
const asked = new Map();
function ask(what) {
  return new Promise((resolve) => {
    asked.set(what, [...(asked.get(what) ?? []), resolve]);
    tell({ ask: what });
  });
}

// For tests, and for whoever looks in the console.
window.matviz = {
  ask, text: () => screen.text(),
  cell: () => ({ width: screen.cell.width / screen.ratio, height: screen.cell.height / screen.ratio }),
};

worker.onmessage = ({ data }) => {
  if (data.heard) clearTimeout(busy);
  if (data.ground !== undefined && screen.ground !== data.ground) {
    screen.clear(data.ground);
    document.documentElement.style.setProperty("--ground", screen.css(data.ground));
  }
  if (data.cells) {
    const words = new Uint32Array(data.cells);
    screen.show(words);
    if (cast && !cast.show(words, screen.columns)) record();
    element("loading").hidden = true;
    document.documentElement.dataset.drawn = "";
  }
  if (data.plays !== undefined) document.querySelector("[data-key=Space]").textContent = data.plays ? "Pause" : "Play";
  if (data.sentence) say(data.sentence);
  // Until somebody has done something, the address is the one that was given, which plays.
  if (data.link && used && !own) follow(data.link);
  if (data.save) save("matviz.svg", "image/svg+xml", data.save);
  if (data.copy) copyPlace(data.copy);
  if (data.progress) progress.keep(data.progress);
  if (data.kernel) kernels.edit(data.kernel);
  if (data.grabs !== undefined) grabs = data.grabs;
  if (data.notice) notice(data.notice);
  if (data.failed) stop(data.failed);
  if (data.answer) {
    asked.get(data.answer)?.forEach((resolve) => resolve(data.text));
    asked.delete(data.answer);
  }
};
worker.onerror = (event) => stop(event.message ?? "its worker cannot be loaded");

// --- keys ---

const NAMES = {
  " ": "Space", Escape: "Esc", ArrowLeft: "Left", ArrowRight: "Right", ArrowUp: "Up", ArrowDown: "Down",
  Enter: "Enter", Tab: "Tab", Backspace: "Backspace", Delete: "Delete", Home: "Home", End: "End",
  PageUp: "PageUp", PageDown: "PageDown",
};

// A key's name, as the help spells it; none for those that belong to the browser. Esc and then Tab leaves.
let leaving = false;
function named(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return null;
  const key = event.key;
  if (key === "Tab" && leaving) return null;
  if (key !== "Shift") leaving = key === "Escape";
  if (NAMES[key]) return (event.shiftKey && key !== " " ? "Shift-" : "") + NAMES[key];
  return [...key].length === 1 ? key : null;
}

canvas.addEventListener("keydown", (event) => {
  const key = named(event);
  if (key === null) return;
  event.preventDefault();
  act({ key });
});
canvas.addEventListener("blur", () => { leaving = false; });
// Where the keys go is framed once somebody goes from one thing to the next with them.
addEventListener("keydown", (event) => {
  if (event.key === "Tab") document.documentElement.classList.add("tabbed");
});

// Ctrl-C copies the characters of the screen.
document.addEventListener("copy", (event) => {
  if (document.activeElement !== canvas) return;
  event.clipboardData.setData("text/plain", screen.text());
  event.preventDefault();
  notice("The text of the screen is copied.");
});

// --- mouse and touch ---

let pressed = null; // where a finger or a button went down
let grabs = false; // whether what is under the finger follows it
canvas.addEventListener("pointerdown", (event) => {
  canvas.focus();
  if (embedded) element("notice").hidden = true;
  pressed = { x: event.clientX, y: event.clientY };
  grabs = false;
  canvas.setPointerCapture(event.pointerId);
  if (event.pointerType !== "mouse") tell({ grab: screen.at(event) });
  else if (event.button === 0) click(event);
  else act({ mouse: [1, ...screen.at(event)] });
});
canvas.addEventListener("pointermove", (event) => {
  if (pressed && event.buttons === 1 && (event.pointerType === "mouse" || grabs)) act({ mouse: [2, ...screen.at(event)] });
  else if (event.buttons === 0 && event.pointerType === "mouse") hover(screen.at(event));
});
// A click or a tap on a key in the last row presses it.
function click(event) {
  const cell = screen.at(event), key = screen.keyAt(cell);
  // Where several are named, as 0-9, they are typed.
  const keys = /^.-.$/.test(key) ? prompt("Your answer:") ?? "" : [key];
  if (key === "") act({ mouse: [0, ...cell] });
  for (const key of keys) if (key) act({ key });
}
// What is under the mouse is explained while the run stands; nothing is once it has left.
let over = "";
function hover(cell) {
  if (over !== String(cell)) tell({ mouse: [5, ...cell] });
  over = String(cell);
}
canvas.addEventListener("pointerleave", () => hover([65535, 65535]));
canvas.addEventListener("pointerup", (event) => {
  if (pressed && event.pointerType !== "mouse") {
    const [across, down] = [event.clientX - pressed.x, event.clientY - pressed.y];
    const swipes = !grabs && Math.abs(across) > 40 && Math.abs(across) > Math.abs(down);
    if (Math.hypot(across, down) < 10) click(event);
    else if (swipes) act({ key: across < 0 ? "Right" : "Left" });
  }
  pressed = null;
});
canvas.addEventListener("pointercancel", () => { pressed = null; });
canvas.addEventListener("contextmenu", (event) => event.preventDefault());

let wheel = 0;
canvas.addEventListener("wheel", (event) => {
  if (event.ctrlKey) return; // the browser zooms
  event.preventDefault();
  wheel += event.deltaMode === 1 ? event.deltaY * 16 : event.deltaY;
  for (; Math.abs(wheel) >= 40; wheel -= 40 * Math.sign(wheel)) act({ mouse: [wheel < 0 ? 3 : 4, ...screen.at(event)] });
}, { passive: false });

for (const button of document.querySelectorAll("#buttons button")) {
  button.addEventListener("click", () => act({ key: button.dataset.key }));
}

// --- the buttons above ---

function copyPlace(link) {
  if (own) notice("No link leads here: a lesson of your own is a file that you hand on.");
  else if (link === "") notice("No link leads here: a kernel of your own has a link of its own.");
  else copy(link);
}
element("copy").addEventListener("click", async () => copyPlace(await ask("link")));
element("picture").addEventListener("click", async () => save("matviz.svg", "image/svg+xml", await ask("svg")));
let cast = null; // what is being recorded
function record() {
  if (cast) save("matviz.cast", "application/x-asciicast", cast.text());
  cast = cast ? null : new Cast(screen);
  element("record").textContent = cast ? "Stop and save the recording" : "Record what I see (.cast)";
  if (cast) notice("Recording. More, in the row above, ends it.");
}
element("record").addEventListener("click", record);
element("text").addEventListener("click", () => {
  const reading = element("reading");
  reading.querySelector("pre").textContent = screen.text();
  reading.showModal();
});
for (const button of document.querySelectorAll("#more button")) {
  button.addEventListener("click", () => { element("more").open = false; });
}

// --- size, start ---

let resizing = 0;
function resize() {
  clearTimeout(resizing);
  resizing = setTimeout(() => {
    if (!screen.measure()) return;
    cast?.resize(screen);
    tell({ size: screen.size() });
  }, 80);
}
(function ratio() {
  const other = matchMedia(`(resolution: ${devicePixelRatio}dppx)`);
  other.addEventListener("change", () => { resize(); ratio(); }, { once: true });
})();
addEventListener("hashchange", () => location.reload());
document.addEventListener("visibilitychange", () => tell({ hidden: document.hidden }));

const progress = openProgress({ notice, save, element });
const kernels = openKernels({ tell, notice, save, copy, element, canvas, others: { md: openLesson, json: progress.open } });
async function openLesson(file) {
  used = true;
  own = true;
  tell({ lesson: `${file.name}\n${await file.text()}` });
  canvas.focus();
}

const light = matchMedia("(prefers-color-scheme: light)").matches ? 1 : 0;
await screen.load();
screen.ground = light ? 0xffffff : 0x1e1e1e;
screen.measure();
const still = matchMedia("(prefers-reduced-motion: reduce)").matches ? 2 : 0;
tell({ start: { link, size: screen.size(), wishes: light | still, ...progress.start() } });
new ResizeObserver(resize).observe(canvas);
if (source) kernels.unpack(source, !embedded);
else if (!embedded) canvas.focus();
if (embedded) notice("Click to use the keys.");
