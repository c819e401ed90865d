//! The page for a browser: its module draws what the terminal draws, at every place of a link, no key ends
//! it, and in a browser it can be used.
//!
//! Needs the folder that `.ci/web` has built, named by `MATVIZ_WEB`, and node, and for what is seen in a
//! page Chromium; says so without.

mod browser;
mod files;
mod places;

#[path = "../shared/need.rs"]
mod need;
#[path = "../shared/stderr.rs"]
mod stderr;

use matviz::tui::config::Config;
use matviz::tui::keymap::Keymap;
use serde_json::Value;
use std::env;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// The settings of a page.
fn page() -> Config {
    Config { keymap: Keymap::of_page(), ..Config::default() }
}

/// The folder of the page, if it is built.
fn folder() -> Option<PathBuf> {
    let folder = env::var_os("MATVIZ_WEB").filter(|folder| !folder.is_empty());
    if folder.is_none() {
        let told = "the page, which `.ci/web` builds into the folder that MATVIZ_WEB names";
        need::not_tested("web", told);
    }
    folder.map(PathBuf::from)
}

/// A script of these tests, to be run by node.
fn script(name: &str) -> Command {
    let mut node = Command::new("node");
    // What drives Firefox needs it; node 22 has it anyway.
    node.arg("--experimental-websocket");
    node.arg(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/web").join(name));
    node.stdin(Stdio::piped()).stdout(Stdio::piped());
    node
}

/// Answers of the module to lines, or `None` if it cannot be asked here.
fn answers(lines: &[Value]) -> Option<Vec<Value>> {
    let folder = folder()?;
    let mut node =
        script("drive.mjs").arg(folder).spawn().expect("node is there where MATVIZ_WEB is set");
    let mut asked = node.stdin.take().expect("piped");
    let text: String = lines.iter().flat_map(|line| [line.to_string(), "\n".to_owned()]).collect();
    // It answers while it is asked.
    let asking = std::thread::spawn(move || asked.write_all(text.as_bytes()));
    let told = node.wait_with_output().expect("it ends");
    assert!(told.status.success(), "the module has stopped");
    asking.join().expect("no panic").expect("it reads");
    let told = String::from_utf8(told.stdout).expect("UTF-8");
    let answers: Vec<Value> =
        told.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(answers.len(), lines.len(), "it answers each line");
    Some(answers)
}
