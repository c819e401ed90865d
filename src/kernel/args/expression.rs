//! Whole numbers in `--args` as they are written in a program: `4096`, `64*64`, `(M+1)*N`.

/// How deep parentheses and names may nest.
pub(super) const DEEPEST: u32 = 16;

/// Returns the value of an expression of `+`, `-`, `*`, `/` and parentheses, whose names have the
/// values that `name` returns; `None` if it is no such expression, or overflows.
pub(super) fn value(text: &str, name: &dyn Fn(&str) -> Option<i128>) -> Option<i128> {
    let mut rest = text.trim();
    let value = sum(&mut rest, name, DEEPEST)?;
    rest.is_empty().then_some(value)
}

/// The type of a function that returns the value of a name.
type Names<'n> = &'n dyn Fn(&str) -> Option<i128>;

/// `sum: product (('+' | '-') product)*`.
fn sum(rest: &mut &str, name: Names<'_>, deep: u32) -> Option<i128> {
    let mut all = product(rest, name, deep)?;
    loop {
        all = match operator(rest, ['+', '-']) {
            Some('+') => all.checked_add(product(rest, name, deep)?)?,
            Some(_) => all.checked_sub(product(rest, name, deep)?)?,
            None => return Some(all),
        };
    }
}

/// `product: factor (('*' | '/') factor)*`.
fn product(rest: &mut &str, name: Names<'_>, deep: u32) -> Option<i128> {
    let mut all = factor(rest, name, deep)?;
    loop {
        all = match operator(rest, ['*', '/']) {
            Some('*') => all.checked_mul(factor(rest, name, deep)?)?,
            Some(_) => all.checked_div(factor(rest, name, deep)?)?,
            None => return Some(all),
        };
    }
}

/// `factor: '-' factor | '(' sum ')' | number | name`.
fn factor(rest: &mut &str, name: Names<'_>, deep: u32) -> Option<i128> {
    let deep = deep.checked_sub(1)?;
    *rest = rest.trim_start();
    if let Some(inner) = rest.strip_prefix('-') {
        *rest = inner;
        return factor(rest, name, deep)?.checked_neg();
    }
    if let Some(inner) = rest.strip_prefix('(') {
        *rest = inner;
        let value = sum(rest, name, deep)?;
        *rest = rest.trim_start().strip_prefix(')')?;
        return Some(value);
    }
    let end = rest.find(|c: char| !is_part(c)).unwrap_or(rest.len());
    let (word, after) = rest.split_at(end);
    *rest = after;
    if let Some(hex) = word.strip_prefix("0x").or_else(|| word.strip_prefix("0X")) {
        return i128::from_str_radix(hex, 16).ok();
    }
    word.parse().ok().or_else(|| name(word))
}

/// Takes one of two operators, if it is next.
fn operator(rest: &mut &str, of: [char; 2]) -> Option<char> {
    let trimmed = rest.trim_start();
    let found = trimmed.chars().next().filter(|c| of.contains(c))?;
    *rest = &trimmed[1..];
    Some(found)
}

/// Whether a name or a number may contain this character.
pub(super) fn is_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_expression_is_what_it_is_in_a_program() {
        let name = |name: &str| (name == "N").then_some(100);
        let of = |text: &str| value(text, &name);
        assert_eq!(of("4096"), Some(4096));
        assert_eq!(of(" 64 * 64 "), Some(4096));
        assert_eq!(of("(N + 255) / 256 * 2 - 1"), Some(1));
        assert_eq!(of("-3+0x10"), Some(13));
        for text in ["", "N+", "M", "1 2", "(1", "1)", "1/0", "1.5", "2**3", "9*x"] {
            assert_eq!(of(text), None, "{text}");
        }
        assert_eq!(of(&format!("{}1", "-".repeat(1000))), None, "too deep");
        assert_eq!(of(&["99999999999999999999"; 9].join("*")), None, "too large");
    }
}
