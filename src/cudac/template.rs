//! Templates of functions and structures: each instance that is used becomes one of its own.
//!
//! ```text
//! tokens --cut--> functions, templates --instances, calls `f<8>(x)`--> functions
//! ```
//!
//! An instance has the name `f<8, float>`, which no source can give, and the arguments in the places of
//! the parameters.

pub(super) mod deduce;

use super::at::{Pos, SourceLine};
use super::error::Error;
use super::parse::scalar;
use super::skipped::{SkippedDeclaration, names, passed_over as find_skipped};
use super::token::{Token, TokenClass, tokens};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::rc::Rc;

/// How many instances a source may have: templates that call one another may never end.
const MOST: usize = 256;

/// A template of a function or of a structure.
#[derive(Debug)]
pub(super) struct Template {
    parameters: Vec<TemplateParameter>,
    /// The function, without `template <...>`.
    tokens: Vec<Token>,
    /// Where its name stands in them.
    name: usize,
    is_kernel: bool,
    is_structure: bool,
}

#[derive(Debug)]
struct TemplateParameter {
    name: Rc<str>,
    is_type: bool,
    /// What stands for it where nothing is given.
    default: Vec<Token>,
}

/// Arguments of a template: the tokens of each.
type Arguments = Vec<Vec<Token>>;

/// Replaces the templates among the tokens of a source by the instances that `wanted` names
/// (`mm<16, float>`), and those that functions call with all of their arguments in `<>`; returns the
/// templates too, from which calls with fewer ask for more. Names of types come first.
///
/// # Errors
/// A template that is none of functions, arguments that do not fit, instances without end.
pub(super) fn instantiated(
    source: Vec<Token>,
    wanted: &[String],
) -> Result<(Vec<Token>, Templates, Vec<SkippedDeclaration>), Error> {
    if !source.iter().any(|token| token.is("template")) {
        return Ok((source, Templates::new(), Vec::new()));
    }
    let SplitSource { mut output, templates, mut named, skipped, specialised } = cut(&source)?;
    let end = output.pop().or(source.last().cloned());
    let mut made = Instances {
        templates: &templates,
        specialised: &specialised,
        known: BTreeSet::new(),
        open: Vec::new(),
    };
    made.rename(&mut output)?;
    made.rename(&mut named)?;
    for one in wanted {
        let name = one.split('<').next().unwrap_or(one).trim();
        if let Some(error) = find_skipped(&skipped, name) {
            return Err(error);
        }
        made.request(one)?;
    }
    made.of_defaults()?;
    while let Some((template, name, arguments)) = made.open.pop() {
        if made.known.len() > MOST {
            let told = "these templates instantiate one another again and again";
            return Err(Error::at(template.tokens[template.name].at, told));
        }
        let mut body = template.filled(&name, &arguments);
        made.rename(&mut body)?;
        // A function is declared before those that call it.
        body.append(&mut output);
        output = body;
    }
    let is_kernel = output.iter().any(|token| token.is("__global__"));
    if let Some(one) = skipped.iter().find(|one| one.is_kernel && !is_kernel) {
        return Err(one.error.clone());
    }
    let missing = templates.values().find(|template| template.is_kernel && !is_kernel);
    if let Some(template) = missing {
        return Err(template.without_arguments());
    }
    let tokens = named.into_iter().chain(output).chain(end).collect();
    Ok((tokens, templates, skipped))
}

/// The templates of a source, by their names.
pub(super) type Templates = BTreeMap<Rc<str>, Template>;

#[derive(Debug, Default)]
struct SplitSource {
    output: Vec<Token>,
    templates: Templates,
    /// `typedef` and `using` outside functions: instances may need them.
    named: Vec<Token>,
    /// Templates that are told where something needs them.
    skipped: Vec<SkippedDeclaration>,
    /// The instances that the source itself defines: `template <> int f<int>(int x)`.
    specialised: BTreeSet<Rc<str>>,
}

