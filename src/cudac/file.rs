//! A `.cu` file as it lies on the disk: the code that its kernels use, without the host's.
//!
//! ```text
//! source --plain--> no comments --items--> declarations --used--> what kernels use, lines kept
//! ```
//!
//! What a kernel uses is found by name, from `__global__` on, through macros, constants, types and
//! functions; everything else is the host's and is left out, so that a compiler of device code alone
//! takes the file. Every line keeps its number.

mod architecture;
mod cut;
mod fenced;
mod header;
mod item;
mod template;
#[cfg(test)]
mod tests;

pub use fenced::fenced;
pub use template::KernelTemplate;

use crate::compiled::CompileOptions;
use crate::host::{self, HostPatience, HostRun, HowToRun, NamedNumbers};
use crate::source::{CudaSource, plain};
use cut::{NAMESPACES, kept};
use header::Include;
pub(super) use header::is_foreign;
use item::{Item, ItemKind, closed, has_word, is_kernel, items, split, words};
use std::collections::{BTreeSet, HashMap};

/// How many headers of its own a file may include.
const MOST_HEADERS: usize = 64;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeviceCode {
    /// Its text; each line is that of the file, or blank.
    pub text: String,
    /// What the host's headers declare and the kernels use: to stand before the text.
    pub prelude: String,
    /// The headers of its own, by the names that include them.
    pub headers: Vec<(String, String)>,
}

/// A file with the headers of its own, read and cut.
#[derive(Debug)]
pub struct CudaFile {
    parts: Vec<FilePart>,
    absent: Vec<String>,
    /// Macros of the command line, as `NAME=VALUE`.
    defines: Vec<String>,
}

#[derive(Debug)]
struct FilePart {
    name: String,
    source: String,
    plain: String,
    items: Vec<Item>,
}

impl FilePart {
    fn new(name: &str, source: &str) -> Self {
        let plain = plain(source);
        let items = items(&plain);
        Self { name: name.to_owned(), source: source.to_owned(), plain, items }
    }

    fn text(&self, item: &Item) -> &str {
        &self.plain[item.span.clone()]
    }

    /// The items, each with the namespace in which it stands: `outer::inner`.
    fn placed(&self) -> Vec<(&Item, String)> {
        let mut open: Vec<&Item> = Vec::new();
        let mut placed = Vec::new();
        for item in &self.items {
            match item.kind {
                ItemKind::Open => open.push(item),
                ItemKind::Close => drop(open.pop()),
                ItemKind::Function | ItemKind::Other | ItemKind::Directive => {}
            }
            let names = open.iter().flat_map(|item| &item.names).map(String::as_str);
            let names = names.filter(|name| !["namespace", "inline", "extern"].contains(name));
            placed.push((item, names.collect::<Vec<_>>().join("::")));
        }
        placed
    }

    fn include(&self, item: &Item) -> Option<Include<'_>> {
        let is_directive = item.kind == ItemKind::Directive;
        is_directive.then(|| Include::read(&self.source[item.span.clone()])).flatten()
    }
}

impl CudaFile {
    /// Reads a file; `header` gives the text of one of its own headers, by the name that includes
    /// it, from the folder of the header that does.
    pub fn new(source: &str, header: impl Fn(&str) -> Option<String>) -> Self {
        let mut parts = vec![FilePart::new("", source)];
        let (mut absent, mut known) = (Vec::new(), BTreeSet::new());
        let mut next = 0;
        while let Some(part) = parts.get(next) {
            let own = part.items.iter().filter_map(|item| part.include(item));
            let own = own.filter(|include| !include.is_device());
            let own: Vec<_> = own.map(|one| (one.name.to_owned(), one.is_quoted)).collect();
            for (name, is_quoted) in own {
                if parts.len() > MOST_HEADERS || !known.insert(name.clone()) {
                    continue;
                }
                let folder = parts[next].name.rsplit_once('/').map_or("", |(folder, _)| folder);
                let near = format!("{folder}/{name}");
                let found = header(near.trim_start_matches('/')).or_else(|| header(&name));
                match found.filter(|_| !name.is_empty()) {
                    Some(text) => parts.push(FilePart::new(&name, &text)),
                    None if is_quoted && !is_foreign(&name) => absent.push(name),
                    None => {}
                }
            }
            next += 1;
        }
        Self { parts, absent, defines: Vec::new() }
    }

