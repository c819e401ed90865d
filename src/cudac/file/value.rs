//! What an expression of the host comes to: constants, macros, sizes, `dim3`.

use super::CudaFile;
use super::item::{Item, ItemKind, closed, has_word, is_part, opening, words};
use crate::ast::{Expr, ExprKind};
use crate::source::expression::apply;
use crate::types::Type;
use crate::{parse, preprocess};
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;

/// How deep names may refer to one another.
pub(super) const DEEPEST: u32 = 16;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum HostValue {
    /// A whole number or a truth.
    Int(i64),
    /// A number with a fraction.
    Float(f64),
    Shape([i64; 3]),
}

impl HostValue {
    fn float(self) -> Option<f64> {
        match self {
            Self::Int(value) => Some(value as f64),
            Self::Float(value) => Some(value),
            Self::Shape(_) => None,
        }
    }

    fn int(self) -> Option<i64> {
        match self {
            Self::Int(value) => Some(value),
            Self::Float(value) => Some(value as i64),
            Self::Shape(_) => None,
        }
    }

    /// As a `dim3`: a number is its x.
    pub(super) fn shape(self) -> Option<[i64; 3]> {
        match self {
            Self::Shape(shape) => Some(shape),
            other => Some([other.int()?, 1, 1]),
        }
    }
}

/// The place of an expression: what its names mean there.
#[derive(Clone, Copy)]
pub(super) struct NameScope<'f> {
    pub file: &'f CudaFile,
    /// The namespace in which it stands: `outer::inner`.
    pub space: &'f str,
    /// The text of the function up to the expression, without comments.
    pub before: &'f str,
    /// The values of names that are sizes of the matrices.
    pub size: &'f dyn Fn(&str) -> Option<i64>,
    /// The values that the user gives to names.
    pub known: &'f dyn Fn(&str) -> Option<i64>,
    /// The arguments of the function whose result is computed.
    pub given: &'f [(String, HostValue)],
    /// How many names refer to one another here.
    pub depth: u32,
    /// What is known of all lookups together.
    pub looked: &'f Lookups<'f>,
}

/// What is known of the lookups for a launch.
#[derive(Debug)]
pub(super) struct Lookups<'f> {
    /// How many more names are looked up: a name may be defined by itself, again and again.
    budget: Cell<u32>,
    /// Names whose constants are compiled into the kernel: no size of a run changes them.
    compiled_in: BTreeSet<&'f str>,
    /// The constants in whose place a size of this run was taken.
    resized: RefCell<Vec<Resized>>,
}

/// A constant of the host's code that is larger than this run's size, which was taken instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resized {
    pub name: String,
    pub from: i64,
    /// The size of this run.
    pub to: i64,
}

/// How many names are looked up at most for a launch.
const BUDGET: u32 = 2000;

impl<'f> Lookups<'f> {
    /// Nothing has been looked up.
    pub(super) fn new(compiled_in: BTreeSet<&'f str>) -> Self {
        Self { budget: Cell::new(BUDGET), compiled_in, resized: RefCell::default() }
    }

    /// The constants in whose place a size was taken.
    pub(super) fn resized(&self) -> Vec<Resized> {
        self.resized.borrow().clone()
    }

    /// The size of this run for a constant of the host's that is larger, or that differs and always
    /// gives way; otherwise the constant.
    fn fitted(&self, name: &str, own: HostValue, size: i64, always: bool) -> HostValue {
        let from = match own {
            HostValue::Int(from) => from,
            // `const int N = 1e8;`
            HostValue::Float(from) if from.fract() == 0.0 => from as i64,
            HostValue::Float(_) | HostValue::Shape(_) => return own,
        };
        if from == size || from < size && !always {
            return own;
        }
        let mut resized = self.resized.borrow_mut();
        if !resized.iter().any(|one| one.name == name) {
            resized.push(Resized { name: name.to_owned(), from, to: size });
        }
        HostValue::Int(size)
    }
}

