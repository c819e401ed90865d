//! Lines of a file as they stand.

use std::ops::Range;

/// The first and the last line of a place, without their ends.
pub(super) fn lines_of(text: &str, span: &Range<usize>) -> (Range<usize>, Range<usize>) {
    let whole = text[span.clone()].trim_end();
    let first = whole.lines().next().unwrap_or("").trim_end().len();
    let last = whole.rfind('\n').map_or(whole.len(), |at| at + 1);
    (span.start..span.start + first, span.start + last..span.start + whole.len())
}

/// How many quotes and items a line opens.
pub(super) fn marks(line: &str) -> usize {
    let mut count = 0;
    let mut rest = line.trim_start();
    loop {
        let item = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        let item = item
            .strip_prefix(['-', '*', '+', '.', ')'])
            .filter(|item| item.starts_with([' ', '\t']));
        let Some(next) = rest.strip_prefix('>').or(item) else { return count };
        rest = next.trim_start();
        count += 1;
    }
}