    /// The same file, compiled with these macros (`NAME=VALUE`): its launches are evaluated with
    /// them.
    #[must_use]
    pub fn defining(self, defines: &[String]) -> Self {
        Self { defines: defines.to_vec(), ..self }
    }

    /// The code that the kernels use, and what the instantiations `also` name. A file without code
    /// of the host, or without a kernel, stays as it is.
    pub fn device_code(&self, also: &[String]) -> DeviceCode {
        let mut used = self.used(also);
        if !self.has_host_code(&used) {
            used.items.iter_mut().flatten().for_each(|used| *used = true);
        }
        let uses = |name: &str| used.words.contains(name);
        let spaces = self.spaces(&used);
        let mut texts = self.parts.iter().zip(&used.items).map(|(part, used)| {
            (part.name.clone(), kept(part, used, &spaces, &|name| self.has(name)))
        });
        let text = texts.next().map(|(_, text)| text).unwrap_or_default();
        let headers = texts.collect();
        let prelude = header::prelude(|name| uses(name) && !self.declares(name));
        DeviceCode { text, prelude, headers }
    }

    /// Whether the file or one of its headers has a kernel, perhaps with a slip in `__global__`.
    pub fn has_kernel(&self) -> bool {
        let mut words = self.parts.iter().flat_map(|part| words(&part.plain));
        words.any(|word| word.trim_matches('_') == "global")
    }

    pub fn templates(&self) -> Vec<KernelTemplate> {
        self.texts().filter_map(KernelTemplate::read).collect()
    }

    pub fn has_plain_kernel(&self) -> bool {
        self.texts().any(|text| is_kernel(text) && !text.starts_with("template"))
    }

    /// Whether a kernel has shared memory of the size that its launch gives.
    pub fn has_dynamic_shared(&self) -> bool {
        let mut statements = self.texts().flat_map(|text| text.split([';', '{', '}']));
        statements.any(|one| has_word(one, "extern") && has_word(one, "__shared__"))
    }

    /// Whether there is host code beside the kernels.
    pub fn is_mixed(&self) -> bool {
        self.has_host_code(&self.used(&[]))
    }

    /// The same file with other texts: for each part of [`Self::sources`] that of the same place.
    #[must_use]
    pub fn with_texts(&self, texts: &[String]) -> Self {
        let of = |name: &str| self.parts.iter().position(|part| part.name == name);
        let header = |name: &str| texts.get(of(name)?).cloned();
        let text = texts.first().map_or("", String::as_str);
        Self::new(text, header).defining(&self.defines)
    }

    /// What its `main` does to the device; `None` if it has none, or cannot be preprocessed.
    pub fn host_run(&self, patience: HostPatience) -> Option<HostRun> {
        self.run(HowToRun { names: None, patience })
    }

    /// What any function that launches does to the device, called or not, with numbers that are known
    /// by their names.
    pub fn all_launches(&self, names: NamedNumbers<'_>) -> HostRun {
        let how = HowToRun { names: Some(names), patience: HostPatience::Shapes };
        self.run(how).unwrap_or_default()
    }

    fn run(&self, how: HowToRun<'_>) -> Option<HostRun> {
        let main = self.parts.first()?;
        let of_part = |part: &FilePart| (part.name.clone(), part.source.clone());
        let absent = self.absent.iter().map(|name| (name.clone(), String::new()));
        let headers: Vec<_> = self.parts.iter().skip(1).map(of_part).chain(absent).collect();
        let options =
            CompileOptions { defines: &self.defines, headers: &headers, ..Default::default() };
        host::run(&main.source, &options, how)
    }

    /// Its own text and those of its headers, each with the name that includes it: empty for its own.
    pub fn sources(&self) -> impl Iterator<Item = (&str, &str)> {
        self.parts.iter().map(|part| (&*part.name, &*part.source))
    }

    /// The macros of the command line.
    pub fn defines(&self) -> &[String] {
        &self.defines
    }

    /// The headers of its own, by the names that include them, as they lie on the disk.
    pub fn headers(&self) -> impl Iterator<Item = (&str, &str)> {
        self.parts.iter().skip(1).map(|part| (&*part.name, &*part.source))
    }

    /// Headers in quotes that were not found.
    pub fn absent(&self) -> &[String] {
        &self.absent
    }

    fn items(&self) -> impl Iterator<Item = (&FilePart, &Item)> {
        self.parts.iter().flat_map(|part| part.items.iter().map(move |item| (part, item)))
    }

