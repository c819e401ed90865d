//! The little HTML that a lesson may have: `<details>`, `<summary>` and comments.

use super::super::diagnostic::{Diagnostics, HTML};
use std::ops::Range;

/// A part of a block of HTML.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HtmlPart {
    /// `<details>`, and the summary after it.
    Open,
    /// `</details>`
    Close,
    /// A comment: its place is that of the text inside.
    Comment,
    /// Text between tags.
    Text,
}

/// What begins and ends a comment.
const COMMENT: (&str, &str) = ("<!--", "-->");

/// The parts of the HTML at `range`, with their places in the file; complains about other tags.
pub(super) fn parts(
    text: &str,
    range: Range<usize>,
    out: &mut Diagnostics<'_>,
) -> Vec<(HtmlPart, Range<usize>)> {
    let mut parts = Vec::new();
    let (mut at, end) = (range.start, range.end);
    while at < end {
        let rest = &text[at..end];
        let next = if let Some(inner) = rest.strip_prefix(COMMENT.0) {
            let found = inner.find(COMMENT.1);
            if found.is_none() {
                out.add(HTML, at..at + COMMENT.0.len(), "this comment is never closed by `-->`");
            }
            let (start, length) = (at + COMMENT.0.len(), found.unwrap_or(inner.len()));
            parts.push((HtmlPart::Comment, start..start + length));
            start + length + found.map_or(0, |_| COMMENT.1.len())
        } else if is_tag(rest) {
            let length = rest.find('>').map_or(rest.len(), |at| at + 1);
            let place = at..at + length;
            match &rest[..length] {
                "<details>" => parts.push((HtmlPart::Open, place.clone())),
                "</details>" => parts.push((HtmlPart::Close, place.clone())),
                "<summary>" => {}
                _ => out.add(
                    HTML,
                    place.clone(),
                    "of HTML only <details>, <summary> and comments are read",
                ),
            }
            if rest.starts_with("<summary>") {
                let closed = rest.find("</summary>").map(|at| at + "</summary>".len());
                if closed.is_none() {
                    out.add(HTML, place, "this <summary> is not closed before the next empty line");
                }
                at + closed.unwrap_or(rest.len())
            } else {
                place.end
            }
        } else {
            let tag = |(index, _): &(usize, char)| is_tag(&rest[*index..]);
            let length = rest.char_indices().find(tag).map_or(rest.len(), |(index, _)| index);
            if !rest[..length].trim().is_empty() {
                parts.push((HtmlPart::Text, at..at + length));
            }
            at + length
        };
        at = next;
    }
    parts
}

/// Whether a tag or a comment begins here: `i < n` has none.
fn is_tag(text: &str) -> bool {
    let after = text.strip_prefix('<').and_then(|rest| rest.chars().next());
    after.is_some_and(|next| next.is_ascii_alphabetic() || next == '/')
        || text.starts_with(COMMENT.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hint_and_comments_on_one_line_are_told_apart() {
        let text = "<details><summary>Hint</summary>i < n, `= x`</details>\n<!-- note: it -->\n";
        let mut out = Diagnostics::new("a.md", text);
        let parts = parts(text, 0..text.len(), &mut out);
        let parts: Vec<_> = parts.into_iter().map(|(part, at)| (part, &text[at])).collect();
        assert_eq!(
            parts,
            [
                (HtmlPart::Open, "<details>"),
                (HtmlPart::Text, "i < n, `= x`"),
                (HtmlPart::Close, "</details>"),
                (HtmlPart::Comment, " note: it "),
            ]
        );
        assert!(out.all().is_empty());
    }
}
