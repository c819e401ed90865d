//! The launches in a file's host code, `kernel<<<grid, block, shared>>>(...)`, as far as they are
//! known before the program runs.

use super::item::{Item, ItemKind, closed, has_word, is_kernel, is_part, named, words};
use super::template;
use super::tensor_map::HostTensorMap;
use super::value::{HostValue, Lookups, NameScope, Resized, places, split};
use super::written::{WITH_CONFIG, WrittenLaunch};
use super::{CudaFile, FilePart};
use crate::hint::header_of;
use crate::parse::is_type;
use crate::source::{CudaSource, declared_name};
use std::collections::BTreeSet;

/// The values of names that are sizes of the matrices.
pub(super) type Sizes<'s> = &'s dyn Fn(&str) -> Option<i64>;

#[derive(Clone, Debug, PartialEq)]
pub struct HostLaunch {
    pub kernel: String,
    /// The kernel with the arguments of its template, `mm<16, float>`, if it is one.
    pub instance: Option<String>,
    /// The arguments of its template, as far as they are known.
    pub arguments: Vec<Option<String>>,
    /// The line of `<<<`.
    pub line: u32,
    /// Blocks along x, y, z; 0 if the host's code computes so at this size.
    pub grid: Option<[u32; 3]>,
    /// Threads along x, y, z.
    pub block: Option<[u32; 3]>,
    /// Bytes of dynamic shared memory; 0 if the launch names none.
    pub shared: Option<u32>,
    /// Blocks of a cluster along x, y, z, if the launch gives it (`cudaLaunchKernelEx`).
    pub cluster: Option<[u32; 3]>,
    /// The arguments, as they are written.
    pub args: Vec<String>,
    pub values: Vec<Option<LaunchNumber>>,
    /// The tensor maps among them, or pointers to such, as the host encodes them.
    pub maps: Vec<Option<HostTensorMap>>,
    /// The bytes that the host has allocated for those that are pointers, where that is known.
    pub bytes: Vec<Option<u64>>,
    /// Constants of the host that are above this run's size, which was taken in their place.
    pub resized: Vec<Resized>,
}

/// A number among the arguments of a launch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LaunchNumber {
    /// A whole one.
    Int(i64),
    /// One with a fraction.
    Float(f64),
}

impl CudaFile {
    /// The constants outside functions that kernels use, with their values.
    pub fn constants(&self) -> Vec<(String, i64)> {
        let used = self.used(&[]);
        let value = |name: &&str| {
            let looked = Lookups::new(BTreeSet::new());
            let scope = self.scope(&looked);
            match scope.value(name) {
                Some(HostValue::Int(value)) => Some(((*name).to_owned(), value)),
                _ => None,
            }
        };
        used.words.iter().filter_map(value).collect()
    }

    /// The launches in host code, in the order of the text. A constant of the host's code that is
    /// called like a size, is above it and is not compiled into a kernel gives way to it.
    pub fn launches(&self, size: Sizes<'_>) -> Vec<HostLaunch> {
        self.launches_knowing(size, &|_| None)
    }

    /// The same, where the user gives values to names: those hold whatever the host's code says.
    pub fn launches_knowing(&self, size: Sizes<'_>, known: Sizes<'_>) -> Vec<HostLaunch> {
        let names = LaunchNames { size, known, compiled_in: self.compiled_in() };
        let of_part = |part| self.of_part(part, &names);
        self.parts.iter().flat_map(of_part).collect()
    }

    pub fn parameters(&self, kernel: &str) -> Vec<String> {
        let kernel = kernel.rsplit("::").next().unwrap_or(kernel);
        let names = |text| {
            let source = CudaSource::read(text);
            let all = source.kernels().find_map(|one| one.parameters(kernel))?;
            let name = |one| declared_name(one).unwrap_or_default().to_owned();
            Some(all.into_iter().map(name).collect())
        };
        self.texts().find_map(names).unwrap_or_default()
    }

