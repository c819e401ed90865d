//! Finds entry points by their names in the source.

use super::launch_error::LaunchError;
use cpp_demangle::{DemangleOptions, Symbol};
use ptx::{Function, Module};

/// Returns the entry point called `name` in the PTX, or in its source if the name is unique there;
/// without a name, the only one of the module.
///
/// # Errors
/// No match, or several: the message lists all of them.
pub fn find<'m>(module: &'m Module, name: Option<&str>) -> Result<&'m Function, LaunchError> {
    if module.functions.is_empty() {
        return Err(LaunchError::NoKernel(callees(module)));
    }
    let all: Vec<_> = module.functions.iter().collect();
    let Some(name) = name else { return only(&all, "name a kernel") };
    if let Some(exact) = module.entry(name) {
        return Ok(exact);
    }
    let is_template = |f: &Function| {
        let own = instance_name(&f.name);
        own.split_once('<').is_some_and(|(own, _)| own == name)
    };
    let is_it = |f: &&Function| {
        source_name(&f.name) == name || is_instance(&f.name, name) || is_template(f)
    };
    let called: Vec<_> = all.iter().copied().filter(is_it).collect();
    if called.is_empty() {
        let what = format!("there is no kernel `{name}`");
        return Err(LaunchError::Entry { what, names: names(&all) });
    }
    only(&called, &format!("`{name}` may be any of several"))
}

fn only<'m>(found: &[&'m Function], what: &str) -> Result<&'m Function, LaunchError> {
    match found {
        [only] => Ok(only),
        _ => Err(LaunchError::Entry { what: what.to_owned(), names: names(found) }),
    }
}

/// Returns the functions that only kernels can call, by their names in the source.
fn callees(module: &Module) -> Vec<String> {
    module.device_functions.iter().map(|function| source_name(&function.name).to_owned()).collect()
}

/// The names to choose from: as in the source, if that tells them apart, otherwise as in the PTX.
fn names(functions: &[&Function]) -> Vec<String> {
    let own: Vec<_> = functions.iter().map(|function| instance_name(&function.name)).collect();
    let once = |name: &String| own.iter().filter(|other| *other == name).count() == 1;
    let named = functions.iter().zip(&own);
    named.map(|(f, own)| if once(own) { own.clone() } else { f.name.clone() }).collect()
}

/// Returns the source's name of the entry point that the PTX calls `entry`, with the arguments of
/// its template: `mm<16, float>`.
pub fn instance_name(entry: &str) -> String {
    let options = DemangleOptions::new().no_params().no_return_type();
    // `a` alone would be the type `signed char`.
    let symbol = Symbol::new(entry).ok().filter(|_| entry.starts_with("_Z"));
    symbol
        .and_then(|symbol| symbol.demangle_with_options(&options).ok())
        .unwrap_or_else(|| entry.to_owned())
}

/// The types of the parameters that a mangled name holds: `signed char const*`; none of a name that is
/// not mangled.
pub(super) fn mangled_types(entry: &str) -> Vec<String> {
    let symbol = Symbol::new(entry).ok().filter(|_| entry.starts_with("_Z"));
    let whole = symbol.and_then(|symbol| symbol.demangle().ok()).unwrap_or_default();
    let Some(list) = whole.strip_suffix(')') else { return Vec::new() };
    let (mut all, mut depth) = (vec![String::new()], 0_i32);
    for c in list.chars().rev() {
        match c {
            '(' if depth == 0 => {
                let types = all.iter().rev().map(|of| of.chars().rev().collect::<String>());
                return types.map(|of| of.trim().to_owned()).collect();
            }
            ',' if depth == 0 => all.push(String::new()),
            c => {
                depth += i32::from(matches!(c, ')' | '>')) - i32::from(matches!(c, '(' | '<'));
                all.last_mut().into_iter().for_each(|last| last.push(c));
            }
        }
    }
    Vec::new()
}

/// The arguments of the template of which an entry point is an instance; none if it is of none.
pub(super) fn template_arguments(entry: &str) -> Vec<String> {
    let name = instance_name(entry);
    let Some(list) = name.split_once('<').and_then(|(_, list)| list.strip_suffix('>')) else {
        return Vec::new();
    };
    let mut all = vec![String::new()];
    let mut depth = 0_i32;
    for c in list.chars() {
        depth += i32::from(c == '<') - i32::from(c == '>');
        match all.last_mut() {
            _ if c == ',' && depth == 0 => all.push(String::new()),
            Some(last) => last.push(c),
            None => {}
        }
    }
    all.iter().map(|one| one.trim().to_owned()).collect()
}

/// Whether the entry point that the PTX calls `entry` is this instance of a template; blanks, the
/// suffixes and casts that tell the types of numbers, and namespaces before the name, make no
/// difference.
pub fn is_instance(entry: &str, instance: &str) -> bool {
    let (own, instance) = (plain(&instance_name(entry)), plain(instance));
    let before = own.strip_suffix(&instance);
    before.is_some_and(|before| before.is_empty() || before.ends_with("::"))
}

fn plain(name: &str) -> String {
    let mut plain = String::new();
    let mut depth = 0_u32;
    for c in name.chars().filter(|c| !c.is_whitespace()) {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            'u' | 'l' | 'U' | 'L' if plain.ends_with(|last: char| last.is_ascii_digit()) => {}
            c if depth == 0 => plain.push(c),
            _ => {}
        }
    }
    // A truth is a number as well: `k<true>` is `k<1>`.
    let ends = ['<', ',', '>'];
    let word = |part: &str| match part.trim_end_matches(ends) {
        "true" => part.replace("true", "1"),
        "false" => part.replace("false", "0"),
        _ => part.to_owned(),
    };
    plain.split_inclusive(ends).map(word).collect()
}