impl<'f> NameScope<'f> {
    /// The value of an expression, if it is known before the program runs.
    pub(super) fn value(&self, text: &str) -> Option<HostValue> {
        let text = text.trim();
        if let Some(list) = text.strip_prefix('{') {
            return self.list(list.trim_end().strip_suffix('}')?);
        }
        self.eval(&self.expression(text)?)
    }

    fn list(&self, list: &str) -> Option<HostValue> {
        let mut shape = [1; 3];
        for (side, text) in shape.iter_mut().zip(split(list)) {
            *side = self.value(text)?.int()?;
        }
        Some(HostValue::Shape(shape))
    }

    fn expression(&self, text: &str) -> Option<Expr> {
        self.expression_but(text, &|name| self.known_as(name).or(self.size_of(name)).is_some())
    }

    /// An expression in which the macros of these names are not replaced.
    fn expression_but(&self, text: &str, stays: &dyn Fn(&str) -> bool) -> Option<Expr> {
        let text = without_casts(&self.sized(&text.replace("std::", "")));
        // A file comes after the headers that it includes.
        let parts = self.file.parts.iter().skip(1).chain(self.file.parts.first());
        let lines = parts.flat_map(|part| part.items.iter().map(move |item| (part, item)));
        let lines = lines.filter(|(_, item)| item.kind == ItemKind::Directive);
        let lines: Vec<_> = lines.map(|(part, item)| part.text(item)).collect();
        let tokens = preprocess::expression(&text, &lines, &self.file.defines, stays).ok()?;
        parse::expression(&tokens).ok()
    }

    /// The size of this run that a name of the host's stands for; none for one that is compiled into
    /// the kernel, or that the command line defines.
    fn size_of(&self, name: &str) -> Option<i64> {
        let defined = |define: &String| define.split('=').next() == Some(name);
        let is_fixed = self.looked.compiled_in.contains(name)
            || self.file.defines.iter().any(defined)
            || self.is_bytes(name);
        (self.size)(name).filter(|_| !is_fixed)
    }

    /// The value that the user gives to a name that is not compiled into the kernel.
    fn known_as(&self, name: &str) -> Option<i64> {
        (self.known)(name).filter(|_| !self.looked.compiled_in.contains(name))
    }

    /// Whether a name of the function counts bytes or elements: `size_t size = N * sizeof(float);`,
    /// `int size = M * N;`
    fn is_bytes(&self, name: &str) -> bool {
        let counts = |value: &str| {
            let is_product = value.contains('*') && words(value).next().is_some();
            value.contains("sizeof") || is_product && name.len() > 1
        };
        places(self.before, name).any(|at| {
            let rest = self.before[at + name.len()..].trim_start();
            let value = rest.strip_prefix(['=', '{']).filter(|rest| !rest.starts_with('='));
            value.is_some_and(|value| counts(until_end(value)))
        })
    }

    fn eval(&self, expr: &Expr) -> Option<HostValue> {
        Some(match &expr.kind {
            ExprKind::Int(value, _) => HostValue::Int(*value),
            ExprKind::Float(value, _) => HostValue::Float(*value),
            ExprKind::Name(name) => return self.named(name),
            ExprKind::Member(of, side) => {
                let shape = self.eval(of)?.shape()?;
                HostValue::Int(shape[["x", "y", "z"].iter().position(|own| **own == **side)?])
            }
            ExprKind::Call(name, arguments) => return self.call(name, arguments),
            ExprKind::Unary('-', inner) => match self.eval(inner)? {
                HostValue::Int(value) => HostValue::Int(value.checked_neg()?),
                HostValue::Float(value) => HostValue::Float(-value),
                HostValue::Shape(_) => return None,
            },
            ExprKind::Unary('+', inner) => return self.eval(inner),
            ExprKind::Binary(sign, left, right) => {
                return binary(sign, self.eval(left)?, self.eval(right)?);
            }
            // `<<<(8, 8), 16>>>` is 8 blocks: in C++ the last one counts.
            ExprKind::Comma(_, last) => return self.eval(last),
            ExprKind::Choice(condition, yes, no) => {
                let holds = self.eval(condition)?.int()? != 0;
                return self.eval(if holds { yes } else { no });
            }
            ExprKind::Cast(Type::Scalar(to), inner) => {
                let value = self.eval(inner)?;
                if to.is_float() {
                    HostValue::Float(value.float()?)
                } else {
                    HostValue::Int(value.int()?)
                }
            }
            _ => return None,
        })
    }