    /// The names that kernels use and that are not their parameters: what they stand for is compiled
    /// in.
    fn compiled_in(&self) -> BTreeSet<&str> {
        let used = self.used(&[]);
        let mut names = BTreeSet::new();
        for (part, used) in self.parts.iter().zip(&used.items) {
            for (item, _) in part.items.iter().zip(used).filter(|(_, used)| **used) {
                let text = part.text(item);
                let own: BTreeSet<_> = match item.kind {
                    ItemKind::Function => words(list(text, item).unwrap_or_default()).collect(),
                    _ => item.names.iter().map(String::as_str).collect(),
                };
                names.extend(words(text).filter(|word| !own.contains(word)));
            }
        }
        names
    }

    fn of_part(&self, part: &FilePart, known: &LaunchNames<'_>) -> Vec<HostLaunch> {
        let is_host = |item: &Item| {
            let text = part.text(item);
            matches!(item.kind, ItemKind::Function | ItemKind::Directive | ItemKind::Other)
                && !(is_kernel(text) || has_word(text, "__device__"))
        };
        let of_item = |(item, space): (&Item, String)| {
            let text = part.text(item);
            let places = ["<<<", WITH_CONFIG].map(|what| text.match_indices(what));
            let places: Vec<_> = places.into_iter().flatten().map(|(at, _)| at).collect();
            if places.is_empty() {
                return Vec::new();
            }
            let mut hosts = self.callers(item, text, known);
            if hosts.is_empty() {
                hosts.push(self.host(item, text, known));
            }
            let of = |at: usize| {
                let of = |host| self.launch(text, at, &space, known, host);
                hosts.iter().flat_map(of).collect::<Vec<_>>()
            };
            let lines = part.plain[..item.span.start].matches('\n').count();
            let found = places.into_iter().flat_map(of);
            found
                .map(|launch| HostLaunch { line: launch.line + lines as u32, ..launch })
                .collect::<Vec<_>>()
        };
        part.placed().into_iter().filter(|(item, _)| is_host(item)).flat_map(of_item).collect()
    }

