//! L24: parts of the screen that a text names, and that its scene does not show.

use super::examined::ExaminedPage;
use super::stand::scene_of;
use crate::lesson::diagnostic::{Diagnostic, NOT_SHOWN};
use crate::lesson::document::{PageBlock, Scene, keys};
use crate::lesson::target::{PagePlace, View};
use crate::study::stage::StagePart;
use std::collections::BTreeSet;
use std::ops::Range;

/// Words that name a part of the screen, and nothing else in a lesson.
const NAMES: [(&str, PagePlace); 3] = [
    ("door", PagePlace::Part(StagePart::Door)),
    ("cross", PagePlace::Part(StagePart::Cross)),
    ("timeline", PagePlace::Panel(View::Timeline)),
];

/// Complains about what a page names and its scene does not show, unless the page tells the key that does.
pub(super) fn check(examined: &ExaminedPage<'_>) -> Vec<Diagnostic> {
    let (lesson, page) = (examined.lesson, examined.page);
    let opened: BTreeSet<&str> = page.blocks.iter().flat_map(told_keys).collect();
    let blocks = lesson.pages[..=examined.index].iter().flat_map(|page| &page.blocks);
    let scenes: Vec<&Scene> = blocks.filter_map(scene_of).collect();
    let scene_at = |at: usize| scenes.iter().rev().find(|scene| scene.span.start < at);
    let mut found = Vec::new();
    for prose in &page.prose {
        let (Some(text), Some(scene)) = (lesson.text.get(prose.clone()), scene_at(prose.start))
        else {
            continue;
        };
        for (place, name) in named(text) {
            if shows(scene, place) || key_of(place).is_some_and(|key| opened.contains(&*key)) {
                continue;
            }
            let span = prose.start + name.start..prose.start + name.end;
            let told = format!("the scene of this page does not show `{}`", &text[name]);
            found.push(Diagnostic::at(NOT_SHOWN, &lesson.file, &lesson.text, span, told));
        }
    }
    found
}

fn told_keys(block: &PageBlock) -> Vec<&str> {
    match block {
        PageBlock::Text(paras) => keys(paras),
        _ => Vec::new(),
    }
}

/// The digit that shows a panel.
fn key_of(place: PagePlace) -> Option<String> {
    match place {
        PagePlace::Panel(view) => view.number().map(|number| number.to_string()),
        PagePlace::Part(_) => None,
    }
}

/// Whether a scene shows it; what only the stage has is on no workbench.
fn shows(scene: &Scene, place: PagePlace) -> bool {
    let looks = matches!(place, PagePlace::Panel(view) if scene.look.contains(&view));
    looks || scene.places.contains(&place)
}

/// The parts of the screen that a text names, each with its place: a word of [`NAMES`], or `panel 5`.
fn named(text: &str) -> Vec<(PagePlace, Range<usize>)> {
    let is_word = |c: char| c.is_alphanumeric();
    let mut words: Vec<Range<usize>> = Vec::new();
    for (at, letter) in text.char_indices().filter(|(_, letter)| is_word(*letter)) {
        let end = at + letter.len_utf8();
        match words.last_mut().filter(|word| word.end == at) {
            Some(word) => word.end = end,
            None => words.push(at..end),
        }
    }
    let known = |word: &Range<usize>| {
        let name = text[word.clone()].to_lowercase();
        let (_, place) = NAMES.iter().find(|(of, _)| *of == name)?;
        Some((*place, word.clone()))
    };
    let numbered = |pair: &[Range<usize>]| {
        let [word, number] = pair else { return None };
        let view = text[word.clone()].eq_ignore_ascii_case("panel");
        let view = view.then(|| View::find(&text[number.clone()])).flatten()?;
        Some((PagePlace::Panel(view), word.start..number.end))
    };
    words.iter().filter_map(known).chain(words.windows(2).filter_map(numbered)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_numbers_of_panels_name_parts_of_the_screen() {
        let text = "At the Door, and in panel 5: doors across panels.";
        let found: Vec<_> = named(text).into_iter().map(|(_, name)| &text[name]).collect();
        assert_eq!(found, ["Door", "panel 5"]);
    }
}
