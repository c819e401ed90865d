// A kernel of one's own: typed, pasted, opened, dropped or unpacked from a link, and judged as it changes.

const MOST = 64 * 1024; // bytes of a kernel
const AFTER = 300; // milliseconds from the last key to the judgement

async function bytes(stream) {
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

async function pack(text) {
  const small = await bytes(new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw")));
  const letters = Array.from(small, (byte) => String.fromCharCode(byte)).join("");
  return btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

// A link is a stranger's text: no more of it is unpacked than a kernel may have.
async function unpack(word) {
  if (word.length > MOST) throw new Error(`it has more than ${MOST} letters`);
  const small = Uint8Array.from(atob(word.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
  const reader = new Blob([small]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
  const parts = [];
  for (let all = 0, part; !(part = await reader.read()).done;) {
    all += part.value.length;
    if (all > MOST) throw new Error(`it has more than ${MOST} bytes`);
    parts.push(part.value);
  }
  return new Blob(parts).text();
}

export function openKernels({ tell, notice, save, copy, element, canvas, others }) {
  const source = element("source");
  let judging = 0;

  function judge(after) {
    clearTimeout(judging);
    if (source.value.trim() !== "") judging = setTimeout(() => tell({ edit: source.value }), after);
  }

  function open(is) {
    element("kernel").hidden = !is;
    element("paste").setAttribute("aria-expanded", is);
    element("paste").textContent = is ? "Hide the kernel" : "Paste a kernel";
    (is ? source : canvas).focus();
  }

  function edit(text) {
    source.value = text;
    open(true);
    source.setSelectionRange(0, 0);
    source.scrollTop = 0;
    judge(0);
  }

  async function take(file) {
    if (!file) return;
    const other = others[file.name.split(".").pop().toLowerCase()];
    if (other) await other(file);
    else if (file.size > MOST) notice(`${file.name} has more than ${MOST} bytes.`);
    else edit(await file.text());
  }

  source.addEventListener("input", () => judge(AFTER));
  source.addEventListener("keydown", (event) => {
    if (event.key === "Escape") canvas.focus();
  });
  element("paste").addEventListener("click", () => open(element("kernel").hidden));
  element("close").addEventListener("click", () => { location.hash = ""; location.reload(); });
  element("open").addEventListener("click", () => element("file").click());
  element("save").addEventListener("click", () => save("kernel.cu", "text/plain", source.value));
  element("share").addEventListener("click", async () => copy("src=" + await pack(source.value)));
  element("file").addEventListener("change", (event) => take(event.target.files[0]));
  addEventListener("dragover", (event) => event.preventDefault());
  addEventListener("drop", (event) => {
    event.preventDefault();
    take(event.dataTransfer.files[0]);
  });

  return {
    edit,
    async unpack(word, opens) {
      try {
        source.value = await unpack(word);
        if (opens) open(true);
        judge(0);
      } catch (error) {
        notice(`The link's kernel cannot be read: ${error.message}`);
      }
    },
  };
}
