//! L20: whether the text before a page's first question fits beside the picture, and below it.

use super::super::diagnostic::{Diagnostic, NO_ROOM};
use super::super::document::{Lesson, Page, PageBlock, Para, Piece};
use super::examined::ExaminedPage;
use std::ops::Range;

/// The columns and rows of the text beside the picture: 44 columns with a frame and a margin.
const BESIDE: (usize, usize) = (40, 28);

/// The columns and rows of the text below the picture: three turns of seven rows.
const BELOW: (usize, usize) = (76, 3 * 7);

/// The columns that the value of a query takes, more or less.
const VALUE: usize = 5;

/// Complains about pages that are too long, and about code that is too wide.
pub(super) fn check(examined: &ExaminedPage<'_>) -> Vec<Diagnostic> {
    of_page(examined.lesson, examined.page)
}

fn of_page(lesson: &Lesson, page: &Page) -> Vec<Diagnostic> {
    long(lesson, page).into_iter().chain(wide(lesson, page)).collect()
}

/// The page's text must be seen at one look before its first question is asked.
fn long(lesson: &Lesson, page: &Page) -> Option<Diagnostic> {
    let asks = |page_block: &&PageBlock| {
        matches!(page_block, PageBlock::Ask(_) | PageBlock::Change(_) | PageBlock::Dials(_))
    };
    let before = page.blocks.iter().take_while(|page_block| !asks(page_block));
    let paras: Vec<_> = before.filter_map(text).flatten().collect();
    let (beside, below) = (rows_of(&paras, BESIDE.0), rows_of(&paras, BELOW.0));
    let told = if beside > BESIDE.1 {
        format!(
            "before its first question this page has {beside} rows of {} columns, and there is room \
             for {}",
            BESIDE.0, BESIDE.1
        )
    } else if below > BELOW.1 {
        format!(
            "before its first question this page has {below} rows of {} columns, which are more than \
             three turns of 7",
            BELOW.0
        )
    } else {
        return None;
    };
    let line = lesson.text[page.span.clone()].lines().next().unwrap_or("").len();
    Some(complain(lesson, page.span.start..page.span.start + line, told))
}

/// The lines of code that are cut.
fn wide(lesson: &Lesson, page: &Page) -> Vec<Diagnostic> {
    let mut lines = Vec::new();
    page.blocks.iter().filter_map(text).flatten().for_each(|para| code(para, &mut lines));
    let mut at = page.span.start;
    let mut found = Vec::new();
    for line in lines {
        // A line of a table is drawn, and does not stand so in the file.
        let begin = lesson.text[at..page.span.end].find(line).map(|start| at + start);
        let place = begin.map_or(at..at, |begin| begin..begin + line.len());
        at = place.end;
        if line.chars().count() > BESIDE.0 {
            let told = format!("a line of code has at most {} columns", BESIDE.0);
            found.push(complain(lesson, place, told));
        }
    }
    found
}

fn complain(lesson: &Lesson, span: Range<usize>, told: String) -> Diagnostic {
    Diagnostic::at(NO_ROOM, &lesson.file, &lesson.text, span, told)
}

fn text(page_block: &PageBlock) -> Option<&Vec<Para>> {
    match page_block {
        PageBlock::Text(paras) => Some(paras),
        _ => None,
    }
}

/// The lines of code in a paragraph.
fn code<'p>(para: &'p Para, lines: &mut Vec<&'p str>) {
    match para {
        Para::Text(_) => {}
        Para::Code(code) => lines.extend(code.iter().map(String::as_str)),
        Para::Item(_, paras) | Para::Quote(paras) => {
            for para in paras {
                code(para, lines);
            }
        }
    }
}

/// The rows of some paragraphs; between two of them one stays empty, but not between two items.
fn rows_of(paras: &[&Para], width: usize) -> usize {
    let text: usize = paras.iter().map(|para| rows(para, width)).sum();
    let is_item = |para: &Para| matches!(para, Para::Item(..));
    let close = |pair: &&[&Para]| is_item(pair[0]) && is_item(pair[1]);
    let gaps = paras.windows(2).filter(|pair| !close(pair)).count();
    text + gaps
}

fn rows(para: &Para, width: usize) -> usize {
    let inner = |paras: &[Para], margin: usize| {
        rows_of(&paras.iter().collect::<Vec<_>>(), width.saturating_sub(margin).max(1))
    };
    match para {
        Para::Text(pieces) => wrapped(pieces, width),
        Para::Code(lines) => lines.len(),
        Para::Item(mark, paras) => inner(paras, mark.chars().count() + 1),
        Para::Quote(paras) => inner(paras, 2),
    }
}

/// The rows of some words when they are broken between words.
fn wrapped(pieces: &[Piece], width: usize) -> usize {
    let text: String = pieces.iter().map(shown).collect();
    let (mut rows, mut used) = (0, width);
    for word in text.split_whitespace() {
        let length = word.chars().count();
        if used + 1 + length > width {
            rows += length.div_ceil(width).max(1);
            used = length.min(width);
        } else {
            used += 1 + length;
        }
    }
    rows
}

/// What stands for a piece.
fn shown(piece: &Piece) -> String {
    match piece {
        Piece::Plain(text) | Piece::Strong(text) | Piece::Code(text) | Piece::Key(text) => {
            text.clone()
        }
        Piece::Query(..) => "0".repeat(VALUE),
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::read::read;
    use super::*;
    use std::fs;

    /// The codes and places of what is wrong with a page of this text.
    fn places(page: &str) -> Vec<(&'static str, u32, u32)> {
        let head = "# T\n```matviz lesson\nid = \"t\"\nminutes = 1\n```\n## P\n";
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("1-t.md");
        fs::write(&path, format!("{head}{page}")).expect("written");
        let (course, found) = read(&path);
        assert_eq!(found, []);
        let lesson = &course.lessons[0];
        let found = lesson.pages.iter().flat_map(|page| of_page(lesson, page));
        found.map(|told| (told.code, told.line, told.column)).collect()
    }

    #[test]
    fn a_page_fits_up_to_its_last_row() {
        let word = "seven77 ";
        let rows = |count: usize| word.repeat(5 * count) + "\n";
        assert_eq!(places(&rows(28)), []);
        assert_eq!(places(&rows(29)), [("L20", 6, 1)]);
        let items = |count: usize| "- item\n".repeat(count);
        assert_eq!(places(&items(21)), []);
        assert_eq!(places(&items(22)), [("L20", 6, 1)], "three turns below the picture");
    }

    #[test]
    fn what_comes_after_the_question_has_time() {
        let scene = "```matviz scene\nkernel = \"tiled\"\n```\n\nWhat?\n\n";
        let ask = "```matviz ask what\nwant = \"1\"\n```\n\n";
        let long = "- item\n".repeat(40);
        assert_eq!(places(&format!("{scene}{ask}{long}")), []);
        assert_eq!(places(&format!("{scene}{long}\n{ask}")), [("L20", 6, 1)]);
    }

    #[test]
    fn code_is_at_most_as_wide_as_the_text() {
        let (fits, wide) = ("x".repeat(40), "y".repeat(41));
        assert_eq!(
            places(&format!("Code:\n\n    {fits}\n    {wide}\n\n- a\n\n      {wide}\n")),
            [("L20", 10, 5), ("L20", 14, 7)]
        );
    }
}
