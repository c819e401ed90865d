//! Kernels that are templates, and what their parameters take.

use super::item::{function_name, has_word, is_kernel, split, without_attributes, words};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelTemplate {
    pub name: String,
    pub parameters: Vec<String>,
    /// What its parameters take, each as an example: its default, or a type or a number.
    pub examples: Vec<String>,
    pub is_complete: bool,
}

impl KernelTemplate {
    /// Reads a declaration at file scope; `None` if it is no such kernel, or only announces one.
    pub(super) fn read(text: &str) -> Option<Self> {
        let is_defined = is_kernel(text) && text.ends_with('}');
        let all = is_defined.then(|| parameters(text)).flatten()?;
        let (_, after) = text.split_once("__global__")?;
        let head = without_attributes(after.split('{').next()?);
        let name = function_name(&head)?;
        let inside = text.trim_start().strip_prefix("template")?;
        let examples = split_list(inside).map(example).collect();
        let is_complete = all.iter().all(|(_, default)| default.is_some());
        let parameters = all.iter().map(|(name, _)| (*name).to_owned()).collect();
        Some(Self { name: name.to_owned(), parameters, examples, is_complete })
    }

    /// The template with these arguments, and with examples for those that are not known:
    /// `mm<16, float>`.
    pub fn instance(&self, known: &[Option<String>]) -> String {
        let argument = |(place, example): (usize, &String)| {
            known.get(place).cloned().flatten().unwrap_or_else(|| example.clone())
        };
        let all: Vec<_> = self.examples.iter().enumerate().map(argument).collect();
        format!("{}<{}>", self.name, all.join(", "))
    }
}

/// What a parameter may be: its default, `float` or a number.
fn example(one: &str) -> String {
    if let Some((_, default)) = one.split_once('=') {
        return default.trim().to_owned();
    }
    let is = |wanted: &str| has_word(one, wanted);
    let example = match () {
        () if is("typename") || is("class") => "float",
        () if is("bool") => "true",
        () => "16",
    };
    example.to_owned()
}

/// The parts of `<...>` at the beginning of a text.
fn split_list(text: &str) -> impl Iterator<Item = &str> {
    let inside = text.trim_start().strip_prefix('<').unwrap_or_default();
    let mut depth = 1_i32;
    let end = inside.bytes().position(|byte| {
        depth += i32::from(byte == b'<') - i32::from(byte == b'>');
        depth == 0
    });
    split(&inside[..end.unwrap_or(0)])
}

/// The parameters of the template that a text begins with, and their defaults.
pub(super) fn parameters(text: &str) -> Option<Vec<(&str, Option<&str>)>> {
    split_list(text.trim_start().strip_prefix("template")?).map(parameter).collect()
}

/// The name of a template's parameter, and its default.
fn parameter(one: &str) -> Option<(&str, Option<&str>)> {
    let (head, default) = match one.split_once('=') {
        Some((head, default)) => (head, Some(default.trim())),
        None => (one, None),
    };
    Some((words(head).last()?, default))
}
