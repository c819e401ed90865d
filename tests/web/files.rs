//! What the page consists of: no more than a lecture hall's network carries, and every sign in its font.

use crate::{folder, stderr};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The most bytes of the packed module.
const MOST: u64 = 3_000_000;

const CSS: &str = include_str!("../../src/web/page/page.css");

#[test]
fn the_module_is_small_enough_to_be_loaded() {
    let Some(folder) = folder() else { return };
    let packed = fs::metadata(folder.join("matviz.wasm.gz")).expect("it is built").len();
    stderr::say(&format!("matviz.wasm.gz has {packed} bytes"));
    assert!(packed <= MOST, "it has {packed} bytes, at most {MOST}");
}

/// The characters of the fonts, as the page says them.
fn ranges() -> Vec<(u32, u32)> {
    let (_, rest) = CSS.split_once("unicode-range:").expect("it says which");
    let (ranges, _) = rest.split_once(';').expect("it ends");
    let number = |text: &str| u32::from_str_radix(text, 16).expect("hexadecimal");
    let range = |text: &str| {
        let text = text.trim().trim_start_matches("U+");
        let (first, last) = text.split_once('-').unwrap_or((text, text));
        (number(first), number(last))
    };
    ranges.split(',').map(range).collect()
}

fn below(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder");
    let paths = entries.map(|entry| entry.expect("it can be read").path());
    paths.flat_map(|path| if path.is_dir() { below(&path) } else { vec![path] }).collect()
}

/// A file without its comments and its unit tests.
fn drawn(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap_or_default();
    if path.ends_with("tests.rs") || path.iter().any(|part| part == "tests") {
        return String::new();
    }
    let code = text.split("\n#[cfg(test)]\nmod tests").next().unwrap_or_default();
    code.lines().filter(|line| !line.trim_start().starts_with("//")).collect()
}

#[test]
fn every_sign_that_the_screen_draws_is_a_shape_or_in_the_font() {
    let ranges = ranges();
    let is_shape = |sign: u32| (0x2500..=0x259f).contains(&sign);
    let is_in = |sign: u32| ranges.iter().any(|(first, last)| (*first..=*last).contains(&sign));
    let mut missing = BTreeMap::new();
    for path in ["src", "lessons", "kernels"].into_iter().flat_map(|top| below(Path::new(top))) {
        for sign in drawn(&path).chars().filter(|sign| !sign.is_control()) {
            if !is_shape(sign as u32) && !is_in(sign as u32) {
                missing.insert(sign, path.clone());
            }
        }
    }
    assert!(missing.is_empty(), "{missing:?}");
}
