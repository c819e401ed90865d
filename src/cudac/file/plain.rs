//! A source without its comments and texts, in which every other byte keeps its place.

/// The source with blanks for comments and for what stands in quotes; line ends stay.
pub(super) fn plain(source: &str) -> String {
    let mut plain = Vec::with_capacity(source.len());
    let mut rest = source.as_bytes();
    while let Some(first) = rest.first() {
        let length = match (first, rest.get(1)) {
            (b'/', Some(b'/')) => line(rest),
            (b'/', Some(b'*')) => find(&rest[2..], b"*/").map_or(rest.len(), |at| at + 4),
            (b'"' | b'\'', _) => {
                let raw = plain.ends_with(b"R") && *first == b'"';
                let length = if raw { raw_text(rest) } else { text(rest) };
                // The quotes stay: `extern "C"` is told by them.
                plain.push(*first);
                blank(&rest[1..length], &mut plain);
                if length > 1 && rest[length - 1] == *first {
                    plain.pop();
                    plain.push(*first);
                }
                rest = &rest[length..];
                continue;
            }
            _ => 0,
        };
        if length == 0 {
            plain.push(*first);
            rest = &rest[1..];
        } else {
            blank(&rest[..length], &mut plain);
            rest = &rest[length..];
        }
    }
    // Only whole characters were left out, and only by as many ASCII blanks as they had bytes.
    String::from_utf8(plain).unwrap_or_default()
}

fn blank(bytes: &[u8], plain: &mut Vec<u8>) {
    plain.extend(bytes.iter().map(|byte| if *byte == b'\n' { b'\n' } else { b' ' }));
}

/// The bytes to the end of a line; a backslash there continues it.
pub(super) fn line(rest: &[u8]) -> usize {
    let mut from = 0;
    while let Some(end) = find(&rest[from..], b"\n").map(|at| from + at) {
        let before = rest[..end].strip_suffix(b"\r").unwrap_or(&rest[..end]);
        if !before.ends_with(b"\\") {
            return end;
        }
        from = end + 1;
    }
    rest.len()
}

/// The bytes of a text with its quotes; it ends on its line. A `'` inside a number is none.
fn text(rest: &[u8]) -> usize {
    let mut at = 1;
    while let Some(byte) = rest.get(at) {
        match byte {
            b'\\' => at += 1,
            b'\n' => return 1,
            byte if *byte == rest[0] => return at + 1,
            _ => {}
        }
        at += 1;
    }
    1
}

/// The bytes of `"mark( ... )mark"`.
fn raw_text(rest: &[u8]) -> usize {
    let open = find(rest, b"(").unwrap_or(1);
    let end = [b")", &rest[1..open], b"\""].concat();
    find(&rest[open..], &end).map_or(rest.len(), |at| open + at + end.len())
}

fn find(text: &[u8], part: &[u8]) -> Option<usize> {
    text.windows(part.len()).position(|window| window == part)
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn comments_and_texts_are_blank_and_nothing_moves() {
        for (source, shown) in [
            ("a // b\nc", "a     \nc"),
            ("a /* {\n */ b", "a     \n    b"),
            ("f(\"} \\\" //\") + '{'", "f(\"       \") + ' '"),
            ("extern \"C\" {", "extern \" \" {"),
            ("R\"x({ \" })x\" y", "R\"         \" y"),
            ("1'000'000 {", "1'   '000 {"),
            ("// \\\n {\n}", "    \n  \n}"),
            ("é // é\n\"é", "é      \n\"é"),
        ] {
            assert_eq!(plain(source), shown);
            assert_eq!(plain(source).len(), source.len());
        }
    }
}
