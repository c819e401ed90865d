//! L16 and L17: numbers in the text. One that is an answer tells it, another one goes stale.

use super::examined::ExaminedPage;
use super::stand::stands;
use crate::lesson::answer::Value;
use crate::lesson::diagnostic::{Diagnostic, TELLS, WRITTEN};
use crate::lesson::document::{Course, Lesson, Page, PageBlock, Para};
use crate::lesson::setting::Setting;
use crate::lesson::setting_runs::SettingCache;
use std::collections::BTreeSet;
use std::ops::Range;

const LANES: u64 = 32;

/// Numbers that go stale nowhere: none, one and two.
const FEW: [u64; 3] = [0, 1, 2];

/// Words before a number that tells which, not how many: warp 1, lines 30 and 41.
const WHICH: &[&str] = &[
    "panel", "panels", "lesson", "page", "line", "lines", "lane", "lanes", "warp", "warps", "row",
    "column", "thread", "bank", "tile", "number", "numbers",
];

/// Letters of a unit in the singular, at least: pass of passes.
const SINGULAR: usize = 3;

/// Units of what is measured, or of shares: such a figure is never written.
const MEASURED: [&str; 10] =
    ["ms", "us", "ns", "%", "GB/s", "TB/s", "GFLOP/s", "TFLOP/s", "GFLOPS", "cycles"];

struct ProseNumber {
    value: f64,
    span: Range<usize>,
    /// Whether it only says which one is meant.
    which: bool,
    /// The word after it.
    unit: String,
    /// Whether its unit is one of what is measured.
    measured: bool,
}

/// A right answer that is a number, the question's unit and its name.
struct RightNumber<'a> {
    value: f64,
    unit: &'a str,
    ask: &'a str,
}

/// Complains about numbers in the text that are answers of their page, and warns of others that no
/// scene of the lesson, and no code on the page, gives.
pub(super) fn check(examined: &ExaminedPage<'_>) -> Vec<Diagnostic> {
    let (lesson, page) = (examined.lesson, examined.page);
    let numbers: Vec<_> = page.prose.iter().flat_map(|span| numbers(&lesson.text, span)).collect();
    if numbers.is_empty() {
        return Vec::new();
    }
    let answers = answers(examined);
    let here = given(examined, examined.index);
    let before = (0..examined.index).flat_map(|page| given(examined, page));
    let known: BTreeSet<_> =
        here.iter().copied().chain(before).chain(FEW).chain(code(page)).collect();
    let told =
        numbers.iter().filter_map(|number| judged(lesson, number, (&here, &known), &answers));
    told.collect()
}

fn answers<'a>(examined: &'a ExaminedPage<'_>) -> Vec<RightNumber<'a>> {
    let told = examined.scenes.answered.iter().filter_map(|(ask, question)| {
        let Value::Number(value) = question.right.value else { return None };
        Some(RightNumber { value, unit: &ask.unit, ask: &ask.id })
    });
    told.collect()
}

fn judged(
    lesson: &Lesson,
    number: &ProseNumber,
    (here, known): (&BTreeSet<u64>, &BTreeSet<u64>),
    answers: &[RightNumber<'_>],
) -> Option<Diagnostic> {
    let is_in = |given: &BTreeSet<u64>| {
        number.which || number.value.fract() == 0.0 && given.contains(&(number.value as u64))
    };
    let counts = |told: &RightNumber<'_>| {
        number.unit.len() >= SINGULAR && told.unit.starts_with(&number.unit)
    };
    let mut equal = answers.iter().filter(|told| same(told.value, number.value));
    let at = |code, message: String| {
        Diagnostic::at(code, &lesson.file, &lesson.text, number.span.clone(), message)
    };
    if let Some(told) = equal.find(|told| !is_in(here) || counts(told)) {
        let hint = "let the simulator say it, as `= ...`, or mark it `<!-- known -->`";
        let told = at(TELLS, format!("this is the answer to `{}` of this page", told.ask));
        return Some(told.hint(Some(hint.to_owned())));
    }
    if number.measured {
        return Some(at(WRITTEN, STALE.to_owned()));
    }
    let told = "this number is neither a query nor given by a scene: it goes stale";
    (!is_in(known)).then(|| at(WRITTEN, told.to_owned()).warning())
}

/// What is wrong with a measured figure that is written.
const STALE: &str = "this figure is measured: let a query say it, or it goes stale";

