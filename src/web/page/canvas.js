// The screen as a canvas: cells of whole device pixels, of which only the changed ones are drawn.

import { shape } from "./shapes.js";

const FONT = "matviz, \"DejaVu Sans Mono\", Menlo, Consolas, monospace";
// CSS pixels of a letter: so many columns are wanted, but no letters that are smaller or larger.
const COLUMNS = 120, ON_SLIDE = 80, SMALLEST = 10, LARGEST = 18;
// On a screen as narrow as a phone's, letters of this size.
const NARROW = 600, ON_NARROW = 14;

export class Canvas {
  // `without` rows at the bottom are not shown: on a slide, the one with keys.
  constructor(canvas, without) {
    this.canvas = canvas;
    this.without = without;
    this.paint = canvas.getContext("2d", { alpha: false });
    this.ground = 0;
    this.columns = this.rows = 0;
    this.cell = { width: 8, height: 16, size: 13 };
    this.words = new Uint32Array(); // four for each cell, as they come
  }

  css(colour) {
    return "#" + (colour & 0xffffff).toString(16).padStart(6, "0");
  }

  load() {
    return Promise.all([document.fonts.load(`16px ${FONT}`), document.fonts.load(`bold 16px ${FONT}`)]);
  }

  // Measures how many cells there is room for; returns whether anything has changed, and all is drawn anew.
  measure() {
    const { canvas, paint } = this;
    const ratio = devicePixelRatio || 1, box = canvas.getBoundingClientRect();
    const width = Math.floor(box.width * ratio), height = Math.floor(box.height * ratio);
    if (this.columns > 0 && canvas.width === width && canvas.height === height && this.ratio === ratio) return false;
    this.ratio = ratio;
    const fitting = Math.min(LARGEST, Math.max(SMALLEST, box.width / (this.without > 0 ? ON_SLIDE : COLUMNS) / 0.6));
    const size = (box.width < NARROW ? ON_NARROW : fitting) * ratio;
    paint.font = `100px ${FONT}`;
    const advance = paint.measureText("M").width / 100;
    this.cell = { size, width: Math.max(1, Math.floor(size * advance)), height: Math.max(1, Math.round(size * 1.2)) };
    this.columns = Math.max(1, Math.floor(width / this.cell.width));
    this.rows = Math.max(1, Math.floor(height / this.cell.height));
    this.words = new Uint32Array(4 * this.columns * this.rows);
    canvas.width = width;
    canvas.height = height;
    paint.textBaseline = "alphabetic";
    this.clear(this.ground);
    return true;
  }

  // Fills all with a ground, also what is left beside the cells, which are drawn anew after that.
  clear(ground) {
    this.ground = ground;
    this.paint.fillStyle = this.css(ground);
    this.paint.fillRect(0, 0, this.canvas.width, this.canvas.height);
  }

  size() {
    return [this.columns, this.rows + this.without];
  }

  // The cell under the mouse.
  at(event) {
    const box = this.canvas.getBoundingClientRect(), ratio = this.canvas.width / box.width;
    const column = Math.floor((event.clientX - box.left) * ratio / this.cell.width);
    const row = Math.floor((event.clientY - box.top) * ratio / this.cell.height);
    return [Math.max(0, Math.min(column, this.columns - 1)), Math.max(0, Math.min(row, this.rows - 1))];
  }

  // The key that the last row names there, light on dark or dark on light, or before what it does.
  keyAt([column, row]) {
    if (this.without > 0 || row !== this.rows - 1) return "";
    const word = (at, which) => this.words[4 * (row * this.columns + at) + which];
    const isKey = (at) => at >= 0 && at < this.columns && word(at, 3) !== this.ground;
    let first = column, last;
    while (first >= 0 && !isKey(first)) first--;
    for (last = first; isKey(last + 1);) last++;
    while (isKey(first - 1)) first--;
    const signs = Array.from({ length: last - first + 1 }, (_, at) => word(first + at, 1) || 32);
    return first < 0 ? "" : String.fromCodePoint(...signs).trim();
  }

  // Draws changed cells: index, character, colours of text and ground; 1 above the text's colour is bold.
  show(words) {
    for (let at = 0; at < words.length; at += 4) {
      if (words[at] >= this.columns * this.rows) continue;
      this.words.set(words.subarray(at, at + 4), 4 * words[at]);
      this.draw(words[at], words[at + 1], words[at + 2], words[at + 3]);
    }
  }

  draw(index, sign, text, ground) {
    const { paint, cell } = this;
    const x = index % this.columns * cell.width, y = Math.floor(index / this.columns) * cell.height;
    paint.fillStyle = this.css(ground);
    paint.fillRect(x, y, cell.width, cell.height);
    if (sign === 32) return;
    paint.fillStyle = this.css(text);
    if (shape(paint, sign, x, y, cell.width, cell.height)) return;
    paint.font = `${text >>> 24 ? "bold " : ""}${cell.size}px ${FONT}`;
    paint.fillText(String.fromCodePoint(sign), x, y + Math.round(cell.height * 0.78));
  }

  // The characters of the screen.
  text() {
    const rows = Array.from({ length: this.rows }, (_, row) => {
      const signs = Array.from({ length: this.columns }, (_, column) => this.words[4 * (row * this.columns + column) + 1]);
      return String.fromCodePoint(...signs.map((sign) => sign || 32)).trimEnd();
    });
    return rows.join("\n") + "\n";
  }
}
