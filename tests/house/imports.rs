//! Finds the imports between the files of a crate in the text of its sources.

use std::collections::{BTreeMap, BTreeSet};

/// The files of a crate by their modules' paths, as in `ptx::parser`; the root's path is empty.
pub(crate) struct Crate(BTreeMap<String, File>);

/// Each module, the modules that it uses, and the items used.
pub(crate) type Graph = BTreeMap<String, BTreeMap<String, BTreeSet<String>>>;

/// The components of a path.
type Path = Vec<String>;

struct File {
    imports: Vec<Import>,
    /// The paths in its code, including single names.
    paths: BTreeSet<Path>,
}

/// One imported name of a `use`.
struct Import {
    name: String,
    path: Path,
    public: bool,
}

impl Crate {
    /// Reads files, each given as its module and its code.
    pub(crate) fn read<'a>(files: impl IntoIterator<Item = (String, &'a str)>) -> Self {
        Self(files.into_iter().map(|(module, code)| (module, File::read(code))).collect())
    }

    /// The modules, each with those that it uses.
    pub(crate) fn graph(&self) -> Graph {
        self.0.iter().map(|(module, file)| (module.clone(), self.uses(module, file))).collect()
    }

    fn uses(&self, module: &str, file: &File) -> BTreeMap<String, BTreeSet<String>> {
        let private = file.imports.iter().filter(|import| !import.public);
        let mut uses = BTreeMap::<_, BTreeSet<_>>::new();
        for path in private.map(|import| &import.path).chain(&file.paths) {
            if let Some((home, item)) = self.home(module, path).filter(|(home, _)| home != module) {
                uses.entry(home).or_default().insert(item);
            }
        }
        uses
    }

    /// The module that defines the item which `path` names in `module`, and the item's name there;
    /// `None` if it is a module, or in another crate.
    pub(crate) fn home(&self, module: &str, path: &[String]) -> Option<(String, String)> {
        let (first, rest) = path.split_first()?;
        let child = child(module, first);
        let is_child = self.0.contains_key(&child);
        match first.as_str() {
            "crate" => self.item("", rest),
            "self" => self.item(module, rest),
            "super" => self.item(parent(module), rest),
            _ if is_child && !rest.is_empty() => self.item(&child, rest),
            _ => {
                let import = self.0[module].imports.iter().find(|import| import.name == *first)?;
                // `use rayon::rayon` leads out of the crate.
                let leads_on = is_child || import.path[0] != *first;
                leads_on.then(|| self.home(module, &[&import.path, rest].concat()))?
            }
        }
    }

    /// Like `home`, for a path that begins in `module`; a name that leads nowhere is the module's
    /// own.
    fn item(&self, module: &str, path: &[String]) -> Option<(String, String)> {
        let first = path.first()?;
        let leads_on = first == "super"
            || self.0.contains_key(&child(module, first))
            || self.0[module].imports.iter().any(|import| import.name == *first);
        if leads_on { self.home(module, path) } else { Some((module.to_owned(), first.clone())) }
    }
}

impl File {
    fn read(code: &str) -> Self {
        let tokens = tokens(code);
        let (mut imports, mut paths) = (Vec::new(), BTreeSet::new());
        let mut at = 0;
        while at < tokens.len() {
            let (before, rest) = tokens.split_at(at);
            if rest[0] == "use" && rest[1] != "<" {
                let end = rest.iter().position(|token| token == ";").unwrap_or(rest.len());
                let public = is_public(before);
                let leaves = leaves(&rest[1..end]).into_iter();
                imports.extend(leaves.map(|(name, path)| Import { name, path, public }));
                at += end;
            } else if is_word(&rest[0]) {
                let path = path(rest);
                at += 2 * path.len() - 1;
                // After a dot it is a field or a method, and `mod` only declares a file.
                if before.last().is_none_or(|token| token != "." && token != "mod") {
                    paths.insert(path);
                }
            } else {
                at += 1;
            }
        }
        Self { imports, paths }
    }
}

/// The imported names of a `use` tree, each with the name that it has in the file.
fn leaves(tree: &[String]) -> Vec<(String, Path)> {
    if let Some(open) = tree.iter().position(|token| token == "{") {
        let stem = path(&tree[..open]);
        let branches = branches(&tree[open + 1..tree.len() - 1]);
        let leaves = branches.into_iter().flat_map(leaves);
        let whole = |(name, leaf): (String, Path)| match leaf.as_slice() {
            [only] if only == "self" => (stem.last().unwrap_or(&name).clone(), stem.clone()),
            _ => (name, [stem.clone(), leaf].concat()),
        };
        return leaves.map(whole).collect();
    }
    let path = path(tree);
    let renamed = tree.iter().rev().nth(1).is_some_and(|token| token == "as");
    let name = if renamed { tree.last() } else { path.last() };
    name.map(|name| (name.clone(), path.clone())).into_iter().collect()
}