fn cut(source: &[Token]) -> Result<SplitSource, Error> {
    let SplitSource { mut output, mut templates, mut named, mut skipped, mut specialised } =
        SplitSource::default();
    let (mut at, mut depth) = (0, 0_usize);
    while let Some(token) = source.get(at) {
        match &*token.text {
            "{" if token.kind == TokenClass::Punctuator => depth += 1,
            "}" if token.kind == TokenClass::Punctuator => depth = depth.saturating_sub(1),
            "typedef" | "using" | "struct" | "class" | "union" | "enum"
                if depth == 0 && is_of_a_type(&source[at..]) =>
            {
                let whole = declaration(source, at);
                let is_instance =
                    |token: &Token| templates.get(&token.text).is_some_and(|one| one.is_structure);
                if !source[whole.clone()].iter().any(is_instance) {
                    named.extend_from_slice(&source[whole.clone()]);
                    at = whole.end;
                    continue;
                }
            }
            _ => {}
        }
        if token.is("template") && source.get(at + 1).is_some_and(|next| !next.is("<")) {
            // `template void f<8>(float*);` asks for an instance, which a launch does here.
            at = function(source, at).end;
            continue;
        }
        if !(token.is("template") && source.get(at + 1).is_some_and(|next| next.is("<"))) {
            output.push(token.clone());
            at += 1;
            continue;
        }
        let (given, inside) = arguments(source, at + 1)
            .ok_or_else(|| Error::at(token.at, "this template's `<` is not closed"))?;
        let whole = function(source, inside.end);
        let tokens = &source[whole.clone()];
        if let Some((name, own)) = specialisation(tokens).filter(|_| given.is_empty()) {
            specialised.insert(name);
            output.extend(own);
            at = whole.end;
            continue;
        }
        match Template::read(&given, tokens, token.at) {
            Ok(Some((key, _))) if templates.contains_key(&key) => {
                let error = Error::outside(token.at, "two templates of one name");
                passed_over(tokens, error, &mut templates, &mut skipped);
            }
            Ok(Some((key, template))) => drop(templates.insert(key, template)),
            Ok(None) => {}
            Err(error) => passed_over(tokens, error, &mut templates, &mut skipped),
        }
        at = whole.end;
    }
    Ok(SplitSource { output, templates, named, skipped, specialised })
}

/// A function for given arguments of a template: the name of the instance, and its tokens with it.
fn specialisation(tokens: &[Token]) -> Option<(Rc<str>, Vec<Token>)> {
    let ends = |token: &Token| ["(", "{", ";", "="].iter().any(|end| token.is(end));
    let head = tokens.iter().position(ends)?;
    let open = tokens[..head].iter().position(|token| token.is("<"))?;
    let (given, inside) = arguments(tokens, open)?;
    let name = tokens.get(open.checked_sub(1)?)?;
    let is_function = tokens.get(inside.end)?.is("(") && tokens.last()?.is("}");
    let text: Rc<str> = canonical(&name.text, &given).into();
    let own = Token { text: Rc::clone(&text), ..name.clone() };
    let (before, after) = (&tokens[..open - 1], &tokens[inside.end..]);
    is_function.then(|| (text, [before, &[own], after].concat()))
}

/// The name of an instance in which each type is spelled in one way.
fn canonical(name: &str, given: &Arguments) -> String {
    let spelled = |one: &Vec<Token>| {
        let words: Vec<_> = one.iter().map(|token| &*token.text).collect();
        let ty = scalar(&words).map(|ty| tokens(&ty.to_string(), SourceLine::FIRST));
        ty.and_then(Result::ok).unwrap_or_else(|| one.clone())
    };
    named(name, &given.iter().map(spelled).collect())
}

