//! The page in Chromium: what a user sees, presses, touches and pastes.

use crate::{folder, need, script, stderr};
use serde_json::{Value, json};
use std::env;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout};

/// Chromium with a page, driven by node.
struct Browser {
    node: Child,
    asked: Option<ChildStdin>,
    told: BufReader<ChildStdout>,
}

fn chromium() -> Option<PathBuf> {
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let path = env::var_os("PATH").unwrap_or_default();
    let found = env::split_paths(&path)
        .flat_map(|folder| names.map(|name| folder.join(name)))
        .find(|program| program.is_file());
    if found.is_none() {
        need::not_tested("chromium", "the page in a browser: apt-get install chromium");
    }
    found
}

impl Browser {
    fn start() -> Option<Self> {
        let (folder, program) = (folder()?, chromium()?);
        let mut node =
            script("browser.mjs").arg(folder).arg(program).spawn().expect("node is there");
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

    /// Ends it; nothing may have been put on the console.
    #[track_caller]
    fn end(mut self) {
        let messages = self.ask(&json!({ "messages": true }));
        assert_eq!(messages, json!([]), "on the console");
        drop(self.asked.take());
        assert!(self.node.wait().expect("it ends").success());
    }
}

#[test]
fn a_page_plays_at_once_and_follows_keys() {
    let Some(mut page) = Browser::start() else { return };
    let first = page.open("");
    stderr::say(&format!("the first cells after {first} ms"));
    page.until("document.getElementById('said').textContent.length > 20");
    // It plays, so that the screen changes by itself.
    page.value("window.before = matviz.text()");
    page.until("matviz.text() !== before");
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
    let (link, there) = (page.value("location.hash"), page.value("matviz.text()"));
    page.open(link.as_str().expect("a text"));
    page.until(&format!("matviz.text() === {there}"));
    page.open("#kernel=nil");
    page.until("document.getElementById('notice').textContent.includes('not in the catalogue')");
    page.end();
}

#[test]
fn a_lesson_is_answered_and_what_was_done_is_kept() {
    let Some(mut page) = Browser::start() else { return };
    page.open("#lesson=1&page=1");
    page.until_told("Lesson 1");
    for _ in 0..12 {
        page.keys(&["1", "Enter"]);
        if page.value("localStorage.getItem('matviz.progress')") != Value::Null {
            break;
        }
        page.value("new Promise((resolve) => setTimeout(resolve, 300))");
    }
    page.until("'lessons' in JSON.parse(localStorage.getItem('matviz.progress') ?? '{}')");
    page.value("location.reload()");
    page.until("window.matviz && matviz.text().length > 500");
    page.end();
}

#[test]
fn a_kernel_is_pasted_judged_and_shared() {
    let source = include_str!("../../kernels/broken/tiled_no_load_barrier.cu");
    let source = format!("// launch: <<<,16x16>>> --size 64\n#define TILE 16\n{source}");
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
    page.ask(&json!({ "swipe": [[300, 300], [150, 300]] }));
    page.until("/step=[0-9]+/.test(location.hash) && !location.hash.includes('step=100')");
    let on = page.value("location.hash");
    page.value("document.querySelector('[data-key=Left]').click()");
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
