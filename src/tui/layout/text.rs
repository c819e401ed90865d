//! How many columns a text takes, and how it is cut and wrapped to fit.

/// The number of columns that `text` takes.
pub fn width(text: &str) -> u16 {
    ratatui::text::Span::raw(text).width() as u16
}

/// Returns `text`, or as much of it as fits into `room` columns, followed by two dots.
pub fn cut(text: &str, room: u16) -> String {
    if width(text) <= room {
        return text.to_owned();
    }
    let kept: String = text.chars().take(usize::from(room.saturating_sub(2))).collect();
    kept.trim_end().to_owned() + ".."
}

/// Returns the first of several wordings, longest first, that fits into `room` columns.
pub fn fitting<T: AsRef<str>>(wordings: &[T], room: u16) -> &str {
    wordings.iter().map(AsRef::as_ref).find(|text| width(text) <= room).unwrap_or_default()
}

/// Cuts `text` into pieces of at most `room` characters; an empty text is one piece.
pub fn pieces(text: &str, room: u16) -> Vec<String> {
    let letters: Vec<_> = text.chars().collect();
    let pieces = letters.chunks(usize::from(room).max(1)).map(|piece| piece.iter().collect());
    if letters.is_empty() { vec![String::new()] } else { pieces.collect() }
}

/// Reads a typed position, `5,7`: what is not typed yet is 0.
pub fn position(typed: &str) -> Option<(u32, u32)> {
    let (first, second) = typed.split_once(',').unwrap_or((typed, ""));
    let number = |text: &str| if text.is_empty() { Some(0) } else { text.parse().ok() };
    Some((number(first)?, number(second)?))
}

/// Wraps `text` into at most `lines` lines of `room` columns; two dots mark that some was cut.
pub fn wrap_balanced(text: &str, room: u16, lines: u16) -> Vec<String> {
    let mut told = wrapped(text, room);
    let last = usize::from(lines.max(1)) - 1;
    if told.len() > last + 1 {
        let rest = told.split_off(last).join(" ");
        told.push(cut(&rest, room));
    }
    told
}

/// Wraps `text` at blanks into lines of at most `room` columns; a longer word has its own line.
pub fn wrapped(text: &str, room: u16) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if width(line) + 1 + width(word) <= room => {
                line.push(' ');
                line.push_str(word);
            }
            Some(_) | None => lines.push(word.to_owned()),
        }
    }
    lines
}