/// Passes over a template, and over others of its name: which of them a call means is not known here.
fn passed_over(
    tokens: &[Token],
    error: Error,
    templates: &mut Templates,
    skipped: &mut Vec<SkippedDeclaration>,
) {
    let names = names(tokens);
    templates.retain(|name, _| !names.contains(name));
    let is_kernel = tokens.iter().any(|token| token.is("__global__"));
    skipped.push(SkippedDeclaration { names, error, is_kernel });
}

/// The tokens of a declaration from `start` on: up to its body's end, or its semicolon.
fn function(source: &[Token], start: usize) -> Range<usize> {
    let mut depth = 0_usize;
    for (index, token) in source.iter().enumerate().skip(start) {
        match &*token.text {
            "{" | "(" => depth += 1,
            "}" | ")" => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 && (token.is("}") || token.is(";")) || token.kind == TokenClass::End {
            return start..index + usize::from(token.kind != TokenClass::End);
        }
    }
    start..source.len()
}

/// Whether these tokens begin with a name for a type, or with the definition of a structure.
fn is_of_a_type(source: &[Token]) -> bool {
    let ends = |token: &&Token| ["{", ";", "(", ")", ","].iter().any(|end| token.is(end));
    let is_name = source.first().is_some_and(|word| word.is("typedef") || word.is("using"));
    is_name || source.iter().take(8).find(ends).is_some_and(|end| end.is("{"))
}

/// The tokens of a declaration of a type from `start` on, up to its semicolon.
fn declaration(source: &[Token], start: usize) -> Range<usize> {
    let body = function(source, start);
    let end = source.get(body.end).is_some_and(|token| token.is(";"));
    let is_named = source.get(body.end).is_some_and(|token| token.kind == TokenClass::Name);
    // `typedef struct { ... } Pair;`
    if is_named && source[body.clone()].last().is_some_and(|last| last.is("}")) {
        let rest = function(source, body.end);
        return start..rest.end;
    }
    start..body.end + usize::from(end)
}

/// Where the name of a structure stands: before its brace.
fn structure_name(tokens: &[Token]) -> Option<usize> {
    let brace = tokens.iter().position(|token| token.is("{"))?;
    let name = brace.checked_sub(1)?;
    let is_plain = tokens[..brace].iter().all(|token| token.kind == TokenClass::Name);
    (is_plain && name > 0).then_some(name)
}

/// Where the name of a function stands: before the first bracket that is no attribute's.
fn name(tokens: &[Token]) -> Option<usize> {
    let mut index = 0;
    while let Some(token) = tokens.get(index) {
        if token.is("{")
            || token.is("=")
            || token.is(";")
            || token.is("struct")
            || token.is("class")
        {
            return None;
        }
        let next = tokens.get(index + 1);
        if token.kind == TokenClass::Name && next.is_some_and(|next| next.is("(")) {
            if !token.is("__launch_bounds__") {
                return Some(index);
            }
            let close = tokens[index..].iter().position(|token| token.is(")"))?;
            index += close;
        }
        index += 1;
    }
    None
}

/// The arguments between the `<` at `open` and its `>`, and the tokens of all of it.
fn arguments(tokens: &[Token], open: usize) -> Option<(Arguments, Range<usize>)> {
    let mut all = vec![Vec::new()];
    let mut depth = 0_usize;
    for (index, token) in tokens.iter().enumerate().skip(open + 1) {
        match &*token.text {
            "(" | "[" => depth += 1,
            ")" | "]" => depth = depth.checked_sub(1)?,
            _ => {}
        }
        if depth == 0 && token.is(">") {
            if all.len() == 1 && all[0].is_empty() {
                all.clear();
            }
            return Some((all, open..index + 1));
        }
        if token.is(";") || token.is("{") || token.is("<") || token.kind == TokenClass::End {
            return None;
        }
        match all.last_mut() {
            _ if depth == 0 && token.is(",") => all.push(Vec::new()),
            Some(last) => last.push(token.clone()),
            None => return None,
        }
    }
    None
}

impl TemplateParameter {
    /// Reads `typename T`, `int N` or one of them with `= default`.
    fn read(given: &[Token], at: Pos) -> Result<Self, Error> {
        let equals = given.iter().position(|token| token.is("="));
        let (head, default) = given.split_at(equals.unwrap_or(given.len()));
        let default = default.get(1..).unwrap_or_default().to_vec();
        let is_type = head.first().is_some_and(|word| word.is("typename") || word.is("class"));
        let plain = head.iter().all(|token| token.kind == TokenClass::Name);
        match head.last().filter(|_| plain && head.len() > 1) {
            Some(name) => Ok(Self { name: Rc::clone(&name.text), is_type, default }),
            None => {
                Err(Error::outside(head.first().map_or(at, |token| token.at), "such a parameter"))
            }
        }
    }
}

impl Template {
    /// Reads a template after its parameters, and its name; `None` for one that is only declared.
    fn read(
        given: &[Vec<Token>],
        tokens: &[Token],
        at: Pos,
    ) -> Result<Option<(Rc<str>, Self)>, Error> {
        let parameters = given.iter().map(|one| TemplateParameter::read(one, at));
        let parameters = parameters.collect::<Result<Vec<_>, _>>()?;
        let is_structure = tokens
            .first()
            .is_some_and(|word| ["struct", "class", "union"].iter().any(|one| word.is(one)));
        let place = if is_structure { structure_name(tokens) } else { name(tokens) };
        let is_body = tokens.last().is_some_and(|last| last.is("}"));
        let name = place.filter(|_| !parameters.is_empty());
        let what = if parameters.is_empty() {
            "a specialisation of a template"
        } else {
            "such a template"
        };
        let name = name.ok_or_else(|| Error::outside(at, what))?;
        if !is_body {
            return Ok(None);
        }
        let is_kernel = tokens[..name].iter().any(|token| token.is("__global__"));
        let key = Rc::clone(&tokens[name].text);
        let mut tokens = tokens.to_vec();
        let end = Token { kind: TokenClass::Punctuator, text: ";".into(), at: tokens[name].at };
        tokens.extend(is_structure.then_some(end));
        Ok(Some((key, Self { parameters, tokens, name, is_kernel, is_structure })))
    }

    /// The function with these arguments in the places of the parameters.
    fn filled(&self, name: &Rc<str>, arguments: &Arguments) -> Vec<Token> {
        let mut filled = Vec::new();
        for (index, token) in self.tokens.iter().enumerate() {
            let is_name = token.kind == TokenClass::Name;
            let place = self.parameters.iter().position(|one| is_name && one.name == token.text);
            let is_whole = !self.tokens.get(index + 1).is_some_and(|next| next.is("<"));
            let is_own = self.is_structure && is_whole && token.text == self.tokens[self.name].text;
            if index == self.name || is_own && is_name {
                filled.push(Token { text: Rc::clone(name), ..token.clone() });
                continue;
            }
            let Some(place) = place else {
                filled.push(token.clone());
                continue;
            };
            let at = token.at;
            let here = |given: &Token| Token { at, ..given.clone() };
            let bracket =
                |text: &str| Token { kind: TokenClass::Punctuator, text: text.into(), at };
            // A negative number is a value of two tokens.
            let is_bare = self.parameters[place].is_type || arguments[place].len() == 1;
            filled.extend((!is_bare).then(|| bracket("(")));
            filled.extend(arguments[place].iter().map(here));
            filled.extend((!is_bare).then(|| bracket(")")));
        }
        filled
    }

    /// Nobody says of which arguments a kernel is.
    fn without_arguments(&self) -> Error {
        let name = &self.tokens[self.name];
        let example = |one: &TemplateParameter| if one.is_type { "float" } else { "16" };
        let examples: Vec<_> = self.parameters.iter().map(example).collect();
        let (told, examples) = (&name.text, examples.join(", "));
        Error::at(
            name.at,
            format!("`{told}` is a template, and nothing says with which arguments it is launched"),
        )
        .hint(format!("--launch '{told}<{examples}>' names them"))
    }

    /// The arguments with the defaults of those that are not given.
    fn complete(&self, mut given: Arguments, at: Pos) -> Result<Arguments, Error> {
        let defaults = self.parameters.iter().skip(given.len()).map(|one| one.default.clone());
        let many = given.len() > self.parameters.len();
        given.extend(defaults);
        if many || given.iter().any(Vec::is_empty) {
            let name = &self.tokens[self.name].text;
            let wanted = self.parameters.len();
            return Err(Error::at(at, format!("the template `{name}` takes {wanted} arguments")));
        }
        Ok(given)
    }
}

struct Instances<'t> {
    templates: &'t Templates,
    specialised: &'t BTreeSet<Rc<str>>,
    known: BTreeSet<Rc<str>>,
    /// Those that are still to be made.
    open: Vec<(&'t Template, Rc<str>, Arguments)>,
}

impl Instances<'_> {
    /// The name of an instance, which is made if it is new.
    fn instance(&mut self, name: &str, given: Arguments, at: Pos) -> Result<Rc<str>, Error> {
        let Some(template) = self.templates.get(name) else {
            return Err(Error::at(at, format!("there is no template `{name}`")));
        };
        let is_partial =
            template.parameters.iter().skip(given.len()).any(|one| one.default.is_empty());
        if is_partial && !template.is_kernel && !template.is_structure && !given.is_empty() {
            // The rest follows from the arguments of the call.
            return Ok(named(name, &given).into());
        }
        let given = template.complete(given, at)?;
        if let Some(own) = self.specialised.get(&*canonical(name, &given)) {
            return Ok(Rc::clone(own));
        }
        let name: Rc<str> = named(name, &given).into();
        if self.known.insert(Rc::clone(&name)) {
            self.open.push((template, Rc::clone(&name), given));
        }
        Ok(name)
    }

    /// Gives the calls `f<8>(x)` the names of their instances.
    fn rename(&mut self, body: &mut Vec<Token>) -> Result<(), Error> {
        let mut at = 0;
        while let Some(token) = body.get(at) {
            let is_template =
                token.kind == TokenClass::Name && self.templates.contains_key(&token.text);
            let follows = |text: &str| body.get(at + 1).is_some_and(|next| next.is(text));
            if is_template && follows("<") {
                let token = token.clone();
                let (given, inside) = arguments(body, at + 1)
                    .ok_or_else(|| Error::outside(token.at, "such arguments of a template"))?;
                let is_known_later = given.iter().flatten().any(|one| is_local(body, one));
                let text = match &self.templates[&token.text] {
                    // The call itself asks for it, with the constant's value.
                    of if is_known_later && !of.is_kernel && !of.is_structure => {
                        named(&token.text, &given).into()
                    }
                    _ => self.instance(&token.text, given, token.at)?,
                };
                body.splice(at..inside.end, [Token { text, ..token }]);
            }
            at += 1;
        }
        Ok(())
    }

    /// Makes an instance that the host's code or the command line names.
    fn request(&mut self, wanted: &str) -> Result<(), Error> {
        let words = tokens(wanted, SourceLine::FIRST)?;
        let Some((name, rest)) = words.split_first() else { return Ok(()) };
        let given = arguments(rest, 0).filter(|(_, inside)| inside.end == rest.len());
        let (given, _) = given.ok_or_else(|| {
            Error::outside(Pos::START, &format!("the instance `{wanted}` of a template"))
        })?;
        if self.templates.contains_key(&name.text) {
            self.instance(&name.text, given, Pos::START)?;
        }
        Ok(())
    }

    /// Instantiates each kernel template that is never instantiated and whose parameters all have
    /// defaults.
    fn of_defaults(&mut self) -> Result<(), Error> {
        for (name, template) in self.templates.iter().filter(|(_, template)| template.is_kernel) {
            let is_named = self.open.iter().any(|(open, ..)| std::ptr::eq(*open, template));
            let has_all = template.parameters.iter().all(|one| !one.default.is_empty());
            if has_all && !is_named {
                self.instance(name, Vec::new(), template.tokens[template.name].at)?;
            }
        }
        Ok(())
    }
}

