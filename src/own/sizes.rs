//! The constants of a file from which the sizes of its program follow, and the file with others in
//! their place.

use super::called;
use super::launch::USUAL_BLOCK;
use crate::kernel::SizeName;
use crate::matrix::Size;
use cudac::expression::fold_lexemes;
use cudac::{CudaFile, HostPatience, HostRun, Lexeme, lexemes};
use std::collections::HashMap;
use std::ops::Range;

/// A constant that the host's code or a macro gives a number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SizeConstant {
    pub name: String,
    pub value: i64,
    pub line: u32,
    /// The header that has it; empty for the file itself.
    header: String,
    /// Where its value stands.
    span: Range<usize>,
    /// Whether its value follows from other constants, as a number of elements does.
    is_computed: bool,
}

/// A constant with the value that it gets.
pub(super) type SizeChange = (SizeConstant, i64);

/// Words before the name of a variable that holds a whole number.
const TYPES: [&str; 12] = [
    "int",
    "unsigned",
    "long",
    "short",
    "size_t",
    "auto",
    "uint",
    "int32_t",
    "uint32_t",
    "int64_t",
    "uint64_t",
    "constexpr",
];

/// The constants of a file outside its kernels: of its headers first.
pub(super) fn constants(file: &CudaFile) -> Vec<SizeConstant> {
    let mut values = HashMap::new();
    let (own, headers): (Vec<_>, Vec<_>) = file.sources().partition(|(name, _)| name.is_empty());
    let all = headers.into_iter().rev().chain(own);
    all.flat_map(|(header, text)| constants_in(header, text, &mut values)).collect()
}

/// Those of one text, where these names are known before it.
fn constants_in(header: &str, text: &str, values: &mut HashMap<String, i64>) -> Vec<SizeConstant> {
    let all = lexemes(text);
    let mut found: Vec<SizeConstant> = Vec::new();
    let mut at = 0;
    while let Some(one) = all.get(at) {
        if matches!(one.text, "__global__" | "__device__") && !is_on_host(&all[at..]) {
            at = after_body(&all, at);
            continue;
        }
        let value = defined(&all, at).or_else(|| declared(&all, at));
        at += 1;
        let Some((name, value)) = value.filter(|(_, value)| !value.is_empty()) else { continue };
        let value = otherwise(value);
        let known = |name: &str| values.get(name).copied().map(i128::from);
        let number = fold_lexemes(value, &known).and_then(|number| i64::try_from(number).ok());
        let (Some(number), Some(last)) = (number, value.last()) else { continue };
        let is_computed = value.iter().any(|one| values.contains_key(one.text));
        values.insert(name.text.to_owned(), number);
        found.push(SizeConstant {
            name: name.text.to_owned(),
            value: number,
            line: name.line,
            header: header.to_owned(),
            span: value[0].start..last.end(),
            is_computed,
        });
    }
    found
}

/// Of `argc > 1 ? atoi(argv[1]) : 1000` what holds without arguments.
fn otherwise<'l, 't>(value: &'l [Lexeme<'t>]) -> &'l [Lexeme<'t>] {
    let asks = value.iter().any(|one| one.text == "argc");
    let colon = value.iter().rposition(|one| one.text == ":").filter(|_| asks);
    colon.map_or(value, |at| &value[at + 1..])
}

