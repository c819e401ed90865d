// What the learner has done: kept in this browser, as the text of the program's own progress.json.

const KEY = "matviz.progress";

// Without a place to keep things, as in some private windows, a lesson goes on all the same.
function stored() {
  try {
    return localStorage.getItem(KEY) ?? "";
  } catch {
    return "";
  }
}

function store(text) {
  localStorage.setItem(KEY, text);
}

export function openProgress({ notice, save, element }) {
  let isTold = false;

  element("keep").addEventListener("click", () => {
    const text = stored();
    if (text === "") notice("There is no progress yet: it begins with the first answer in a lesson.");
    else save("progress.json", "application/json", text);
  });
  element("restore").addEventListener("click", () => element("progress").click());
  element("progress").addEventListener("change", (event) => {
    const [file] = event.target.files;
    if (file) open(file);
  });

  async function open(file) {
    try {
      const text = await file.text();
      if (!("lessons" in JSON.parse(text))) throw new Error("it has no lessons");
      store(text);
      location.reload();
    } catch (error) {
      notice(`${file.name} is no progress of matviz: ${error.message}`);
    }
  }

  return {
    open,
    keep(text) {
      try {
        store(text);
      } catch (error) {
        if (!isTold) notice(`Your progress is not kept: ${error.message}`);
        isTold = true;
      }
    },
    // What matviz starts with.
    start() {
      const now = new Date(), two = (number) => String(number).padStart(2, "0");
      const day = `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
      return { progress: stored(), day, seed: Math.floor(Math.random() * 10000) };
    },
  };
}