    fn call(&self, name: &str, arguments: &[Expr]) -> Option<HostValue> {
        let values = arguments.iter().map(|one| self.eval(one)).collect::<Option<Vec<_>>>()?;
        let both = |takes_left: fn(f64, f64) -> bool| {
            let [left, right] = values[..] else { return None };
            Some(if takes_left(left.float()?, right.float()?) { left } else { right })
        };
        match (name, &values[..]) {
            ("dim3", []) => Some(HostValue::Shape([1; 3])),
            ("dim3", _) => {
                let mut shape = [1; 3];
                for (side, value) in shape.iter_mut().zip(&values) {
                    *side = value.int()?;
                }
                Some(HostValue::Shape(shape))
            }
            ("ceil" | "ceilf", [value]) => Some(HostValue::Float(value.float()?.ceil())),
            ("floor" | "floorf", [value]) => Some(HostValue::Float(value.float()?.floor())),
            ("min", _) => both(|left, right| left <= right),
            ("max", _) => both(|left, right| left >= right),
            _ => self.of_function(name, &values),
        }
    }

    /// What a function of the host returns at its end, if that is known.
    fn of_function(&self, name: &str, values: &[HostValue]) -> Option<HostValue> {
        let text = self.file.text_of(name, ItemKind::Function, self.space)?;
        let open = text.find('(')?;
        let close = closed(text, open)?;
        let names = split(&text[open + 1..close - 1]).map(|one| words(one).last().unwrap_or(""));
        let given: Vec<_> = names.map(str::to_owned).zip(values.iter().copied()).collect();
        let body = text[close..].trim_start().strip_prefix('{')?;
        // Another way out may return something else.
        let at = places(body, "return").next()?;
        let is_only = places(body, "return").nth(1).is_none();
        let result = is_only.then(|| body[at + "return".len()..].split(';').next()).flatten()?;
        self.deeper(|scope| NameScope { given: &given, before: &body[..at], ..scope }.value(result))
    }

