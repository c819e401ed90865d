//! The kernels in the test data: a source each, its PTX next to it, and comments with its launches
//! and expected results.

use std::fs;
use std::path::{Path, PathBuf};

/// A kernel's source.
pub(crate) struct Kernel {
    pub(crate) path: PathBuf,
    pub(crate) text: String,
}

/// The kernels of a folder, by name.
pub(crate) fn kernels(folder: &str) -> Vec<Kernel> {
    let folder = Path::new("tests/data").join(folder);
    let entries = fs::read_dir(folder).expect("the folder of the kernels is there");
    let paths = entries.map(|entry| entry.expect("the folder can be read").path());
    let is_source = |path: &PathBuf| {
        path.extension().is_some_and(|extension| ["cu", "py", "rs"].iter().any(|e| extension == *e))
    };
    let read = |path: PathBuf| {
        let text = fs::read_to_string(&path).expect("a kernel is text");
        Kernel { path, text }
    };
    let mut kernels: Vec<_> = paths.filter(is_source).map(read).collect();
    kernels.sort_by_key(Kernel::name);
    kernels
}

impl Kernel {
    pub(crate) fn name(&self) -> String {
        self.path.file_stem().expect("a file").to_string_lossy().into_owned()
    }

    /// The lines `// word: ..` or `# word: ..`, each from its colon on.
    pub(crate) fn lines<'a>(&'a self, word: &'a str) -> impl Iterator<Item = &'a str> {
        self.text.lines().filter_map(move |line| {
            let comment = line.strip_prefix("// ").or_else(|| line.strip_prefix("# "))?;
            comment.strip_prefix(word)?.strip_prefix(": ")
        })
    }

    /// Its launches as options, with its limits; for a kernel with alpha and beta, the first one again
    /// with both named.
    pub(crate) fn launches(&self) -> Vec<String> {
        let all: Vec<_> = self.lines("launch").collect();
        let named = self.lines("result").any(|result| result == "chain alpha").then(|| {
            let (call, rest) = all[0].split_once(' ').expect("a size");
            let (call, _) = call.split_once(">>>").expect("a configuration");
            format!("{call}>>>(M,N,K,alpha=-0.5f,A,B,beta=0.25f,C) {rest}")
        });
        let limits: Vec<_> = self.lines("limit").flat_map(|limit| [" --limit ", limit]).collect();
        let limits = limits.concat();
        let all = all.into_iter().map(str::to_owned).chain(named);
        all.map(|launch| format!("--launch {launch}{limits}")).collect()
    }
}