/// Whether a token names a constant that a function among these declares: `constexpr int N = ...`.
fn is_local(body: &[Token], name: &Token) -> bool {
    let mut depth = 0_usize;
    name.kind == TokenClass::Name
        && body.windows(3).any(|three| {
            match &*three[0].text {
                "{" => depth += 1,
                "}" => depth = depth.saturating_sub(1),
                _ => {}
            }
            let is_declared = three[0].kind == TokenClass::Name && three[2].is("=");
            depth > 0
                && is_declared
                && three[1].kind == TokenClass::Name
                && three[1].text == name.text
        })
}

fn named(name: &str, given: &Arguments) -> String {
    let words =
        given.iter().map(|one| one.iter().map(|token| &*token.text).collect::<Vec<_>>().join(" "));
    format!("{name}<{}>", words.collect::<Vec<_>>().join(", "))
}

/// The name of a kernel in the PTX: that of an instance is mangled.
///
/// # Errors
/// An argument that has no mangled form here.
pub(super) fn symbol(name: &str, at: Pos) -> Result<String, Error> {
    let Some((plain, given)) = name.split_once('<') else { return Ok(name.to_owned()) };
    let given = given.trim_end_matches('>').split(", ");
    let mangled = given.map(|argument| mangled(argument).ok_or(argument));
    let mangled = mangled.collect::<Result<String, _>>().map_err(|argument| {
        Error::outside(at, &format!("`{argument}` as an argument of a kernel's template"))
    })?;
    // Itanium C++ ABI, "Mangling", <template-args>.
    Ok(format!("_Z{}{plain}I{mangled}E", plain.len()))
}