/// Complains about measured figures in the course's own `models.md`.
pub(super) fn of_ideas(course: &Course) -> Vec<Diagnostic> {
    let Some((file, text)) = &course.models else { return Vec::new() };
    let (mut found, mut at, mut is_code) = (Vec::new(), 0, false);
    for line in text.split_inclusive('\n') {
        is_code ^= line.starts_with("```");
        // What stands between backticks is code, or a query.
        let prose = line.split('`').enumerate().map(|(index, part)| match index % 2 {
            0 => part.to_owned(),
            _ => " ".repeat(part.len()),
        });
        let prose = prose.collect::<Vec<_>>().join(" ");
        let figures = numbers(&prose, &(0..prose.len())).into_iter();
        found.extend(figures.filter(|number| number.measured && !is_code).map(|number| {
            let span = at + number.span.start..at + number.span.end;
            Diagnostic::at(WRITTEN, file, text, span, STALE)
        }));
        at += line.len();
    }
    found
}

/// Whether a number is that value, as it would be written.
fn same(value: f64, written: f64) -> bool {
    (value - written).abs() <= value.abs() * 0.005
}

/// The numbers that the scenes of a page give: their sizes, tiles, blocks and grids.
fn given(examined: &ExaminedPage<'_>, page: usize) -> BTreeSet<u64> {
    let stands = stands(examined.lesson, page, examined.wanted.quick);
    let settings = stands.iter().flat_map(|stand| &stand.settings);
    settings.flat_map(|setting| of_setting(setting, &examined.cache)).chain([LANES]).collect()
}

fn of_setting(setting: &Setting, cache: &SettingCache) -> Vec<u64> {
    let size = setting.size;
    let mut given = vec![u64::from(size.m), u64::from(size.n), u64::from(size.k)];
    if let Ok(runs) = cache.runs(setting) {
        let launch = runs.problem.launch;
        given.extend([launch.block.x, launch.block.y, launch.grid.x, launch.grid.y].map(u64::from));
        let tile = runs.tile().map(|tile| tile.to_string()).unwrap_or_default();
        given.extend(tile.split('x').filter_map(|side| side.parse::<u64>().ok()));
    }
    given
}

fn code(page: &Page) -> Vec<u64> {
    let texts = page.blocks.iter().filter_map(|page_block| match page_block {
        PageBlock::Text(paras) => Some(paras),
        _ => None,
    });
    let lines = texts.flatten().filter_map(|para| match para {
        Para::Code(lines) => Some(lines),
        _ => None,
    });
    let words = lines.flatten().flat_map(|line| line.split(|c: char| !c.is_alphanumeric()));
    words.filter_map(|word| word.parse().ok()).collect()
}

/// The numbers in a part of the text.
fn numbers(whole: &str, span: &Range<usize>) -> Vec<ProseNumber> {
    let Some(text) = whole.get(span.clone()) else { return Vec::new() };
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = text[at..].find(|letter: char| letter.is_ascii_digit()) {
        let start = at + start;
        let rest = &text[start..];
        let mut length = rest
            .find(|c: char| !(c.is_ascii_digit() || c == ',' || c == '.'))
            .unwrap_or(rest.len());
        length = rest[..length].trim_end_matches([',', '.']).len();
        at = start + length;
        let joined = text[..start].ends_with(|c: char| c.is_alphabetic() && c != 'x' || c == '_');
        let value = rest[..length].replace(',', "").parse::<f64>();
        let (false, Ok(value)) = (joined, value) else { continue };
        let span = span.start + start..span.start + at;
        let unit = first_word(&text[at..]).to_owned();
        let begun = &whole[..span.start];
        let line = begun.rfind('\n').map_or(0, |end| end + 1);
        let names_item = start == 0 && text[at..].starts_with(':');
        let which = names_item || is_which(&begun[line..]);
        let measured = is_measured(&text[at..]);
        found.push(ProseNumber { value, span, which, unit, measured });
    }
    found
}

/// Whether the unit of something measured follows a number.
fn is_measured(after: &str) -> bool {
    let after = after.strip_prefix(' ').unwrap_or(after);
    let ends = |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '/');
    MEASURED.iter().any(|unit| after.strip_prefix(unit).is_some_and(ends))
}

/// The word that follows a number directly.
fn first_word(after: &str) -> &str {
    let after = after.strip_prefix(['-', ' ']).unwrap_or(after);
    after.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default()
}

/// Whether the line before a number says that it tells which: an index, `lane 3`, or one of several:
/// lanes 0, 15 and 31.
fn is_which(before: &str) -> bool {
    if before.ends_with('[') {
        return true;
    }
    let is_listed = |word: &&str| {
        *word == "and" || *word == "or" || *word == "to" || word.parse::<u64>().is_ok()
    };
    let mut words =
        before.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).rev();
    let word = words.find(|word| !is_listed(word)).unwrap_or_default();
    WHICH.contains(&&*word.to_lowercase())
}