    fn texts(&self) -> impl Iterator<Item = &str> {
        self.items().map(|(part, item)| part.text(item))
    }

    /// The name of a kernel with its namespace, if only one function is called so.
    pub fn qualified(&self, name: &str) -> String {
        let is_it = |item: &Item| item.kind == ItemKind::Function && item.names == [name];
        let own = self.parts.iter().flat_map(FilePart::placed).filter(|(item, _)| is_it(item));
        let mut spaces: Vec<_> = own.map(|(_, space)| space).collect();
        spaces.dedup();
        match &spaces[..] {
            [only] if !only.is_empty() => format!("{only}::{name}"),
            _ => name.to_owned(),
        }
    }

    /// Whether a name is compiled into the kernels: they use it, and it is none of their parameters.
    pub fn compiles_in(&self, name: &str) -> bool {
        self.used_items().any(|(text, item)| {
            let is_own = match item.kind {
                ItemKind::Function => has_word(list(text, item).unwrap_or_default(), name),
                _ => item.declares(name),
            };
            !is_own && has_word(text, name)
        })
    }

    /// Whether a name is one that kernels of three matrices alone compute with, and that is the
    /// extent of no array.
    pub fn is_side(&self, name: &str) -> bool {
        let used: Vec<_> = self.used_items().collect();
        let is_extent = |text: &str| CudaSource::read(text).is_extent_of_shared(name);
        let kernels =
            used.iter().filter(|(text, item)| item.kind == ItemKind::Function && is_kernel(text));
        let mut kernels = kernels.filter(|(text, _)| has_word(text, name)).peekable();
        kernels.peek().is_some()
            && kernels.all(|(text, item)| takes_three_pointers(text, item))
            && !used.iter().any(|(text, _)| is_extent(text))
    }

    /// What the kernels use.
    fn used_items(&self) -> impl Iterator<Item = (&str, &Item)> {
        let used = self.used(&[]).items;
        let all = self.parts.iter().zip(used).flat_map(|(part, used)| {
            part.items.iter().zip(used).map(move |(item, used)| (part.text(item), item, used))
        });
        all.filter_map(|(text, item, used)| used.then_some((text, item)))
    }

    /// Whether something at file scope has this name.
    fn declares(&self, name: &str) -> bool {
        self.items().any(|(_, item)| item.declares(name))
    }

    /// Whether a function is the host's, and another is a kernel.
    fn has_host_code(&self, used: &KernelUses<'_>) -> bool {
        let items = self.parts.iter().zip(&used.items);
        let mut items = items.flat_map(|(part, used)| part.items.iter().zip(used));
        let is_host = |(item, used): (&Item, &bool)| item.kind == ItemKind::Function && !used;
        used.words.contains("__global__") && items.any(is_host)
    }

    /// The namespaces that device code can use: NVIDIA's, and those that hold code of the kernels.
    fn spaces(&self, used: &KernelUses<'_>) -> BTreeSet<&str> {
        let mut spaces = BTreeSet::from(NAMESPACES);
        for (part, used) in self.parts.iter().zip(&used.items) {
            let mut open = Vec::new();
            for (item, used) in part.items.iter().zip(used) {
                match item.kind {
                    ItemKind::Open => open.push(item),
                    ItemKind::Close => drop(open.pop()),
                    ItemKind::Function | ItemKind::Other if *used => {
                        spaces.extend(open.iter().flat_map(|item| &item.names).map(String::as_str));
                    }
                    ItemKind::Function | ItemKind::Other | ItemKind::Directive => {}
                }
            }
        }
        spaces
    }

    fn has(&self, header: &str) -> bool {
        self.parts.iter().skip(1).any(|part| part.name == header)
    }

