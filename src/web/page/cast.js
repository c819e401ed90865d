// What is seen as an asciicast (version 2), which asciinema and other players play: what a terminal is sent, and when.

const MOST = 32 * 1024 * 1024; // letters of a recording

const colour = (kind, rgb) => `${kind};2;${rgb >> 16 & 255};${rgb >> 8 & 255};${rgb & 255}`;

export class Cast {
  constructor(screen) {
    const { columns: width, rows: height } = screen;
    this.begun = performance.now();
    this.lines = [JSON.stringify({ version: 2, width, height, title: "matviz", env: { TERM: "xterm-256color" } })];
    this.length = 0;
    this.event("o", "\x1b[?25l\x1b[2J");
    this.show(screen.words, width);
  }

  event(kind, data) {
    const line = JSON.stringify([(performance.now() - this.begun) / 1000, kind, data]);
    this.length += line.length;
    this.lines.push(line);
  }

  resize({ columns, rows }) {
    this.event("r", `${columns}x${rows}`);
  }

  // Sends changed cells of so many columns: those beside each other that look alike in one piece. Returns whether
  // there is room for more.
  show(words, columns) {
    let sent = "", next = -1, look = "";
    for (let at = 0; at < words.length; at += 4) {
      const [index, sign, text, ground] = words.subarray(at, at + 4);
      const own = `\x1b[${text >>> 24 ? 1 : 0};${colour(38, text)};${colour(48, ground)}m`;
      if (index !== next || index % columns === 0) sent += `\x1b[${Math.floor(index / columns) + 1};${index % columns + 1}H`;
      // A bold letter ends with its look.
      if (own !== look) sent += (look === "" ? "" : "\x1b[0m") + own;
      sent += String.fromCodePoint(sign || 32);
      [next, look] = [index + 1, own];
    }
    if (sent !== "") this.event("o", sent + "\x1b[0m");
    return this.length < MOST;
  }

  text() {
    this.event("o", "");
    return this.lines.join("\n") + "\n";
  }
}
