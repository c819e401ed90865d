//! A size that the source itself gives: `#define N 1024`.

use super::kind::{Cause, CompiledIn, Given, How};
use super::relaunch::is_right_at;
use crate::kernel::{Extent, Problem, Source};
use crate::matrix::Size;

/// The largest side for which a source is taken at its word.
const MOST: u32 = 8192;

/// The cause if C is right at the size that the source gives, and not at twice that.
pub(super) fn cause(problem: &Problem) -> Option<Cause> {
    let found = find(problem)?;
    let source = &problem.source.as_ref()?.text;
    let is_tile = |name: &Given| is_extent_of_shared(source, &name.name);
    let is_one_tile = found.names.len() == 1 && found.names.iter().all(is_tile);
    Some(if is_one_tile { Cause::OneTile(found) } else { Cause::CompiledIn(found) })
}

/// Whether a `__shared__` array has this name among its extents.
fn is_extent_of_shared(source: &str, name: &str) -> bool {
    let declared = source.lines().filter(|line| line.contains("__shared__"));
    let extents = declared.flat_map(|line| line.split('[').skip(1));
    let mut insides = extents.filter_map(|rest| rest.split(']').next());
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    insides.any(|inside| inside.split(|letter| !is_part(letter)).any(|word| word == name))
}

/// The size that a kernel is compiled for.
fn find(problem: &Problem) -> Option<CompiledIn> {
    let source = problem.source.as_ref().filter(|_| problem.known.is_none())?;
    let names: Vec<_> = given(source).into_iter().filter(|one| one.value > 1).collect();
    let is_it = |found: &CompiledIn| {
        let Size { m, n, k } = found.size;
        let twice = Size { m: 2 * m, n: 2 * n, k: 2 * k };
        found.size != problem.size
            && is_right_at(problem, found.size)
            && !is_right_at(problem, twice)
    };
    sizes(&names).into_iter().find(is_it)
}

/// The sizes that names with values may mean: M, N and K each by its name, or all of them by one.
fn sizes(names: &[Given]) -> Vec<CompiledIn> {
    let of = |wanted: Extent| {
        names.iter().find(|given| Extent::of(&given.name) == Some(wanted) && given.value <= MOST)
    };
    let three = [Extent::M, Extent::N, Extent::K].map(of);
    let each = match three {
        [Some(m), Some(n), Some(k)] => Some(CompiledIn {
            size: Size { m: m.value, n: n.value, k: k.value },
            names: three.into_iter().flatten().cloned().collect(),
        }),
        _ => None,
    };
    let square =
        |given: &Given| CompiledIn { size: Size::square(given.value), names: vec![given.clone()] };
    let mut sides: Vec<_> = names.iter().filter(|given| given.value <= MOST).collect();
    sides.sort_by_key(|given| Extent::of(&given.name).is_none());
    each.into_iter().chain(sides.into_iter().map(square)).collect()
}

/// The names to which the source or an option gives a whole number.
fn given(source: &Source) -> Vec<Given> {
    let options = source.defines.iter().filter_map(|define| {
        let (name, value) = define.split_once('=')?;
        Some(Given { name: name.to_owned(), value: number(value)?, line: None, how: How::Option })
    });
    let mut all: Vec<_> = options.collect();
    for (line, text) in (1..).zip(source.text.lines()) {
        let Some((name, value, is_macro)) = defined(text).or_else(|| constant(text)) else {
            continue;
        };
        if all.iter().any(|other| other.name == name) {
            continue;
        }
        let how = match is_macro {
            true if is_guarded(&source.text, name) => How::Guarded,
            true => How::Macro,
            false => How::Constant,
        };
        all.push(Given { name: name.to_owned(), value, line: Some(line), how });
    }
    all
}

/// `#define N 1024`.
fn defined(line: &str) -> Option<(&str, u32, bool)> {
    let rest = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("define")?;
    let (name, value) = rest.trim_start().split_once([' ', '\t'])?;
    let value = value.split("//").next()?.split("/*").next()?;
    Some((name, number(value)?, true)).filter(|_| is_name(name))
}

/// `constexpr int N = 1024;`.
fn constant(line: &str) -> Option<(&str, u32, bool)> {
    let (before, after) = line.split_once('=')?;
    let mut words = before.split_whitespace().rev();
    let name = words.next().filter(|name| is_name(name))?;
    let is_constant = words.any(|word| word == "const" || word == "constexpr");
    let value = after.split(';').next().filter(|_| is_constant)?;
    Some((name, number(value)?, false))
}

fn is_guarded(text: &str, name: &str) -> bool {
    text.lines().any(|line| {
        let words = line.trim_start().strip_prefix('#').map(str::trim_start);
        words.and_then(|line| line.strip_prefix("ifndef")).map(str::trim) == Some(name)
    })
}

fn number(text: &str) -> Option<u32> {
    let text = text.trim();
    let inside = text.strip_prefix('(').and_then(|text| text.strip_suffix(')')).unwrap_or(text);
    inside.trim().trim_end_matches(['u', 'U', 'l', 'L']).parse().ok()
}

fn is_name(name: &str) -> bool {
    let first = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
    first && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
}