fn is_on_host(rest: &[Lexeme<'_>]) -> bool {
    let head = rest.iter().take_while(|one| !matches!(one.text, "(" | ";" | "{"));
    head.into_iter().any(|one| one.text == "__host__")
}

/// The place after the body of the function that begins here, or after its semicolon.
fn after_body(all: &[Lexeme<'_>], from: usize) -> usize {
    let mut depth = 0_usize;
    for (at, one) in all.iter().enumerate().skip(from) {
        match one.text {
            "{" => depth += 1,
            "}" if depth <= 1 => return at + 1,
            "}" => depth -= 1,
            ";" if depth == 0 => return at + 1,
            _ => {}
        }
    }
    all.len()
}

/// `#define NAME value`, whose `#` stands at this place.
fn defined<'l, 't>(all: &'l [Lexeme<'t>], at: usize) -> Option<(Lexeme<'t>, &'l [Lexeme<'t>])> {
    let [hash, word, name, rest @ ..] = all.get(at..)? else { return None };
    if hash.text != "#" || word.text != "define" || !name.is_word() {
        return None;
    }
    let length = rest.iter().take_while(|one| one.directive == hash.directive).count();
    let value: &[_] = &rest[..length];
    let has_parameters =
        value.first().is_some_and(|open| open.text == "(" && open.start == name.end());
    let value =
        value.iter().position(|one| one.text.starts_with("//") || one.text.starts_with("/*"));
    (!has_parameters).then(|| (*name, &rest[..value.unwrap_or(length)]))
}

/// `int NAME = value`, `, NAME = value` or `NAME = value`, whose name stands at this place.
fn declared<'l, 't>(all: &'l [Lexeme<'t>], at: usize) -> Option<(Lexeme<'t>, &'l [Lexeme<'t>])> {
    let (name, before) = (all.get(at)?, all.get(at.checked_sub(1)?)?);
    // Also `n = 1 << 20;` and the last of `m = n = k = 2048`.
    let is_declared =
        TYPES.contains(&before.text) || [",", "=", ";", "{", "}"].contains(&before.text);
    let equals = all.get(at + 1)?;
    if !name.is_word() || !is_declared || equals.text != "=" {
        return None;
    }
    let rest = &all[at + 2..];
    let mut depth = 0_i32;
    let end = rest.iter().position(|one| {
        depth += i32::from(one.text == "(") - i32::from(one.text == ")");
        depth < 0 || depth == 0 && matches!(one.text, "," | ";")
    })?;
    Some((*name, &rest[..end]))
}

/// The file with other numbers in the place of these constants.
pub(super) fn replaced(file: &CudaFile, changes: &[SizeChange]) -> CudaFile {
    file.with_texts(&replaced_texts(file, changes))
}

fn replaced_texts(file: &CudaFile, changes: &[SizeChange]) -> Vec<String> {
    let of = |(header, text): (&str, &str)| {
        let mut text = text.to_owned();
        for (one, value) in changes.iter().rev().filter(|(one, _)| one.header == header) {
            text.replace_range(one.span.clone(), &value.to_string());
        }
        text
    };
    file.sources().map(of).collect()
}

/// The constants that give way to a size that was asked for; `None` if none is called like a size, or
/// if what is launched follows from another one as well.
pub(super) fn typed(file: &CudaFile, size: Size) -> Option<Vec<SizeChange>> {
    let mut is_one = false;
    let mut changes = Vec::new();
    let threads = threads_of(&run_of(file)?);
    for one in constants(file) {
        let own = value_at(&one, size).filter(|_| one.value > 1);
        let Some(own) = own else {
            if one.is_computed {
                continue;
            }
            let other = replaced(file, &[(one.clone(), one.value / 2)]);
            let is_usual = one.value <= i64::from(USUAL_BLOCK.x);
            if !is_usual && run_of(&other).is_some_and(|run| threads_of(&run) < threads) {
                return None;
            }
            continue;
        };
        is_one = true;
        if own != one.value {
            changes.push((one, own));
        }
    }
    is_one.then_some(changes)
}

/// What a constant is at a size, if it is called like one.
fn value_at(one: &SizeConstant, size: Size) -> Option<i64> {
    // `int size = M * N;` counts elements.
    let counts = one.is_computed && one.name.len() > 1;
    let name = SizeName::of(&one.name).filter(|_| !counts)?;
    name.value(size).map(i64::from)
}

/// The constants that give way to a size where the program cannot be followed as a whole: what is
/// larger, or one of M, N and K where there are all of them, or what gave way before. What is compiled
/// into kernels does only where they are products of three matrices and nothing else.
pub(super) fn giving_way(file: &CudaFile, size: Size, before: &[String]) -> Vec<SizeChange> {
    let all = constants(file);
    let is_there = |name: SizeName| all.iter().any(|one| SizeName::of(&one.name) == Some(name));
    let are_all = [SizeName::M, SizeName::N, SizeName::K].into_iter().all(is_there);
    let is_defined =
        |name: &str| file.defines().iter().any(|define| define.split('=').next() == Some(name));
    let way = |one: &SizeConstant| {
        let own = value_at(one, size).filter(|own| *own != one.value && !is_defined(&one.name))?;
        let is_side = SizeName::of(&one.name) == Some(SizeName::Side);
        let gives = if file.compiles_in(&one.name) {
            file.is_side(&one.name) && (!is_side || one.value > own)
        } else {
            one.value > own || are_all && !is_side || before.contains(&one.name)
        };
        gives.then_some(own)
    };
    all.iter().filter_map(|one| Some((one.clone(), way(one)?))).collect()
}

/// The constants for which the user gives numbers, where no kernel has them compiled in.
pub(super) fn given(file: &CudaFile, of: &dyn Fn(&str) -> Option<i64>) -> Vec<SizeChange> {
    let number = |one: SizeConstant| {
        let value = of(&one.name).filter(|_| !file.compiles_in(&one.name))?;
        Some((one, value))
    };
    constants(file).into_iter().filter_map(number).collect()
}

/// The constants that are compiled into kernels and called like sizes.
pub(super) fn compiled_in(file: &CudaFile) -> Vec<(SizeName, SizeConstant)> {
    let of = |one: SizeConstant| {
        let name = SizeName::of(&one.name)?;
        file.compiles_in(&one.name).then_some((name, one))
    };
    constants(file).into_iter().filter_map(of).collect()
}

/// The least constant that is made smaller.
const LEAST: i64 = 64;

/// The constants of the file itself with which the program launches fewer threads or, if none has that
/// effect, allocates fewer bytes, each as many times smaller.
pub(super) fn smaller(file: &CudaFile, by: i64) -> Vec<SizeChange> {
    let sizes = lessening(file, threads_of);
    let sizes = if sizes.is_empty() { lessening(file, bytes_of) } else { sizes };
    sizes.into_iter().map(|one| (one.clone(), (one.value / by).max(LEAST.min(one.value)))).collect()
}

/// The constants of the file itself that make this of its program less if they are halved.
fn lessening(file: &CudaFile, measure: fn(&HostRun) -> u64) -> Vec<SizeConstant> {
    let most = run_of(file).map_or(0, |run| measure(&run));
    let is_own =
        |one: &SizeConstant| one.header.is_empty() && one.value > LEAST && !one.is_computed;
    let lessens = |one: &SizeConstant| {
        let half = replaced(file, &[(one.clone(), one.value / 2)]);
        run_of(&half).is_some_and(|run| (1..most).contains(&measure(&run)))
    };
    constants(file).into_iter().filter(is_own).filter(lessens).collect()
}

/// The bytes of all buffers.
fn bytes_of(run: &HostRun) -> u64 {
    run.buffers.iter().map(|one| one.bytes).fold(0, u64::saturating_add)
}

/// The threads of all launches that differ and whose shape is known.
pub(super) fn threads_of(run: &HostRun) -> u64 {
    let volume = |sides: &[u32; 3]| sides.iter().map(|side| u64::from(*side)).product::<u64>();
    let threads = called::different(run).filter_map(|launch| {
        let (grid, block) = (launch.grid.as_ref().ok()?, launch.block.as_ref().ok()?);
        volume(grid).checked_mul(volume(block))
    });
    threads.fold(0, u64::saturating_add)
}

/// What the program of a file launches, if that is something; what its memory holds is not looked at.
fn run_of(file: &CudaFile) -> Option<HostRun> {
    file.host_run(HostPatience::Shapes).filter(|run| called::launches(run).next().is_some())
}

/// Adds changes of a text that was changed before, each with the value that the text had at first.
pub(super) fn change_again(all: &mut Vec<SizeChange>, changes: Vec<SizeChange>) {
    for (one, value) in changes {
        let same = |(known, _): &&mut SizeChange| {
            (&known.name, known.line, &known.header) == (&one.name, one.line, &one.header)
        };
        match all.iter_mut().find(same) {
            Some((_, known)) => *known = value,
            None => all.push((one, value)),
        }
    }
}

/// What was changed, in the words of the command line.
pub(super) fn told(changes: &[SizeChange]) -> String {
    let one = |(one, value): &SizeChange| {
        let SizeConstant { name, value: from, line, header, .. } = one;
        let of = if header.is_empty() { String::new() } else { format!(" of {header}") };
        format!("{name} = {value} instead of {from} in line {line}{of}")
    };
    changes.iter().map(one).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_are_those_of_macros_and_of_the_host() {
        let text = "#define N (1 << 10) // elements\n#define F(x) x\nconst int side = N / 2, b = 16;\n\
                    __global__ void k(int n) { int inner = 500; }\n\
                    int main(int argc, char **v) { size_t count = 3 * N; int n = argc; f(a, c = 7); }\n";
        let assigned = CudaFile::new("int main() { int m, n; m = n = 2048; n = f(3); }", |_| None);
        let all: Vec<_> =
            constants(&assigned).into_iter().map(|one| (one.name, one.value)).collect();
        assert_eq!(all, [("n".to_owned(), 2048)]);
        let file = CudaFile::new(text, |_| None);
        let all: Vec<_> = constants(&file).into_iter().map(|one| (one.name, one.value)).collect();
        let shown: Vec<_> = all.iter().map(|(name, value)| (&**name, *value)).collect();
        assert_eq!(shown, [("N", 1024), ("side", 512), ("b", 16), ("count", 3072), ("c", 7)]);
        let all = constants(&file);
        let changes = [(all[0].clone(), 64), (all[2].clone(), 8)];
        let other = &replaced_texts(&file, &changes)[0];
        assert!(other.starts_with("#define N 64 // elements\n"), "{other}");
        assert!(other.contains("side = N / 2, b = 8;"), "{other}");
        let again = constants(&replaced(&file, &changes));
        let mut changed = changes.to_vec();
        change_again(&mut changed, vec![(again[0].clone(), 32), (again[3].clone(), 96)]);
        assert_eq!(
            told(&changed),
            "N = 32 instead of 1024 in line 1, b = 8 instead of 16 in line 3, \
             count = 96 instead of 192 in line 5"
        );
    }
}