/// The parts between commas, outside of braces.
fn branches(tokens: &[String]) -> Vec<&[String]> {
    let mut depth = 0;
    let parts = tokens.split(|token| {
        depth += i32::from(token == "{") - i32::from(token == "}");
        depth == 0 && token == ","
    });
    parts.filter(|part| !part.is_empty()).collect()
}

/// The path at the start of tokens.
fn path(tokens: &[String]) -> Path {
    let mut path = Path::new();
    for pair in tokens.chunks(2) {
        path.push(pair[0].clone());
        if pair.get(1).is_none_or(|token| token != "::") {
            break;
        }
    }
    path
}

/// The cycles of a graph: sets of several modules, each of which leads to every other.
pub(crate) fn circles(graph: &Graph) -> BTreeSet<BTreeSet<&str>> {
    let reached: BTreeMap<_, _> =
        graph.keys().map(|from| (&**from, reached(graph, from))).collect();
    let circle = |from: &str| -> BTreeSet<_> {
        reached[from].iter().copied().filter(|to| reached[to].contains(from)).collect()
    };
    graph.keys().map(|from| circle(from)).filter(|circle| circle.len() > 1).collect()
}

/// The modules reachable from one.
fn reached<'g>(graph: &'g Graph, from: &'g str) -> BTreeSet<&'g str> {
    let (mut reached, mut open) = (BTreeSet::new(), vec![from]);
    while let Some(module) = open.pop() {
        let new = graph[module].keys().map(String::as_str).filter(|to| reached.insert(*to));
        open.extend(new);
    }
    reached
}

/// The path of a module inside another.
fn child(module: &str, name: &str) -> String {
    if module.is_empty() { name.to_owned() } else { format!("{module}::{name}") }
}

/// The path of the module that contains another.
fn parent(module: &str) -> &str {
    module.rsplit_once("::").map_or("", |(parent, _)| parent)
}

/// Whether the item after these tokens is public.
fn is_public(before: &[String]) -> bool {
    let ends = |words: &[&str]| before.iter().rev().zip(words).all(|(token, word)| token == word);
    let scope = before.iter().rev().nth(1).map_or("", String::as_str);
    ends(&["pub"]) || ends(&[")", scope, "(", "pub"])
}

fn is_word(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// The words and symbols of code, without comments, strings, characters and lifetimes; `::` is one
/// token.
pub(crate) fn tokens(code: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    let mut rest = code.trim_start();
    while let Some(first) = rest.chars().next() {
        let skipped = match first {
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '"' => text(rest),
            'r' if rest.starts_with("r\"") || rest.starts_with("r#") => raw_text(rest),
            '\'' => character(rest),
            _ => 0,
        };
        let sign = if rest.starts_with("::") { 2 } else { first.len_utf8() };
        let length = if skipped > 0 { skipped } else { word(rest).max(sign) };
        if skipped == 0 {
            tokens.push(rest[..length].to_owned());
        }
        rest = rest[length..].trim_start();
    }
    tokens
}

/// The length of the word at the start of code.
fn word(code: &str) -> usize {
    code.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(code.len())
}

/// The length of the string at the start of code, including its quotes.
fn text(code: &str) -> usize {
    let mut escaped = true;
    let end = code.find(|c| {
        let ends = c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
        ends
    });
    end.map_or(code.len(), |end| end + 1)
}

/// The length of the raw string at the start of code.
fn raw_text(code: &str) -> usize {
    let marks = code[1..].find(|c| c != '#').unwrap_or_default();
    let end = format!("\"{}", "#".repeat(marks));
    let open = 1 + marks + 1;
    code[open..].find(&end).map_or(code.len(), |at| open + at + end.len())
}

/// The length of a character or of a lifetime.
fn character(code: &str) -> usize {
    let inside = code[1..].chars().next().unwrap_or_default();
    let close = 1 + inside.len_utf8();
    match inside {
        '\\' => code[3..].find('\'').map_or(code.len(), |at| 3 + at + 1),
        _ if code[close..].starts_with('\'') => close + 1,
        _ => 1 + word(&code[1..]),
    }
}