    fn deeper<T>(&self, inner: impl FnOnce(NameScope<'_>) -> Option<T>) -> Option<T> {
        let depth = self.depth + 1;
        (depth < DEEPEST).then(|| inner(NameScope { depth, ..*self })).flatten()
    }

    fn named(&self, name: &str) -> Option<HostValue> {
        self.looked.budget.set(self.looked.budget.get().checked_sub(1)?);
        if let Some((_, value)) = self.given.iter().find(|(own, _)| own == name) {
            return Some(*value);
        }
        if let Some(known) = self.known_as(name) {
            return Some(HostValue::Int(known));
        }
        let size = self.size_of(name);
        if let Some(own) = self.constant(name, size.is_some()) {
            let fitted = |size| self.looked.fitted(name, own, size, self.is_of_matrices(name));
            return Some(size.map_or(own, fitted));
        }
        let is_fixed = || self.is_fixed(name) || self.is_bytes(name);
        let size = size.or_else(|| (self.size)(name).filter(|_| !is_fixed()));
        let Some(size) = size else { return self.defined(name, self.before) };
        if let Some(own) = self.defined(name, self.before) {
            self.looked.fitted(name, own, size, false);
        }
        Some(HostValue::Int(size))
    }

    /// The value of a constant: a macro, one outside functions, or one of the function that is known
    /// to the compiler.
    fn constant(&self, name: &str, is_size: bool) -> Option<HostValue> {
        let is_it = |item: &Item| item.kind == ItemKind::Other && item.declares(name);
        let constants = self.file.items().filter(|(_, item)| is_it(item));
        let constants = constants.map(|(part, item)| part.text(item));
        let mut constants = constants.filter(|text| words(text).any(|w| w.starts_with("const")));
        constants
            .find_map(|text| self.defined(name, text))
            .or_else(|| is_size.then(|| self.of_macro(name)).flatten())
            .or_else(|| self.is_fixed(name).then(|| self.defined(name, self.before)).flatten())
    }

    /// What a macro stands for that is left in expressions, since it is called like a size.
    fn of_macro(&self, name: &str) -> Option<HostValue> {
        let expression =
            self.expression_but(name, &|other| other != name && self.size_of(other).is_some())?;
        let is_itself = matches!(&expression.kind, ExprKind::Name(own) if **own == *name);
        (!is_itself).then(|| self.deeper(|scope| scope.eval(&expression))).flatten()
    }

    /// Whether a name is M, N or K, beside the others: a smaller one is an example of the host's, and
    /// no count of something else.
    fn is_of_matrices(&self, name: &str) -> bool {
        let all = [["M", "m"], ["N", "n"], ["K", "k"]];
        let is_defined = |name: &str| self.defined(name, self.before).is_some();
        all.iter().any(|names| names.contains(&name))
            && all.iter().all(|names| names.iter().any(|name| is_defined(name)))
    }

    /// Whether the place can be reached: no `if` around it is known to go the other way.
    pub(super) fn is_reached(&self) -> bool {
        let mut depth = 0_usize;
        for (at, byte) in self.before.bytes().enumerate().rev() {
            match byte {
                b'}' => depth += 1,
                b'{' if depth == 0 => {
                    let head = self.before[..at].trim_end();
                    let chosen = match head.strip_suffix("else").map(str::trim_end) {
                        Some(rest) => rest
                            .strip_suffix('}')
                            .and_then(|text| Some((opening(text, *b"{}")?, false))),
                        None => Some((head.len(), true)),
                    };
                    let is_other = chosen.is_some_and(|(end, wanted)| {
                        let holds = self.condition(self.before[..end].trim_end());
                        holds.is_some_and(|holds| holds != wanted)
                    });
                    if is_other {
                        return false;
                    }
                }
                b'{' => depth -= 1,
                _ => {}
            }
        }
        true
    }

    /// Whether the condition holds of the `if (...)` at the end of a text, where that is known.
    fn condition(&self, text: &'f str) -> Option<bool> {
        let inside = text.strip_suffix(')')?;
        let open = opening(inside, *b"()")?;
        let before = inside[..open].trim_end();
        let is_if = before.ends_with("if") && words(before).last() == Some("if");
        let scope = NameScope { before: &self.before[..open], ..*self };
        let value = is_if.then(|| scope.value(&inside[open + 1..])).flatten()?;
        Some(value.int()? != 0)
    }

    /// Whether a name of the function is a constant for the compiler: kernels can be made for it.
    fn is_fixed(&self, name: &str) -> bool {
        places(self.before, name).any(|at| {
            let before = &self.before[..at];
            let statement = before.rfind([';', '{', '}']).map_or(before, |at| &before[at + 1..]);
            has_word(statement, "constexpr")
        })
    }

    /// The last value that a text gives to a name and that is known.
    fn defined(&self, name: &str, text: &'f str) -> Option<HostValue> {
        let places: Vec<_> = places(text, name).collect();
        let of = |at: usize| {
            let rest = &text[at + name.len()..];
            let scope = NameScope { before: &text[..at], ..*self };
            scope.deeper(|scope| scope.initial(&text[..at], rest))
        };
        let value = places.iter().rev().find_map(|at| of(*at))?;
        let HostValue::Shape(mut shape) = value else { return Some(value) };
        // `grid.x = ...;` after it.
        for at in places {
            let Some(rest) = text[at + name.len()..].trim_start().strip_prefix('.') else {
                continue;
            };
            let Some((side, rest)) = rest.trim_start().split_at_checked(1) else { continue };
            let side = ["x", "y", "z"].iter().position(|own| *own == side);
            let given = rest.trim_start().strip_prefix('=').filter(|rest| !rest.starts_with('='));
            if let (Some(side), Some(given)) = (side, given) {
                let scope = NameScope { before: &text[..at], ..*self };
                shape[side] = scope.deeper(|scope| scope.value(until_end(given)))?.int()?;
            }
        }
        Some(HostValue::Shape(shape))
    }

    /// The value in a declaration or an assignment, of which `rest` stands after the name.
    fn initial(&self, before: &str, rest: &str) -> Option<HostValue> {
        let statement = before.rfind([';', '{', '}']).map_or(before, |at| &before[at + 1..]);
        let is_shape = has_word(statement, "dim3");
        let rest = rest.trim_start();
        if let Some(value) = rest.strip_prefix('=').filter(|rest| !rest.starts_with('=')) {
            return self.value(until_end(value));
        }
        if is_shape && rest.starts_with(['(', '{']) {
            let end = closed(rest, 0)?;
            return self.list(&rest[1..end - 1]);
        }
        // `constexpr int TILE{16};`
        if rest.starts_with('{') && words(statement).count() > 0 {
            let end = closed(rest, 0)?;
            return self.value(&rest[1..end - 1]);
        }
        // What a parameter holds is known to the caller alone.
        let is_parameter = statement.matches('(').count() > statement.matches(')').count();
        let is_declared = is_shape && !is_parameter && rest.starts_with([';', ',']);
        is_declared.then_some(HostValue::Shape([1; 3]))
    }
}

/// Where a word stands in a text.
pub(super) fn places<'t>(text: &'t str, word: &'t str) -> impl Iterator<Item = usize> + 't {
    text.match_indices(word).map(|(at, _)| at).filter(move |at| {
        let before = text[..*at].trim_end();
        // A member of something else is another name.
        let is_member = before.ends_with('.') || before.ends_with("->");
        let is_whole = !text[..*at].ends_with(is_part);
        is_whole && !is_member && !text[at + word.len()..].starts_with(is_part)
    })
}

/// The text up to the comma or semicolon that ends a first value.
pub(super) fn until_end(text: &str) -> &str {
    &text[..outside(text, |byte, depth| byte == b';' || depth == 0 && byte == b',')]
}

/// The place of the first byte of which this holds, with the brackets that are open there, or the end.
fn outside(text: &str, ends: impl Fn(u8, i32) -> bool) -> usize {
    let mut depth = 0_i32;
    let end = text.bytes().position(|byte| {
        depth += i32::from(matches!(byte, b'(' | b'[' | b'{'));
        depth -= i32::from(matches!(byte, b')' | b']' | b'}'));
        ends(byte, depth)
    });
    end.unwrap_or(text.len())
}

/// The parts between the commas outside brackets; none of an empty text.
pub(super) fn split(text: &str) -> impl Iterator<Item = &str> + Clone {
    let mut rest = Some(text).filter(|text| !text.trim().is_empty());
    std::iter::from_fn(move || {
        let own = rest?;
        let end = outside(own, |byte, depth| depth == 0 && byte == b',');
        rest = own.get(end + 1..);
        Some(own[..end].trim())
    })
}

/// Names of integer types, the longer of two with the same end first.
const INTEGERS: [&str; 8] = [
    "cuuint64_t",
    "cuuint32_t",
    "uint64_t",
    "uint32_t",
    "int64_t",
    "int32_t",
    "size_t",
    "std::size_t",
];

/// A text without casts to the integer types that only headers declare: they change nothing here.
fn without_casts(text: &str) -> String {
    let mut text = text.to_owned();
    for name in INTEGERS {
        text = text.replace(&format!("({name})"), "");
        text = text.replace(&format!("static_cast<{name}>("), "(");
        text = text.replace(&format!("{name}("), "(");
    }
    text
}

fn binary(sign: &str, left: HostValue, right: HostValue) -> Option<HostValue> {
    let (HostValue::Int(a), HostValue::Int(b)) = (left, right) else {
        let (a, b) = (left.float()?, right.float()?);
        return Some(match sign {
            "+" => HostValue::Float(a + b),
            "-" => HostValue::Float(a - b),
            "*" => HostValue::Float(a * b),
            "/" => HostValue::Float(a / b),
            _ => return None,
        });
    };
    let exact = apply(sign, &[a.into(), b.into()]).ok()?;
    exact.try_into().ok().map(HostValue::Int)
}