    /// What is reached from the kernels.
    fn used(&self, also: &[String]) -> KernelUses<'_> {
        let mut declared: HashMap<&str, Vec<(usize, usize)>> = HashMap::new();
        let mut items: Vec<_> =
            self.parts.iter().map(|part| vec![false; part.items.len()]).collect();
        let mut open = Vec::new();
        for (at, part) in self.parts.iter().enumerate() {
            for (index, item) in part.items.iter().enumerate() {
                for name in &item.names {
                    declared.entry(name).or_default().push((at, index));
                }
                let text = part.text(item);
                // Nothing names an operator: what uses it says so by its sign alone.
                let is_operator = || item.declares("operator") && has_word(text, "__device__");
                if is_kernel(text) || is_operator() {
                    open.push((at, index));
                }
            }
        }
        let mut seen = BTreeSet::new();
        let named: Vec<_> = also.iter().flat_map(|also| words(also)).collect();
        let reach = |word: &str, text: &str, open: &mut Vec<_>| {
            for (at, index) in declared.get(word).into_iter().flatten() {
                let part = &self.parts[*at];
                let item = &part.items[*index];
                if item.kind != ItemKind::Function || is_callable(part.text(item), word, text) {
                    open.push((*at, *index));
                }
            }
        };
        for word in named {
            reach(word, &format!("{word}("), &mut open);
        }
        let mut pastes = false;
        while let Some((at, index)) = open.pop() {
            if std::mem::replace(&mut items[at][index], true) {
                continue;
            }
            let part = &self.parts[at];
            let item = &part.items[index];
            let text = part.text(item);
            // Which names a macro puts together is not known here: any of a device function may be one.
            if item.kind == ItemKind::Directive && text.contains("##") && !pastes {
                pastes = true;
                open.extend(self.device_functions());
            }
            for word in words(text) {
                reach(word, text, &mut open);
                seen.insert(word);
            }
        }
        let mut used = KernelUses { items, words: seen };
        self.without_strangers(&mut used);
        used
    }

    /// The functions that are device code alone, by their parts and places.
    fn device_functions(&self) -> impl Iterator<Item = (usize, usize)> {
        let is_device = |part: &FilePart, item: &Item| {
            item.kind == ItemKind::Function && has_word(part.text(item), "__device__")
        };
        self.parts.iter().enumerate().flat_map(move |(at, part)| {
            let all = part.items.iter().enumerate().filter(move |(_, item)| is_device(part, item));
            all.map(move |(index, _)| (at, index))
        })
    }

    /// Leaves out `using space::name;` where `name` is the host's.
    fn without_strangers(&self, used: &mut KernelUses<'_>) {
        let text_of = |at: usize, index: usize| self.parts[at].text(&self.parts[at].items[index]);
        let is_using = |text: &str| {
            words(text).next() == Some("using") && text.contains("::") && !text.contains('=')
        };
        let all = |used: &KernelUses<'_>| -> Vec<(usize, usize)> {
            let of = |(at, items): (usize, &Vec<bool>)| {
                let used = items.iter().enumerate().filter(|(_, used)| **used);
                used.map(move |(index, _)| (at, index)).collect::<Vec<_>>()
            };
            used.items.iter().enumerate().flat_map(of).collect()
        };
        let (strangers, own): (Vec<_>, Vec<_>) =
            all(used).into_iter().partition(|(at, index)| is_using(text_of(*at, *index)));
        let names: BTreeSet<_> =
            own.iter().flat_map(|(at, index)| &self.parts[*at].items[*index].names).collect();
        for (at, index) in strangers {
            let names_of = &self.parts[at].items[index].names;
            let is_nvidias = words(text_of(at, index)).any(|word| NAMESPACES.contains(&word));
            used.items[at][index] = is_nvidias || names_of.iter().any(|name| names.contains(name));
        }
    }
}

/// What the kernels use: the parts of each file, and all words in them.
struct KernelUses<'f> {
    items: Vec<Vec<bool>>,
    words: BTreeSet<&'f str>,
}

/// A function's parameters, in their brackets.
fn list<'t>(text: &'t str, function: &Item) -> Option<&'t str> {
    let name = function.names.first()?;
    let at = text.find(&**name)?;
    let open = at + text[at..].find('(')?;
    Some(&text[open..closed(text, open)?])
}

/// Whether a kernel takes three pointers and nothing else.
fn takes_three_pointers(text: &str, kernel: &Item) -> bool {
    let Some(list) = list(text, kernel) else { return false };
    let mut parameters = split(&list[1..list.len() - 1]);
    let is_pointer = |one: &str| one.contains('*') || one.contains('[');
    parameters.clone().count() == 3 && parameters.all(is_pointer)
}

/// Whether a function can be meant by its name in a text: it is device code, or it is called there.
/// A variable may have the name of a host's function.
fn is_callable(function: &str, name: &str, text: &str) -> bool {
    let is_device = has_word(function, "__device__") || is_kernel(function);
    let launches = function.contains("<<<");
    let is_called = || {
        text.match_indices(name).any(|(at, _)| {
            let after = text[at + name.len()..].trim_start();
            after.starts_with('(') || after.starts_with('<')
        })
    };
    is_device || name != "main" && !launches && is_called()
}
