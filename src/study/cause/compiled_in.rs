//! A size that the source itself gives: `#define N 1024`.

use super::kind::{Cause, CompiledIn, ConstantForm, NamedConstant};
use super::relaunch::is_right_at;
use crate::kernel::{Problem, SizeName, Source};
use crate::matrix::Size;
use cudac::expression::{fold, fold_lexemes};
use cudac::{CudaSource, Lexeme, NamedValue};

/// The largest side for which a source is taken at its word.
const MOST: u32 = 8192;

/// The cause if C is right at the size that the source gives, and not at twice that.
pub(super) fn cause(problem: &Problem) -> Option<Cause> {
    let found = find(problem)?;
    let source = CudaSource::read(&problem.source.as_ref()?.text);
    let is_tile = |name: &NamedConstant| source.is_extent_of_shared(&name.name);
    let is_one_tile = found.names.len() == 1 && found.names.iter().all(is_tile);
    Some(if is_one_tile { Cause::OneTile(found) } else { Cause::CompiledIn(found) })
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
fn sizes(names: &[NamedConstant]) -> Vec<CompiledIn> {
    let of = |wanted: SizeName| {
        names.iter().find(|given| SizeName::of(&given.name) == Some(wanted) && given.value <= MOST)
    };
    let three = [SizeName::M, SizeName::N, SizeName::K].map(of);
    let each = match three {
        [Some(m), Some(n), Some(k)] => Some(CompiledIn {
            size: Size { m: m.value, n: n.value, k: k.value },
            names: three.into_iter().flatten().cloned().collect(),
        }),
        _ => None,
    };
    let square = |given: &NamedConstant| CompiledIn {
        size: Size::square(given.value),
        names: vec![given.clone()],
    };
    let mut sides: Vec<_> = names.iter().filter(|given| given.value <= MOST).collect();
    sides.sort_by_key(|given| SizeName::of(&given.name).is_none());
    each.into_iter().chain(sides.into_iter().map(square)).collect()
}

/// The names to which the source or an option gives a whole number.
fn given(source: &Source) -> Vec<NamedConstant> {
    let options = source.defines.iter().filter_map(|define| {
        let (name, value) = define.split_once('=')?;
        let value = fold(value, &|_| None)?.try_into().ok()?;
        Some(NamedConstant { name: name.to_owned(), value, line: None, how: ConstantForm::Option })
    });
    let mut all: Vec<_> = options.collect();
    let text = CudaSource::read(&source.text);
    for NamedValue { name, value, is_macro } in text.values() {
        let value = fold_lexemes(value, &|_| None).and_then(|value| value.try_into().ok());
        let Some(value) = value.filter(|_| all.iter().all(|other| other.name != name.text)) else {
            continue;
        };
        let is_guard = |two: &[Lexeme<'_>]| two[0].text == "ifndef" && two[1].text == name.text;
        let how = match is_macro {
            true if text.lexemes.windows(2).any(is_guard) => ConstantForm::Guarded,
            true => ConstantForm::Macro,
            false => ConstantForm::Constant,
        };
        all.push(NamedConstant { name: name.text.to_owned(), value, line: Some(name.line), how });
    }
    all
}