    /// The launch at a place of a function's text (see [`WrittenLaunch::at`]), in this namespace; its line
    /// is counted from the function's first. There are several where the host chooses among kernels.
    fn launch(
        &self,
        text: &str,
        at: usize,
        space: &str,
        names: &LaunchNames<'_>,
        host: &HostCall,
    ) -> Vec<HostLaunch> {
        let before = &text[..at];
        let Some(written) = WrittenLaunch::at(text, at) else { return Vec::new() };
        let WrittenLaunch { head, shape: [grid, block, shared], cluster, args } = written;
        let launched = self.launched(head);
        let passed = |(name, list): (_, Option<_>)| {
            let kernel = host.kernels.iter().find(|(own, _)| own == name && list.is_none());
            kernel.map_or(vec![(name, list)], |(_, text)| named(text).into_iter().collect())
        };
        let launched: Vec<_> = launched.into_iter().flat_map(passed).collect();
        // The arguments of a template are compiled in too.
        let compiled_in = launched.iter().filter_map(|(_, list)| *list).flat_map(words);
        let looked = &Lookups::new(compiled_in.chain(names.compiled_in.iter().copied()).collect());
        let given = &host.values[..];
        let LaunchNames { size, known, .. } = *names;
        let scope = NameScope { file: self, space, before, size, known, given, depth: 0, looked };
        if !scope.is_reached() {
            return Vec::new();
        }
        let shape = |text: Option<&str>| {
            let sides = scope.value(text?)?.shape()?;
            let [Ok(x), Ok(y), Ok(z)] = sides.map(u32::try_from) else { return None };
            Some([x, y, z])
        };
        let (grid, block) = (shape(grid), shape(block).filter(|block| !block.contains(&0)));
        let side =
            |text: Option<&str>| text.map_or(Some(1), |text| shape(Some(text)).map(|of| of[0]));
        let [x, y, z] = cluster.map(side);
        let named = cluster.iter().any(Option::is_some);
        let cluster = x.zip(y).zip(z).filter(|_| named).map(|((x, y), z)| [x, y, z]);
        let cluster = cluster.filter(|sides| !sides.contains(&0));
        let shared = shared.map_or(Some(0), |text| {
            let [bytes, ..] = scope.value(text)?.shape()?;
            u32::try_from(bytes).ok()
        });
        let number = |text: &String| match scope.value(text)? {
            HostValue::Int(value) => Some(LaunchNumber::Int(value)),
            HostValue::Float(value) => Some(LaunchNumber::Float(value)),
            HostValue::Shape(_) => None,
        };
        let values = args.iter().map(number).collect();
        let maps = args.iter().map(|arg| scope.tensor_map(arg)).collect();
        let line = 1 + before.matches('\n').count() as u32;
        // What a template takes is known to the compiler: no size of this run.
        let fixed = NameScope { size: &|_| None, known: &|_| None, ..scope };
        let bytes = args.iter().map(|arg| allocated(before, arg, &scope)).collect();
        let common = HostLaunch {
            kernel: String::new(),
            instance: None,
            arguments: Vec::new(),
            line,
            grid,
            block,
            shared,
            cluster,
            args,
            values,
            maps,
            bytes,
            resized: host.resized.iter().cloned().chain(looked.resized()).collect(),
        };
        let of = |(name, list): (&str, Option<&str>)| {
            let whole = self.qualified(name, space);
            let arguments = list.map_or_else(Vec::new, |list| arguments(list, &fixed, host));
            let all = arguments.iter().cloned().collect::<Option<Vec<_>>>();
            let instance =
                all.filter(|_| list.is_some()).map(|all| format!("{whole}<{}>", all.join(", ")));
            HostLaunch { kernel: name.to_owned(), instance, arguments, ..common.clone() }
        };
        launched.into_iter().map(of).collect()
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
        let is_it = |item: &Item| item.kind == ItemKind::Function && item.names == [name];
        let own = self.placed().filter(|(_, item, _)| is_it(item));
        let mut spaces: Vec<_> = own.map(|(.., space)| space).collect();
        spaces.dedup();
        match &spaces[..] {
            _ if spaces.iter().any(|own| own == space) => join(space, name),
            [only] => join(only, name),
            _ => name.to_owned(),
        }
    }

    /// A scope outside functions.
    pub(super) fn scope<'f>(&'f self, looked: &'f Lookups<'f>) -> NameScope<'f> {
        let (size, known) = (&|_: &str| None, &|_: &str| None);
        NameScope { file: self, space: "", before: "", size, known, given: &[], depth: 0, looked }
    }

    /// What is known of a function of the host that is a template: the arguments with which another
    /// function calls it, or with which it is instantiated explicitly.
    fn host(&self, item: &Item, text: &str, names: &LaunchNames<'_>) -> HostCall {
        let mut host = HostCall::default();
        let (Some(name), Some(parameters)) = (item.names.first(), template::parameters(text))
        else {
            return host;
        };
        let looked = Lookups::new(BTreeSet::new());
        let scope = NameScope { size: names.size, ..self.scope(&looked) };
        let mut lists = self.parts.iter().flat_map(|part| instances(&part.plain, name));
        let found = lists.find_map(|list| {
            let all: Vec<_> = split(list).collect();
            let fits = all.len() <= parameters.len()
                && !all.iter().any(|one| parameters.iter().any(|(own, _)| own == one));
            fits.then_some(all)
        });
        let given = found.unwrap_or_default();
        for (place, (own, default)) in parameters.iter().enumerate() {
            let Some(text) = given.get(place).copied().or(*default) else {
                host.unknown.push((*own).to_owned());
                continue;
            };
            match scope.value(text) {
                Some(value) => host.values.push(((*own).to_owned(), value)),
                None => host.types.push(((*own).to_owned(), text.to_owned())),
            }
        }
        host
    }
}

/// The names by which the launches of a file are evaluated.
pub(super) struct LaunchNames<'n> {
    pub(super) size: Sizes<'n>,
    pub(super) known: Sizes<'n>,
    pub(super) compiled_in: BTreeSet<&'n str>,
}