/// Returns the source name of the entry point that the PTX calls `entry`: `sgemm` for
/// `_Z5sgemmiiifPKfS0_fPf`.
///
/// Itanium C++ ABI, "Mangling": `_Z`, then the name as its length and its letters, or between `N`
/// and `E` one such pair for every enclosing scope. A name that is not mangled like this is
/// returned as it is.
pub fn source_name(entry: &str) -> &str {
    let Some(mangled) = entry.strip_prefix("_Z") else { return entry };
    let mut rest = mangled.trim_start_matches(['N', 'L']);
    let mut last = entry;
    while let Some((name, after)) = counted(rest) {
        (last, rest) = (name, after);
        // Behind a name that is not nested come the types of the parameters.
        if !mangled.starts_with('N') {
            break;
        }
    }
    last
}

/// Splits `5sgemmii` into (`sgemm`, `ii`).
fn counted(text: &str) -> Option<(&str, &str)> {
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let length: usize = text[..digits].parse().ok()?;
    text[digits..].split_at_checked(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mangled_names_are_read_as_their_sources_wrote_them() {
        for (entry, name) in [
            ("_Z5sgemmiiifPKfS0_fPf", "sgemm"),
            ("_Z5sgemm6MatrixS_S_", "sgemm"),
            ("_Z5sgemmILi32ELi8EEviiifPKfS0_fPf", "sgemm"),
            ("_ZN4cuda6matmulEPf", "matmul"),
            ("_ZN6cudapy8__main__11fast_matmulB2v1B96cw51cXTLSUwv1E5ArrayIfLi2E", "fast_matmul"),
            ("tiled", "tiled"),
            ("_Z", "_Z"),
            ("_Z99sgemm", "_Z99sgemm"),
            ("", ""),
        ] {
            assert_eq!(source_name(entry), name, "{entry}");
        }
    }

    fn module(entries: &[&str]) -> Module {
        let function = |name: &&str| Function { name: (*name).to_owned(), ..Function::default() };
        Module { functions: entries.iter().map(function).collect(), ..Module::default() }
    }

    #[test]
    fn an_instance_is_known_however_its_numbers_are_written() {
        let entry = "_Z2mmILj16ELb1EfEvPfS0_S0_i";
        for name in ["mm<16, true, float>", "mm<16u,true,float>", "mm<(int)16, true, float>"] {
            assert!(is_instance(entry, name), "{name}: {}", instance_name(entry));
        }
        assert!(!is_instance(entry, "mm<8, true, float>"));
        assert!(is_instance("tiled", "tiled"));
        let placed = "_ZN5outer2mmILi16EEEvPf";
        assert!(is_instance(placed, "outer::mm<16>") && is_instance(placed, "mm<16>"));
        let truth = "_Z1kILb1EEvPf";
        assert!(is_instance(truth, "k<true>") && is_instance(truth, "k<1>"));
        assert!(!is_instance(truth, "k<false>") && is_instance("k<0>", "k<false>"));
        assert!(!is_instance(placed, "m<16>") && !is_instance(placed, "other::mm<16>"));
    }

    #[test]
    fn an_entry_is_found_by_either_name_unless_there_is_doubt() {
        let both = module(&["_Z5sgemmILi8EEvPf", "_Z5sgemmILi16EEvPf", "_Z4copyPf"]);
        let found = |module: &Module, name| {
            find(module, name).map(|f| f.name.clone()).map_err(|e| e.to_string())
        };
        assert_eq!(found(&both, Some("copy")), Ok("_Z4copyPf".to_owned()));
        assert_eq!(found(&both, Some("_Z4copyPf")), Ok("_Z4copyPf".to_owned()));
        assert_eq!(found(&module(&["k"]), None), Ok("k".to_owned()));
        let placed = module(&["_ZN5outer2mmILi16EEEvPf", "_Z4copyPf"]);
        for name in ["outer::mm", "mm", "mm<16>"] {
            assert_eq!(found(&placed, Some(name)), Ok("_ZN5outer2mmILi16EEEvPf".to_owned()));
        }
        insta::assert_snapshot!(found(&both, Some("sgemm")).unwrap_err(), @"`sgemm` may be any of several: there are `sgemm<8>`, `sgemm<16>`; for example --launch 'sgemm<8>'");
        insta::assert_snapshot!(found(&both, Some("nothing")).unwrap_err(), @"there is no kernel `nothing`: there are `sgemm<8>`, `sgemm<16>`, `copy`; for example --launch 'sgemm<8>'");
        insta::assert_snapshot!(found(&both, None).unwrap_err(), @"name a kernel: there are `sgemm<8>`, `sgemm<16>`, `copy`; for example --launch 'sgemm<8>'");
        insta::assert_snapshot!(found(&module(&[]), None).unwrap_err(), @"there is nothing to launch: this module has no kernel");
        let device_functions = module(&["_Z4copyPf", "scale"]).functions;
        let callees = Module { device_functions, ..Module::default() };
        let none = found(&callees, None);
        assert_eq!(found(&callees, Some("copy")), none);
        insta::assert_snapshot!(none.unwrap_err(), @"there is nothing to launch: this module has no kernel, only functions that kernels call: `copy`, `scale` (CUDA C++: `__global__` makes a kernel; Numba: device=False)");
    }
}
