//! What the functions of the host that launch kernels are called with: the kernel itself, its grid,
//! a number.

use super::CudaFile;
use super::item::{Item, ItemKind, closed, is_kernel, named, words};
use super::launch::{HostCall, LaunchNames, list};
use super::template;
use super::value::{Lookups, NameScope, places, split};

/// How many calls of one function are followed.
const CALLS: usize = 16;

impl CudaFile {
    /// What each call of a function that is no template gives to its parameters, as far as that is
    /// known before the program runs. The sizes of matrices are those of the run.
    pub(super) fn callers(
        &self,
        item: &Item,
        text: &str,
        names: &LaunchNames<'_>,
    ) -> Vec<HostCall> {
        let (Some(name), None) = (item.names.first(), template::parameters(text)) else {
            return Vec::new();
        };
        let Some(list) = list(text, item).filter(|_| item.kind == ItemKind::Function) else {
            return Vec::new();
        };
        let parameters: Vec<_> = split(&list[1..list.len() - 1]).map(parameter).collect();
        let is_other = |one: &Item| one.kind == ItemKind::Function && one.names != [&**name];
        let functions = self.placed().filter(|(_, one, _)| is_other(one));
        let calls = functions.flat_map(|(text, _, space)| {
            let of = |at: usize| {
                let rest = text[at + name.len()..].trim_start();
                let end = closed(rest, 0).filter(|_| rest.starts_with('('))?;
                Some(self.passed(&parameters, &rest[1..end - 1], (&text[..at], &space), names))
            };
            places(text, name).filter_map(of).collect::<Vec<_>>()
        });
        let mut hosts: Vec<_> = calls.take(CALLS).collect();
        hosts.retain(|host| !host.kernels.is_empty() || !host.values.is_empty());
        hosts
    }

    /// What one call gives to these parameters, where the text before it is `before`, of a namespace.
    fn passed(
        &self,
        parameters: &[&str],
        arguments: &str,
        (before, space): (&str, &str),
        names: &LaunchNames<'_>,
    ) -> HostCall {
        let mut host = HostCall::default();
        let looked = Lookups::new(names.compiled_in.clone());
        let outside = self.scope(&looked);
        let (size, known) = (names.size, names.known);
        let scope = NameScope { space, before, size, known, ..outside };
        for (own, argument) in parameters.iter().zip(split(arguments)) {
            let argument = argument.trim_start_matches('&');
            let kernel = self.kernel(argument).or_else(|| {
                // `void (*kernel)(float*, int) = mine;`
                let at = places(before, argument).last()?;
                let value = before[at..].split(';').next()?.rsplit_once('=')?.1;
                self.kernel(value.trim().trim_start_matches('&'))
            });
            if let Some(kernel) = kernel {
                host.kernels.push(((*own).to_owned(), kernel.to_owned()));
                continue;
            }
            let value = scope.value(argument).filter(|_| size(own).is_none());
            host.values.extend(value.map(|value| ((*own).to_owned(), value)));
        }
        host.resized = looked.resized();
        host
    }

    /// The text, if it is the name of a kernel, perhaps with the arguments of its template.
    fn kernel<'t>(&self, text: &'t str) -> Option<&'t str> {
        let (name, _) = named(text).filter(|(name, _)| name_is_all(text, name))?;
        let name = name.rsplit("::").next().unwrap_or(name);
        let mut items = self.items().filter(|(_, item)| item.names == [name]);
        items.any(|(part, item)| is_kernel(part.text(item))).then_some(text)
    }
}

/// Whether an argument is a name, perhaps with the arguments of a template, and nothing else.
fn name_is_all(argument: &str, name: &str) -> bool {
    let rest = argument.trim().strip_prefix(name);
    rest.is_some_and(|rest| rest.trim().is_empty() || rest.trim_start().starts_with('<'))
}

/// The name of a parameter, which may be a pointer to a function: `void (*kernel)(float*, int)`.
fn parameter(text: &str) -> &str {
    let pointer = text.split_once("(*").and_then(|(_, rest)| words(rest).next());
    pointer.or_else(|| words(text.split(['=', '[']).next()?).last()).unwrap_or("")
}