/// What a function of the host is called with.
#[derive(Debug, Default)]
pub(super) struct HostCall {
    /// Parameters that are kernels.
    pub(super) kernels: Vec<(String, String)>,
    /// Constants of the callers in whose place a size of this run was taken.
    pub(super) resized: Vec<Resized>,
    pub(super) values: Vec<(String, HostValue)>,
    types: Vec<(String, String)>,
    /// Parameters of which nothing is known.
    unknown: Vec<String>,
}

/// The lists in `name<...>(`, wherever a text has one.
fn instances<'t>(text: &'t str, name: &'t str) -> impl Iterator<Item = &'t str> {
    text.match_indices(name).filter_map(move |(at, _)| {
        let inside = text[at + name.len()..].trim_start().strip_prefix('<')?;
        let end = inside.find(['>', ';', '{'])?;
        let called = inside[end..].strip_prefix('>')?.trim_start().starts_with('(');
        (called && !text[..at].ends_with(is_part)).then(|| &inside[..end])
    })
}

/// The bytes that the host allocates for an argument: `cudaMalloc(&d_a, bytes)` before the launch.
fn allocated(before: &str, arg: &str, scope: &NameScope<'_>) -> Option<u64> {
    let calls = ["cudaMalloc", "cudaMallocManaged", "cudaMallocAsync"];
    let found = calls
        .iter()
        .flat_map(|call| before.match_indices(call).map(|(at, call)| &before[at + call.len()..]));
    let of_call = |rest: &str| {
        let rest = rest.trim_start();
        let end = closed(rest, 0).filter(|_| rest.starts_with('('))?;
        let mut list = split(&rest[1..end - 1]);
        let (pointer, bytes) = (list.next()?, list.next()?);
        let is_it = pointer.split_once('&').is_some_and(|(_, name)| name.trim() == arg);
        let value = is_it.then(|| scope.value(bytes)).flatten()?;
        value.shape().and_then(|[bytes, ..]| u64::try_from(bytes).ok())
    };
    found.into_iter().find_map(of_call)
}

/// A function's parameters, in their brackets.
pub(super) fn list<'t>(text: &'t str, function: &Item) -> Option<&'t str> {
    let name = function.names.first()?;
    let open = text.find(&format!("{name}(")).map(|at| at + name.len()).or_else(|| {
        let at = text.find(&**name)?;
        text[at..].find('(').map(|open| at + open)
    })?;
    Some(&text[open..closed(text, open)?])
}

fn join(space: &str, name: &str) -> String {
    if space.is_empty() { name.to_owned() } else { format!("{space}::{name}") }
}

/// Both sides of the colon in `yes : no`.
fn either(text: &str) -> Option<(&str, &str)> {
    let is_lone = |at: &usize| !text[..*at].ends_with(':') && !text[at + 1..].starts_with(':');
    let colon = text.match_indices(':').map(|(at, _)| at).find(is_lone)?;
    Some((text[..colon].trim(), text[colon + 1..].trim()))
}

/// The arguments of a template, with numbers for what is known.
fn arguments(list: &str, scope: &NameScope<'_>, host: &HostCall) -> Vec<Option<String>> {
    let value = |text: &str| {
        if let Some((_, of)) = host.types.iter().find(|(own, _)| own == text) {
            return Some(of.clone());
        }
        if host.unknown.iter().any(|own| own == text) {
            return None;
        }
        let is_type = |word| is_type(word) || header_of(word).is_some();
        let is_type = words(text).any(is_type) || text.contains('<');
        if is_type || matches!(text, "true" | "false") {
            return Some(text.to_owned());
        }
        match scope.value(text) {
            Some(HostValue::Int(value)) => Some(value.to_string()),
            // A type by another name; otherwise something that only the running program knows.
            _ => scope.file.declares(text).then(|| text.to_owned()),
        }
    };
    split(list).map(value).collect()
}
