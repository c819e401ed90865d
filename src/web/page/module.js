// The module of matviz: what it imports, and how texts go in and come out.

const decoder = new TextDecoder(), encoder = new TextEncoder();

export class Matviz {
  constructor(exports) {
    this.does = exports;
  }

  // What the last function has put out. The memory may grow, and its buffer be another one then.
  bytes() {
    return new Uint8Array(this.does.memory.buffer, this.does.output(), this.does.output_len());
  }

  text() {
    return decoder.decode(this.bytes());
  }

  // The text that a function puts out.
  ask(what) {
    this.does[what]();
    return this.text();
  }

  // Hands in a text for the function that is called next.
  give(text) {
    const bytes = encoder.encode(text);
    const at = this.does.input(bytes.length);
    new Uint8Array(this.does.memory.buffer, at, bytes.length).set(bytes);
  }
}

// An instance of a compiled module. `failed` hears why it panics; `due` says whether long work has had its
// time, and `pause` suspends it until it goes on.
export async function instantiate(module, { failed, due = () => 0, pause = () => {} }) {
  let matviz;
  const told = (at, len) => failed(decoder.decode(new Uint8Array(matviz.does.memory.buffer, at, len)));
  const instance = await WebAssembly.instantiate(module, { page: { failed: told, due, pause } });
  matviz = new Matviz(instance.exports);
  return matviz;
}
