//! Sizes of the types that a file names, in bytes: `sizeof(Tile<64, 64>)`.

use super::item::{ItemKind, closed, words};
use super::value::{HostValue, NameScope, split};
use crate::hint::header_of;
use crate::parse::scalar;
use crate::types::Type;

type Layout = (u32, u32);

impl NameScope<'_> {
    /// A text with numbers for the `sizeof(TYPE)` that are known.
    pub(super) fn sized(&self, text: &str) -> String {
        let (mut done, mut rest) = (String::new(), text);
        while let Some(at) = rest.find("sizeof") {
            let after = &rest[at + "sizeof".len()..];
            let inside = after.trim_start().starts_with('(').then(|| after.find('(')).flatten();
            let inside = inside.and_then(|open| Some((open, closed(after, open)?)));
            let bytes = inside.and_then(|(open, end)| {
                let (bytes, _) = self.layout(&after[open + 1..end - 1])?;
                Some((bytes.to_string(), end))
            });
            let (word, end) = bytes.unwrap_or_else(|| ("sizeof".to_owned(), 0));
            done.push_str(&rest[..at]);
            done.push_str(&word);
            rest = &after[end..];
        }
        done + rest
    }

    fn layout(&self, name: &str) -> Option<Layout> {
        let name = name.trim();
        let depth = self.depth + 1;
        let scope = NameScope { depth, ..*self };
        if depth > super::value::DEEPEST {
            return None;
        }
        if let Some(known) = of_numbers(name) {
            return Some(known);
        }
        let (own, list) = name.split_once('<').map_or((name, ""), |(own, list)| (own, list));
        let own = own.rsplit("::").next()?.trim();
        let text = self.file.text_of(own, ItemKind::Other, self.space)?;
        if let Some(alias) = alias(text, own) {
            return scope.layout(alias);
        }
        let list = list.trim_end().strip_suffix('>').unwrap_or("");
        scope.structure(text, list)
    }

    /// The layout of `template <...> struct S { ... };` with these arguments.
    fn structure(&self, text: &str, list: &str) -> Option<Layout> {
        let head = text.find('{')?;
        words(&text[..head]).find(|word| *word == "struct")?;
        let open = text[..head].find('<');
        let names = open.and_then(|open| Some(&text[open + 1..closed(text, open)? - 1]));
        let names = split(names.unwrap_or("")).filter_map(|one| words(one).last());
        let value = |(name, text): (&str, &str)| Some((name.to_owned(), self.value(text)?));
        let given: Vec<(String, HostValue)> = names.zip(split(list)).filter_map(value).collect();
        let scope = NameScope { given: &given, before: "", ..*self };
        let body = &text[head + 1..closed(text, head)? - 1];
        let (mut end, mut most) = (0_u32, 1);
        for member in body.split(';').map(str::trim).filter(|member| !member.is_empty()) {
            let (bytes, align) = scope.member(member)?;
            end = end.checked_next_multiple_of(align)?.checked_add(bytes)?;
            most = most.max(align);
        }
        Some((end.checked_next_multiple_of(most)?, most))
    }

    /// The layout of `alignas(128) float A[16][16]`.
    fn member(&self, text: &str) -> Option<Layout> {
        let (mut text, mut least) = (text, 1);
        if let Some(rest) = text.strip_prefix("alignas").or_else(|| text.strip_prefix("__align__"))
        {
            let end = closed(rest.trim_start(), 0)?;
            let (inside, after) = rest.trim_start().split_at(end);
            let HostValue::Int(bytes) = self.value(&inside[1..end - 1])? else { return None };
            (text, least) = (after.trim(), u32::try_from(bytes).ok().filter(|bytes| *bytes > 0)?);
        }
        let (head, mut sides) = text.split_at(text.find('[').unwrap_or(text.len()));
        let name = words(head).last()?;
        let of = head[..head.rfind(name)?].trim();
        let (mut bytes, align) = self.layout(of)?;
        while sides.starts_with('[') {
            let end = closed(sides, 0)?;
            let HostValue::Int(side) = self.value(&sides[1..end - 1])? else { return None };
            bytes = bytes.checked_mul(u32::try_from(side).ok()?)?;
            sides = sides[end..].trim_start();
        }
        sides.is_empty().then_some((bytes, align.max(least)))
    }
}

fn of_numbers(name: &str) -> Option<Layout> {
    let short = header_of(name).map(|_| format!("__{name}"));
    let name = short.as_deref().unwrap_or(name);
    let words: Vec<_> = name.split_whitespace().collect();
    let of = Type::vector(name).or_else(|| scalar(&words)).filter(|of| *of != Type::Void)?;
    Some((of.bytes() as u32, of.align() as u32))
}

/// The type that `typedef TYPE name;` or `using name = TYPE;` gives another name.
fn alias<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let text = text.trim().strip_suffix(';')?.trim();
    if let Some(rest) = text.strip_prefix("typedef") {
        return rest.trim().strip_suffix(name).map(str::trim);
    }
    text.strip_prefix("using")?.split_once('=').map(|(_, of)| of.trim())
}
