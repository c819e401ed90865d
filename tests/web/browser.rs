//! The page in a browser: what a user sees, presses, touches, pastes and drops.

use crate::{folder, need, script, stderr};
use serde_json::{Value, json};
use std::env;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::num::NonZero;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout};

/// A browser with a page, driven by node.
struct Browser {
    node: Child,
    asked: Option<ChildStdin>,
    told: BufReader<ChildStdout>,
}

/// The driver of a browser, its names, and Debian's package with it.
type Kind = (&'static str, &'static [&'static str], &'static str);

const CHROMIUM: Kind = ("chromium", &["chromium", "chromium-browser", "google-chrome"], "chromium");
const FIREFOX: Kind = ("firefox", &["firefox-esr", "firefox"], "firefox-esr");

fn program((driver, names, package): Kind) -> Option<PathBuf> {
    // On a busy machine a browser may take longer than is waited for.
    if env::var_os("MATVIZ_BROWSERS").is_none() {
        need::not_tested(driver, "the page there: set MATVIZ_BROWSERS");
        return None;
    }
    let path = env::var_os("PATH").unwrap_or_default();
    let found = env::split_paths(&path)
        .flat_map(|folder| names.iter().map(move |name| folder.join(name)))
        .find(|program| program.is_file());
    if found.is_none() {
        need::not_tested(driver, &format!("the page there: apt-get install {package}"));
    }
    found
}

impl Browser {
    /// Chromium.
    fn start() -> Option<Self> {
        Self::of(CHROMIUM)
    }

    fn of(kind: Kind) -> Option<Self> {
        let (folder, program) = (folder()?, program(kind)?);
        let mut node = script("browser.mjs")
            .arg(folder)
            .arg(kind.0)
            .arg(program)
            .spawn()
            .expect("node is there");
        let told = BufReader::new(node.stdout.take().expect("piped"));
        Some(Self { asked: node.stdin.take(), node, told })
    }

    #[track_caller]
    fn ask(&mut self, line: &Value) -> Value {
        let asked = self.asked.as_mut().expect("it runs");
        writeln!(asked, "{line}").expect("it reads");
        let mut told = String::new();
        self.told.read_line(&mut told).expect("it answers");
        assert!(!told.is_empty(), "no answer to {line}");
        serde_json::from_str(&told).expect("JSON")
    }

    /// Opens a place in a window; returns when its first cells were there.
    #[track_caller]
    fn open(&mut self, place: &str) -> u64 {
        self.ask(&json!({ "open": format!("/{place}") })).as_u64().expect("milliseconds")
    }

    #[track_caller]
    fn until(&mut self, expression: &str) -> u64 {
        self.ask(&json!({ "until": expression })).as_u64().expect("milliseconds")
    }

    /// Waits until the screen says something.
    #[track_caller]
    fn until_told(&mut self, text: &str) -> u64 {
        self.until(&format!("matviz.text().includes({})", json!(text)))
    }

    #[track_caller]
    fn value(&mut self, expression: &str) -> Value {
        self.ask(&json!({ "value": expression }))
    }

    #[track_caller]
    fn keys(&mut self, keys: &[&str]) {
        for key in keys {
            self.ask(&json!({ "key": key }));
        }
    }

    /// Drops a file on the page.
    #[track_caller]
    fn drop_file(&mut self, name: &str, text: &str) {
        self.value(&format!(
            "(() => {{ const dataTransfer = new DataTransfer(); \
             dataTransfer.items.add(new File([{}], {})); \
             dispatchEvent(new DragEvent('drop', {{ dataTransfer, bubbles: true, cancelable: true }})); }})()",
            json!(text),
            json!(name)
        ));
    }

    /// From now on what the page hands out as files is kept in `saved`.
    #[track_caller]
    fn keep_files(&mut self) {
        self.value(
            "(() => { window.saved = []; const make = URL.createObjectURL; \
             URL.createObjectURL = (file) => { saved.push(file); return make(file); }; })()",
        );
    }

    /// Ends it; nothing may have been put on the console.
    #[track_caller]
    fn end(mut self) {
        let messages = self.ask(&json!({ "messages": true }));
        assert_eq!(messages, json!([]), "on the console");
        drop(self.asked.take());
        assert!(self.node.wait().expect("it ends").success());
    }
}

/// Counts the frames that change something from now on.
const FRAMES: &str = "(() => { window.frames = 0; window.begun = performance.now(); let last = matviz.text(); \
    (function look() { const text = matviz.text(); if (text !== last) window.frames++; last = text; \
    requestAnimationFrame(look); })(); })()";

#[test]
fn a_page_plays_at_once_and_follows_keys() {
    for kind in [CHROMIUM, FIREFOX] {
        if let Some(page) = Browser::of(kind) {
            plays_and_follows_keys(page, kind.0);
        }
    }
}

fn plays_and_follows_keys(mut page: Browser, browser: &str) {
    let first = page.open("");
    stderr::say(&format!("{browser}: the first cells after {first} ms"));
    page.until("document.getElementById('said').textContent.length > 20");
    // It plays, so that the screen changes by itself.
    page.value("window.before = matviz.text()");
    page.until("matviz.text() !== before");
    page.value(FRAMES);
    page.until("performance.now() - begun > 5000");
    let frames = page.value("frames / (performance.now() - begun) * 1000").as_f64();
    stderr::say(&format!(
        "{browser}: {:.1} frames a second while it plays",
        frames.unwrap_or_default()
    ));
    page.keys(&["Space"]);
    page.until("location.hash.includes('step=')");
    let hash = page.value("location.hash");
    let hash = hash.as_str().expect("a text");
    assert!(hash.starts_with("#kernel=tiled&tile=16&step="), "{hash}");
    page.keys(&["?"]);
    page.until_told("Help");
    // `q` is back here, and at the top nothing: the page has no end.
    page.keys(&["q", "q", "q", "?"]);
    page.until_told("Help");
    page.end();
}

#[test]
fn a_link_is_restored_with_its_picture() {
    let Some(mut page) = Browser::start() else { return };
    page.open("#kernel=naive&size=64&step=30");
    page.until_told("naive");
    page.keys(&["Right"]);
    page.until("location.hash.startsWith('#kernel=naive&tile=16&size=64&step=')");
    // A word is explained once: the row with its meaning depends on what was seen before.
    let seen =
        "matviz.text().split('\\n').map((row) => /^ +[a-z, ]+: /.test(row) ? '' : row).join('\\n')";
    let (link, there) = (page.value("location.hash"), page.value(seen));
    page.open(link.as_str().expect("a text"));
    page.until(&format!("{seen} === {there}"));
    page.open("#kernel=tild");
    page.until("document.getElementById('notice').textContent.includes('did you mean `tiled`?')");
    page.end();
}

#[test]
fn a_lesson_is_answered_and_what_was_done_is_kept() {
    for kind in [CHROMIUM, FIREFOX] {
        Browser::of(kind).into_iter().for_each(a_lesson_is_answered);
    }
}

fn a_lesson_is_answered(mut page: Browser) {
    page.open("#lesson=1&page=1");
    page.until_told("Lesson 1");
    let answered = "Object.values(JSON.parse(localStorage.getItem('matviz.progress') ?? '{}').lessons ?? {}) \
        .some((lesson) => Object.keys(lesson.asks).length > 0)";
    for _ in 0..12 {
        if page.value(answered) == json!(true) {
            break;
        }
        page.keys(&["1", "Enter"]);
        page.value("new Promise((resolve) => setTimeout(resolve, 500))");
    }
    page.until(answered);
    // It is handed out, forgotten, and brought back.
    page.keep_files();
    page.value("document.getElementById('keep').click()");
    page.value("(async () => { window.kept = await saved[0].text(); })()");
    assert_eq!(page.value("kept === localStorage.getItem('matviz.progress')"), json!(true));
    let kept = page.value("kept");
    page.value("localStorage.removeItem('matviz.progress')");
    page.drop_file("progress.json", "{}");
    page.until("document.getElementById('notice').textContent.includes('no progress of matviz')");
    page.value("delete document.documentElement.dataset.drawn");
    page.drop_file("progress.json", kept.as_str().expect("a text"));
    page.until("document.documentElement.dataset.drawn !== undefined");
    assert_eq!(page.value("localStorage.getItem('matviz.progress')"), kept);
    page.end();
}

const LESSON: &str = "\
# My own lesson

Goal: see that a lesson of one's own is shown.
";

#[test]
fn a_kernel_and_a_lesson_are_dropped() {
    let Some(mut page) = Browser::start() else { return };
    page.open("#kernel=tiled&step=0");
    page.drop_file("mine.cu", &racing());
    page.until("document.getElementById('source').value.includes('__global__')");
    page.until_told("pasted.cu");
    page.drop_file("mine.md", include_str!("../../lessons/07-the-first-barrier.md"));
    page.until_told("The first barrier");
    page.drop_file("wrong.md", LESSON);
    page.until("document.getElementById('notice').textContent.includes('wrong.md')");
    page.end();
}

#[test]
fn what_is_seen_is_recorded() {
    let Some(mut page) = Browser::start() else { return };
    page.open("#kernel=tiled&step=0");
    page.until_told("tiled");
    page.keep_files();
    page.value("document.getElementById('record').click()");
    page.keys(&["n"]);
    page.until("/step=[1-9]/.test(location.hash)");
    page.value("document.getElementById('record').click()");
    page.value("(async () => { window.lines = (await saved[0].text()).trim().split('\\n').map(JSON.parse); })()");
    let lines = page.value("lines");
    let [header, frames @ ..] = &lines.as_array().expect("lines")[..] else { panic!("{lines}") };
    assert_eq!(header["version"], 2);
    assert!(frames.len() > 2, "{lines}");
    // What it ends with is what is seen.
    let all: String = frames.iter().filter_map(|frame| frame[2].as_str()).collect();
    let [width, height] = ["width", "height"].map(|side| {
        let cells = header[side].as_u64().and_then(|cells| u16::try_from(cells).ok());
        cells.and_then(NonZero::new).expect("cells")
    });
    let mut terminal = vt100::Parser::new(height, width, 0);
    terminal.process(all.as_bytes());
    let shown = page.value("matviz.text()");
    let rows = |text: &str| text.lines().map(|row| row.trim_end().to_owned()).collect::<Vec<_>>();
    let played = terminal.screen().rows(0, width.get()).collect::<Vec<_>>().join("\n");
    assert_eq!(rows(&played), rows(shown.as_str().expect("a text")));
    page.end();
}

#[test]
fn what_is_under_the_mouse_is_explained() {
    let Some(mut page) = Browser::start() else { return };
    page.open("#kernel=tiled&size=64&step=240&panel=shared");
    page.until_told("sA");
    page.value("window.before = matviz.text()");
    page.ask(&json!({ "move": [300, 200] }));
    page.until("matviz.text() !== before && /s[AB].*Esc/.test(matviz.text())");
    page.ask(&json!({ "move": [300, 10] }));
    page.until("matviz.text() === before");
    page.end();
}

/// A kernel with a race, and its launch.
fn racing() -> String {
    let source = include_str!("../../kernels/broken/tiled_no_load_barrier.cu");
    format!("// launch: <<<,16x16>>> --size 64\n#define TILE 16\n{source}")
}

#[test]
fn a_kernel_is_pasted_judged_and_shared() {
    let source = racing();
    let Some(mut page) = Browser::start() else { return };
    page.open("#kernel=tiled&step=0");
    page.value("document.getElementById('paste').click()");
    page.ask(&json!({ "text": source }));
    page.until_told("race");
    page.until_told("orders");
    page.value("document.getElementById('share').click()");
    page.until("location.hash.startsWith('#src=')");
    let link = page.value("location.hash");
    page.open(link.as_str().expect("a text"));
    page.until_told("race");
    assert_eq!(page.value("document.getElementById('source').value"), json!(source));
    page.open("#src=AAAA");
    page.until("document.getElementById('notice').textContent.includes('cannot be read')");
    // `C` hands out the kernel that is shown.
    page.open("#kernel=tiled&size=64&step=0");
    page.keys(&["C"]);
    page.until("document.getElementById('source').value.includes('__syncthreads')");
    page.end();
}

#[test]
fn keys_are_heard_while_a_kernel_is_counted() {
    let Some(mut page) = Browser::start() else { return };
    page.open("#kernel=half_tensor&size=1024&step=0");
    page.value(
        "window.longest = 0; \
         new PerformanceObserver((list) => list.getEntries().forEach((task) => { \
             longest = Math.max(longest, task.duration); \
         })).observe({ type: 'longtask' })",
    );
    page.keys(&["m"]);
    page.until_told("Measure");
    page.value("window.before = performance.now()");
    page.keys(&["?"]);
    page.until_told("Help");
    let heard = page.value("performance.now() - before").as_f64().expect("milliseconds");
    let longest = page.value("longest").as_f64().expect("milliseconds");
    stderr::say(&format!(
        "a key is heard after {heard:.0} ms; the longest task of the page took {longest:.0} ms"
    ));
    page.end();
}

#[test]
fn a_phone_is_used_by_touch() {
    let Some(mut page) = Browser::start() else { return };
    page.ask(&json!({
        "open": "/#kernel=tiled&step=100", "width": 390, "height": 844, "ratio": 3, "touch": true,
    }));
    page.until_told("tiled");
    page.ask(&json!({ "touch": [[300, 300], [150, 300]] }));
    page.until("/step=[0-9]+/.test(location.hash) && !location.hash.includes('step=100')");
    // The scrubber is the row above the last one: it follows the finger.
    let row = |from_below: f64| {
        format!(
            "document.getElementById('screen').getBoundingClientRect().top \
             + (matviz.text().trimEnd().split('\\n').length - {from_below}) * matviz.cell().height"
        )
    };
    let [y, keys] =
        [1.5, 0.5].map(|from_below| page.value(&row(from_below)).as_f64().expect("a number"));
    page.ask(&json!({ "touch": [[40, y], [100, y], [200, y]] }));
    page.until("Number(/step=([0-9]+)/.exec(location.hash)[1]) > 1000");
    page.ask(&json!({ "touch": [[40, y]] }));
    page.until("Number(/step=([0-9]+)/.exec(location.hash)[1]) < 1000");
    // A key that the last row names is pressed by a tap on it.
    let last = page.value("matviz.text().trimEnd().split('\\n').pop()");
    assert!(last.as_str().is_some_and(|row| row.starts_with("  Space  play")), "{last}");
    page.ask(&json!({ "touch": [[40, keys]] }));
    page.until("document.querySelector('[data-key=Space]').textContent === 'Pause'");
    page.ask(&json!({ "touch": [[40, keys]] }));
    page.until("document.querySelector('[data-key=Space]').textContent === 'Play'");
    let on = page.value("location.hash");
    page.value("document.querySelector('[data-key=Right]').click()");
    page.until(&format!("location.hash !== {on}"));
    page.value("document.querySelector('[data-key=L]').click()");
    page.until_told("essons");
    let small = "Array.from(document.querySelectorAll('#buttons button')).filter((button) => \
                 button.getBoundingClientRect().height < 44 || button.scrollWidth > button.clientWidth).length";
    assert_eq!(page.value(small), json!(0), "each can be hit, and no word is cut");
    page.end();
}

#[test]
fn a_slide_shows_a_run_without_what_is_around_it() {
    let Some(mut page) = Browser::start() else { return };
    page.open("slide.html");
    page.until(
        "document.querySelector('iframe').contentDocument.documentElement.dataset.drawn === ''",
    );
    let frame = "document.querySelector('iframe').contentWindow";
    let button = format!("getComputedStyle({frame}.document.querySelector('#paste')).display");
    assert_eq!(page.value(&button), json!("none"));
    page.value(&format!("window.before = {frame}.matviz.text()"));
    page.until(&format!("{frame}.matviz.text() !== before"));
    let text = page.value(&format!("{frame}.matviz.text()"));
    assert!(!text.as_str().expect("a text").contains("? help"), "{text}");
    page.end();
}

/// Nothing of it keeps people from using it, as far as axe-core sees.
#[test]
fn everybody_can_use_the_page() {
    let Some(axe) = env::var_os("MATVIZ_AXE").filter(|path| !path.is_empty()) else {
        return need::not_tested(
            "axe",
            "what keeps people from using the page: MATVIZ_AXE=$(.ci/axe)",
        );
    };
    let Some(mut page) = Browser::start() else { return };
    let axe = fs::read_to_string(axe).expect("it is there");
    let lists = "axe.run().then((told) => told.violations.map((rule) => \
                 rule.id + ' ' + rule.nodes.map((node) => node.html).join(' ')))";
    for (place, light, act) in [
        ("/", false, ""),
        ("/", true, "document.getElementById('more').open = true"),
        ("/#lesson=1&page=1", false, "document.getElementById('text').click()"),
        ("/#kernel=tiled&step=0", true, "document.getElementById('paste').click()"),
        ("/#kernel=tiled&embed=1", false, ""),
    ] {
        page.ask(&json!({ "open": place, "light": light }));
        page.value(&format!("{act};\n{axe};\n1"));
        assert_eq!(page.value(lists), json!([]), "{place} {act}");
    }
    page.end();
}

/// The picture of a page at every ratio of pixels has as many cells as there is room for.
#[test]
fn cells_are_whole_pixels_at_every_ratio() {
    let Some(mut page) = Browser::start() else { return };
    for ratio in [1.0, 1.25, 1.5, 2.0, 3.0] {
        page.ask(
            &json!({ "open": "/#kernel=tiled&step=240", "ratio": ratio, "light": ratio > 2.0 }),
        );
        let [width, shown] = ["screen.width", "clientWidth"].map(|what| {
            let what = what.replace("screen.", "");
            page.value(&format!("document.getElementById('screen').{what}"))
                .as_f64()
                .expect("a number")
        });
        assert!((width - shown * ratio).abs() <= 1.0, "{ratio}: {width} of {shown}");
    }
    page.end();
}
