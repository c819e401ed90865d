//! The launches in a file's host code, `kernel<<<grid, block, shared>>>(...)`, as far as they are
//! known before the program runs.

use super::item::{Item, ItemKind, closed, words};
use super::tensor_map::HostTensorMap;
use super::value::{BUDGET, Scope, Value, places, split};
use super::{File, Part};
use std::cell::Cell;

/// The values of names that are sizes of the matrices.
type Sizes<'s> = &'s dyn Fn(&str) -> Option<i64>;

/// A launch in host code.
#[derive(Clone, Debug, PartialEq)]
pub struct HostLaunch {
    /// The kernel's name.
    pub kernel: String,
    /// The kernel with the arguments of its template, `mm<16, float>`, if it is one.
    pub instance: Option<String>,
    /// The line of `<<<`.
    pub line: u32,
    /// Blocks along x, y, z.
    pub grid: Option<[u32; 3]>,
    /// Threads along x, y, z.
    pub block: Option<[u32; 3]>,
    /// Bytes of dynamic shared memory; 0 if the launch names none.
    pub shared: Option<u32>,
    /// The arguments, as they are written.
    pub args: Vec<String>,
    /// Their values where these are numbers.
    pub values: Vec<Option<Number>>,
    /// The tensor maps among them, or pointers to such, as the host encodes them.
    pub maps: Vec<Option<HostTensorMap>>,
}

/// A number among the arguments of a launch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// A whole one.
    Int(i64),
    /// One with a fraction.
    Float(f64),
}

impl File {
    /// The constants outside functions that kernels use, with their values.
    pub fn constants(&self) -> Vec<(String, i64)> {
        let used = self.used(&[]);
        let value = |name: &&str| {
            let budget = &Cell::new(BUDGET);
            let scope = Scope {
                file: self,
                space: "",
                before: "",
                size: &|_| None,
                given: &[],
                depth: 0,
                budget,
            };
            match scope.value(name) {
                Some(Value::Int(value)) => Some(((*name).to_owned(), value)),
                _ => None,
            }
        };
        used.words.iter().filter_map(value).collect()
    }

    /// The launches in host code, in the order of the text.
    pub fn launches(&self, size: Sizes<'_>) -> Vec<HostLaunch> {
        let of_part = |part| self.of_part(part, size);
        self.parts.iter().flat_map(of_part).collect()
    }

    fn of_part(&self, part: &Part, size: Sizes<'_>) -> Vec<HostLaunch> {
        let is_host = |item: &Item| {
            let device = ["__global__", "__device__"];
            matches!(item.kind, ItemKind::Function | ItemKind::Directive | ItemKind::Other)
                && !words(part.text(item)).any(|word| device.contains(&word))
        };
        let of_item = |(item, space): (&Item, String)| {
            let text = part.text(item);
            let places = text.match_indices("<<<").map(|(at, _)| at);
            let of = |at| self.launch(text, at, &space, size);
            let lines = part.plain[..item.span.start].matches('\n').count();
            let found = places.flat_map(of);
            found
                .map(|launch| HostLaunch { line: launch.line + lines as u32, ..launch })
                .collect::<Vec<_>>()
        };
        part.placed().into_iter().filter(|(item, _)| is_host(item)).flat_map(of_item).collect()
    }

    /// The launch whose `<<<` is at a place of a function's text, in this namespace; its line is
    /// counted from the function's first. There are several where the host chooses among kernels.
    fn launch(&self, text: &str, at: usize, space: &str, size: Sizes<'_>) -> Vec<HostLaunch> {
        let before = &text[..at];
        let Some(end) = text[at..].find(">>>").map(|end| at + end) else { return Vec::new() };
        let mut config = split(&text[at + 3..end]);
        let rest = text[end + 3..].trim_start();
        let args = closed(rest, 0).filter(|_| rest.starts_with('('));
        let Some(args) = args.map(|args| split(&rest[1..args - 1])) else { return Vec::new() };
        let args: Vec<_> = args.map(str::to_owned).collect();
        let budget = &Cell::new(BUDGET);
        let scope = Scope { file: self, space, before, size, given: &[], depth: 0, budget };
        let mut shape = || {
            let sides = scope.value(config.next()?)?.shape()?;
            let sides = sides.map(|side| u32::try_from(side).ok().filter(|side| *side > 0));
            let [Some(x), Some(y), Some(z)] = sides else { return None };
            Some([x, y, z])
        };
        let (grid, block) = (shape(), shape());
        let shared = config.next().map_or(Some(0), |text| {
            let [bytes, ..] = scope.value(text)?.shape()?;
            u32::try_from(bytes).ok()
        });
        let number = |text: &String| match scope.value(text)? {
            Value::Int(value) => Some(Number::Int(value)),
            Value::Float(value) => Some(Number::Float(value)),
            Value::Shape(_) => None,
        };
        let values = args.iter().map(number).collect();
        let maps = args.iter().map(|arg| scope.tensor_map(arg)).collect();
        let line = 1 + before.matches('\n').count() as u32;
        // What a template takes is known to the compiler: no size of this run.
        let fixed = Scope { size: &|_| None, ..scope };
        let common = HostLaunch {
            kernel: String::new(),
            instance: None,
            line,
            grid,
            block,
            shared,
            args,
            values,
            maps,
        };
        let of = |(name, template): (&str, Option<&str>)| {
            let whole = self.qualified(name, space);
            let instance = template.and_then(|list| instance(&whole, list, &fixed));
            HostLaunch { kernel: name.to_owned(), instance, ..common.clone() }
        };
        self.launched(before).into_iter().map(of).collect()
    }