/// The types that have a letter of their own in a mangled name.
const LETTERS: [(&str, &str); 22] = [
    ("float", "f"),
    ("double", "d"),
    ("int", "i"),
    ("unsigned", "j"),
    ("unsigned int", "j"),
    ("uint32_t", "j"),
    ("int32_t", "i"),
    ("short", "s"),
    ("unsigned short", "t"),
    ("char", "c"),
    ("unsigned char", "h"),
    ("long long", "x"),
    ("unsigned long long", "y"),
    ("size_t", "m"),
    ("half", "6__half"),
    ("__half", "6__half"),
    ("half2", "7__half2"),
    ("__half2", "7__half2"),
    ("nv_bfloat16", "13__nv_bfloat16"),
    ("__nv_bfloat16", "13__nv_bfloat16"),
    ("nv_bfloat162", "14__nv_bfloat162"),
    ("__nv_bfloat162", "14__nv_bfloat162"),
];

fn mangled(argument: &str) -> Option<String> {
    let of_type = LETTERS.iter().find(|(name, _)| *name == argument);
    if let Some((_, letter)) = of_type {
        return Some((*letter).to_owned());
    }
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    if argument.chars().all(is_name) && argument.starts_with(char::is_alphabetic) {
        let is_truth = ["true", "false"].contains(&argument);
        if !is_truth {
            return Some(format!("{}{argument}", argument.len()));
        }
    }
    match argument {
        "true" => return Some("Lb1E".to_owned()),
        "false" => return Some("Lb0E".to_owned()),
        _ => {}
    }
    let digits = argument.replace(' ', "");
    let plain = digits.trim_start_matches('-').trim_end_matches(['u', 'U', 'l', 'L']);
    let number: u64 = plain.parse().ok()?;
    let sign = if digits.starts_with('-') { "n" } else { "" };
    Some(format!("Li{sign}{number}E"))
}
