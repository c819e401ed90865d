//! Where the headers of its own lie that a source includes: in folders around it.

use super::file_of;
use super::own_folders::{ABOVE, SourceFolders, real};
use crate::timing::protocol::Compile;
use std::path::{Path, PathBuf};

/// The folders of a repository in which its own headers usually lie, below each folder above the
/// source.
const USUAL: [&str; 8] = ["", "include", "inc", "src", "common", "Common", "utils", "util"];

/// A folder around a source that has a header which the given folders have not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundHeader {
    pub folder: PathBuf,
    pub header: String,
}

/// Looks around a source for the headers of its own that its folders do not have, up to the folder
/// of its repository, and adds the folders that have them; returns those.
pub fn look_around(wanted: &mut Compile) -> Vec<FoundHeader> {
    let mut found = Vec::new();
    // A header that is found may include others.
    while let Some(next) = next(wanted) {
        wanted.folders.push(next.folder.clone());
        found.push(next);
    }
    found
}

fn next(wanted: &Compile) -> Option<FoundHeader> {
    let own = real(wanted.folders.first()?)?;
    let given = SourceFolders::of(&wanted.folders);
    let file = file_of(wanted);
    let absent = file.absent().iter().filter(|name| !name.is_empty());
    let places = |name: &String| {
        let has = |folder: &PathBuf| folder.join(name).is_file() && given.has(&folder.join(name));
        let folder = around(&own).find(has)?;
        Some(FoundHeader { folder, header: name.clone() })
    };
    let is_new = |found: &FoundHeader| !wanted.folders.contains(&found.folder);
    absent.filter_map(places).find(is_new)
}

/// How many folders and files of a repository are looked at for a header.
const LOOKED_AT: usize = 4000;

/// The folder of a repository in which a header lies that a file in `own` includes.
pub fn somewhere(own: &Path, header: &str) -> Option<PathBuf> {
    let own = if own == Path::new("") { Path::new(".") } else { own };
    let own = own.canonicalize().ok()?;
    let root = own.ancestors().find(|folder| folder.join(".git").exists());
    let mut open = std::collections::VecDeque::from([root.or(own.parent())?.to_owned()]);
    let mut left = LOOKED_AT;
    while let Some(folder) = open.pop_front() {
        if folder.join(header).is_file() {
            return Some(folder);
        }
        let all = std::fs::read_dir(&folder).into_iter().flatten().flatten();
        let mut below: Vec<_> = all.take(left).map(|one| one.path()).collect();
        left = left.saturating_sub(below.len());
        let is_hidden = |path: &PathBuf| {
            path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'))
        };
        below.retain(|path| path.is_dir() && !is_hidden(path));
        below.sort();
        open.extend(below);
    }
    None
}

/// The largest file that is searched for a line that includes another, in bytes.
const LARGEST: u64 = 1 << 20;

/// The `.cu` file beside one, or in the folder above, that includes it: a part of a program may need
/// what stands before it there.
pub fn includer(file: &Path) -> Option<PathBuf> {
    let name = file.file_name()?.to_string_lossy().into_owned();
    let own = file.parent()?;
    let own = if own == Path::new("") { Path::new(".") } else { own };
    let includes = |path: &PathBuf| {
        let text = crate::file::read(path, LARGEST).unwrap_or_default();
        let text = String::from_utf8_lossy(&text).into_owned();
        let names = |line: &str| {
            let line = line.trim_start();
            let quoted = line.starts_with('#').then(|| line.split('"').nth(1)).flatten();
            quoted.is_some_and(|quoted| quoted.rsplit('/').next() == Some(&*name))
        };
        text.lines().any(names)
    };
    let folders = [own.to_owned(), own.join("..")];
    let all = folders.iter().filter_map(|folder| std::fs::read_dir(folder).ok());
    let mut all: Vec<_> = all.flatten().flatten().take(LOOKED_AT).map(|one| one.path()).collect();
    all.retain(|path| path.extension().is_some_and(|end| end == "cu") && path.as_path() != file);
    all.sort();
    all.into_iter().find(includes)
}

/// The folders around one, the nearest first.
fn around(own: &Path) -> impl Iterator<Item = PathBuf> {
    let root = own.ancestors().position(|folder| folder.join(".git").exists());
    let above = own.ancestors().take(ABOVE.min(root.unwrap_or(ABOVE)) + 1);
    above.flat_map(|folder| USUAL.map(|name| folder.join(name)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn headers_are_found_in_the_folders_of_the_repository_and_not_above_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().canonicalize().expect("it exists");
        for (path, text) in [
            ("repo/.git/config", ""),
            ("repo/include/first.h", "#include \"second.h\"\n"),
            ("repo/kernels/utils/second.h", "#define TS 16\n"),
            ("outside.h", "int x;\n"),
        ] {
            let path = root.join(path);
            fs::create_dir_all(path.parent().expect("its folder")).expect("a folder");
            fs::write(path, text).expect("written");
        }
        let own = root.join("repo/kernels/one");
        fs::create_dir_all(&own).expect("a folder");
        let text = "#include \"first.h\"\n#include \"outside.h\"\n__global__ void k() {}\n";
        let mut wanted =
            Compile { text: text.to_owned(), folders: vec![own], ..Compile::default() };
        let found = look_around(&mut wanted);
        let found: Vec<_> = found
            .iter()
            .map(|one| (one.folder.strip_prefix(&root).expect("inside"), &*one.header))
            .collect();
        let wanted_folders =
            [(Path::new("repo/include"), "first.h"), (Path::new("repo/kernels/utils"), "second.h")];
        assert_eq!(found, wanted_folders);
        assert_eq!(file_of(&wanted).absent(), ["outside.h"]);
    }
}