    /// The kernels that may be meant before `<<<`, each with the list of its template's arguments:
    /// a variable may stand for one, or for one of two.
    fn launched<'t>(&self, before: &'t str) -> Vec<(&'t str, Option<&'t str>)> {
        let Some((name, template)) = named(before) else { return Vec::new() };
        let is_function = |name: &str| self.declares(name.rsplit("::").next().unwrap_or(name));
        if template.is_some() || is_function(name) {
            return vec![(name, template)];
        }
        let of = |at: usize| {
            let value = before[at + name.len()..].trim_start().strip_prefix('=')?;
            Some(value.split(';').next()?.trim())
        };
        let value = places(before, name).filter_map(of).last().unwrap_or("");
        let choices = value.split_once('?').and_then(|(_, both)| either(both));
        let choices = choices.map_or(vec![value], |(yes, no)| vec![yes, no]);
        let choices = choices.into_iter().filter_map(|text| named(text.trim_start_matches('&')));
        let choices: Vec<_> = choices.filter(|(name, _)| is_function(name)).collect();
        if choices.is_empty() { vec![(name, None)] } else { choices }
    }

    /// The name of a kernel with its namespace, where code of the namespace `space` names it.
    pub fn qualified(&self, name: &str, space: &str) -> String {
        let placed = self.parts.iter().flat_map(Part::placed);
        let own =
            placed.filter(|(item, _)| item.kind == ItemKind::Function && item.names == [name]);
        let mut spaces: Vec<_> = own.map(|(_, space)| space).collect();
        spaces.dedup();
        match &spaces[..] {
            _ if spaces.iter().any(|own| own == space) => join(space, name),
            [only] => join(only, name),
            _ => name.to_owned(),
        }
    }
}

/// A name in a namespace.
fn join(space: &str, name: &str) -> String {
    if space.is_empty() { name.to_owned() } else { format!("{space}::{name}") }
}

/// Both sides of the colon in `yes : no`.
fn either(text: &str) -> Option<(&str, &str)> {
    let is_lone = |at: &usize| !text[..*at].ends_with(':') && !text[at + 1..].starts_with(':');
    let colon = text.match_indices(':').map(|(at, _)| at).find(is_lone)?;
    Some((text[..colon].trim(), text[colon + 1..].trim()))
}

/// The name before `<<<`, and the list of a template's arguments.
fn named(before: &str) -> Option<(&str, Option<&str>)> {
    let before = before.trim_end();
    let (before, template) = match before.strip_suffix('>') {
        Some(inner) => {
            let mut depth = 1_i32;
            let open = inner.bytes().rposition(|byte| {
                depth += i32::from(byte == b'>') - i32::from(byte == b'<');
                depth == 0
            })?;
            (inner[..open].trim_end(), Some(&inner[open + 1..]))
        }
        None => (before, None),
    };
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == ':';
    let start = before.trim_end_matches(is_part).len();
    let name = &before[start..];
    // A macro puts the name together.
    let is_part = before[..start].trim_end().ends_with('#');
    (!name.is_empty() && !is_part).then_some((name, template))
}

/// Words that a template takes as a type.
const TYPES: [&str; 14] = [
    "float",
    "double",
    "int",
    "unsigned",
    "char",
    "short",
    "long",
    "bool",
    "half",
    "__half",
    "float2",
    "float4",
    "__nv_bfloat16",
    "half2",
];

/// `mm<16, float>`, with numbers for what is known.
fn instance(name: &str, list: &str, scope: &Scope<'_>) -> Option<String> {
    let value = |text: &str| {
        let is_type = words(text).any(|word| TYPES.contains(&word)) || text.contains('<');
        if is_type || matches!(text, "true" | "false") {
            return Some(text.to_owned());
        }
        match scope.value(text) {
            Some(Value::Int(value)) => Some(value.to_string()),
            // A type by another name; otherwise something that only the running program knows.
            _ => scope.file.declares(text).then(|| text.to_owned()),
        }
    };
    let list = split(list).map(value).collect::<Option<Vec<_>>>()?;
    Some(format!("{name}<{}>", list.join(", ")))
}
