//! Cuts the host's code out of a text: blanks stand for it, so that every line keeps its number.

use super::FilePart;
use super::item::{Item, ItemKind, words};
use std::collections::BTreeSet;

/// The text of a part with blanks for what is not used.
pub(super) fn kept(
    part: &FilePart,
    used: &[bool],
    spaces: &BTreeSet<&str>,
    has: &dyn Fn(&str) -> bool,
) -> String {
    let mut text = part.source.clone().into_bytes();
    let mut braces: Vec<(usize, bool)> = Vec::new();
    let is_known = |text: &str| opened(text).is_some_and(|space| spaces.contains(space));
    for (index, item) in part.items.iter().enumerate() {
        match item.kind {
            ItemKind::Open => braces.push((index, false)),
            ItemKind::Close => {
                if let Some((open, false)) = braces.pop() {
                    erase(&mut text, &part.items[open], part);
                    erase(&mut text, item, part);
                }
            }
            ItemKind::Directive => {
                let drops =
                    part.include(item).is_some_and(|one| !one.is_device() && !has(one.name));
                let is_error =
                    part.text(item).trim_start_matches('#').trim_start().starts_with("error");
                if drops || is_error {
                    erase(&mut text, item, part);
                }
            }
            ItemKind::Function | ItemKind::Other if !(used[index] || is_known(part.text(item))) => {
                erase(&mut text, item, part);
            }
            ItemKind::Function | ItemKind::Other => {
                for (_, holds) in &mut braces {
                    *holds |= used[index];
                }
            }
        }
    }
    String::from_utf8(text).unwrap_or_default()
}

/// The namespaces of NVIDIA's headers for device code.
pub(super) const NAMESPACES: [&str; 6] =
    ["nvcuda", "cooperative_groups", "cuda", "cub", "cute", "cutlass"];

/// The namespace of `using namespace nvcuda;`.
fn opened(text: &str) -> Option<&str> {
    let mut words = words(text);
    let opens = words.next() == Some("using") && words.next() == Some("namespace");
    words.next().filter(|_| opens)
}

/// Puts blanks in the place of an item. Conditions inside it stay: their other half may stand
/// elsewhere.
fn erase(text: &mut [u8], item: &Item, part: &FilePart) {
    let own = part.text(item);
    let is_directive = item.kind == ItemKind::Directive;
    let mut at = item.span.start;
    let mut continues = false;
    for line in own.split_inclusive('\n') {
        let word = line.trim_start().strip_prefix('#').map(|rest| words(rest).next().unwrap_or(""));
        let stays = ["if", "ifdef", "ifndef", "elif", "else", "endif", "define", "undef"];
        let stays = !is_directive && (continues || word.is_some_and(|word| stays.contains(&word)));
        continues = stays && line.trim_end().ends_with('\\');
        if !stays {
            let bytes = &mut text[at..at + line.len()];
            bytes.iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
        }
        at += line.len();
    }
}
