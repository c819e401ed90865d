//! Text of a lesson as lines of at most 78 columns.

use crate::lesson::document::Para;
use crate::lesson::session::words;

/// The columns of a line.
pub(super) const WIDTH: usize = 78;

/// Paragraphs as lines, with an empty line between two of them, but not between items of a list.
pub(super) fn lines(paras: &[Para]) -> Vec<String> {
    within(paras, WIDTH)
}

fn within(paras: &[Para], width: usize) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    let mut before: Option<&Para> = None;
    for para in paras {
        let is_item = |para: &Para| matches!(para, Para::Item(..));
        if before.is_some_and(|before| !(is_item(before) && is_item(para))) {
            all.push(String::new());
        }
        all.extend(block(para, width));
        before = Some(para);
    }
    all
}

fn block(para: &Para, width: usize) -> Vec<String> {
    match para {
        Para::Text(pieces) => wrapped(&words(pieces), width),
        // Code is never broken: a line of it means what it says.
        Para::Code(lines) => lines.iter().map(|line| indented("    ", line)).collect(),
        Para::Item(mark, paras) => {
            let first = format!("{mark} ");
            let others = " ".repeat(columns(&first));
            let lines = within(paras, width.saturating_sub(columns(&first)));
            let begin = |(index, line): (usize, &String)| {
                indented(if index == 0 { &first } else { &others }, line)
            };
            lines.iter().enumerate().map(begin).collect()
        }
        Para::Quote(paras) => {
            let lines = within(paras, width.saturating_sub(2));
            lines.iter().map(|line| indented("> ", line)).collect()
        }
    }
}

fn indented(indent: &str, line: &str) -> String {
    format!("{indent}{line}").trim_end().to_owned()
}

/// Wraps a text to this many columns between words; a longer word has a line of its own.
pub(super) fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) if columns(line) + 1 + columns(word) <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

fn columns(text: &str) -> usize {
    text.chars().count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lesson::document::Piece;

    fn text(words: &str) -> Para {
        Para::Text(vec![Piece::Plain(words.to_owned())])
    }

    #[test]
    fn text_is_broken_between_words_and_code_is_not() {
        let long = "word ".repeat(30);
        let code = format!("sA[ty][tx] = {};", "x".repeat(90));
        let shown = lines(&[text(&long), Para::Code(vec![code.clone()])]);
        assert!(shown[..2].iter().all(|line| line.len() <= WIDTH && line.len() > 70));
        assert_eq!(shown.last(), Some(&format!("    {code}")));
    }

    #[test]
    fn items_hang_and_stand_close() {
        let item = |mark: &str| Para::Item(mark.to_owned(), vec![text(&"abc ".repeat(25))]);
        let shown = lines(&[text("one"), item("1."), item("2.")]);
        assert_eq!(shown[1], "");
        assert!(shown[2].starts_with("1. abc") && shown[3].starts_with("   abc"));
        assert!(shown[4].starts_with("2. abc"));
    }
}
