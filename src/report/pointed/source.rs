//! What a CUDA source says of its names, as far as that is certain from its text alone.

mod value;

pub(super) use value::{Solved, ThreadCoordinates};

use crate::kernel::{Arg, Problem};
use cudac::{ASSIGN, CudaSource, Lexeme, indices, until};

/// Words beside the keywords that name nothing of the kernel's own.
const LANGUAGE: [&str; 8] =
    ["define", "endif", "half", "ifdef", "ifndef", "include", "pragma", "unroll"];
/// Words of a type, after which a `*` is not a product.
const TYPES: [&str; 8] = ["char", "const", "double", "float", "float4", "half", "int", "void"];
/// Functions that change no argument.
const PURE: [&str; 6] = ["__ldg", "abs", "fmaf", "max", "min", "__syncwarp"];

/// Whether a word is of a type whose values are whole numbers.
fn is_whole(word: &str) -> bool {
    matches!(word, "auto" | "const" | "constexpr" | "int" | "int32_t" | "long" | "signed")
        || matches!(word, "size_t" | "static" | "uint" | "uint32_t" | "unsigned")
}

/// The tokens that can give a name of one function its meaning.
#[derive(Debug)]
pub(super) struct FunctionTokens<'t> {
    tokens: Vec<Lexeme<'t>>,
    defines: Vec<String>,
    /// The parameters of the kernel: names, with the words of their types.
    parameters: Vec<(&'t str, Vec<&'t str>)>,
    args: Vec<Arg>,
}

/// What a name stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Meaning<'t> {
    /// A name that is given its value once, by these tokens.
    Defined(Vec<Lexeme<'t>>),
    /// A macro with this value.
    Macro(String),
    /// A parameter of the kernel, by its number, with the words of its type.
    Parameter(usize, Vec<&'t str>),
    /// A floating-point variable of each thread.
    Float,
    /// A name that is given several values; whether a loop counts it.
    Varies(bool),
    /// Not certain.
    Unknown,
}

impl<'t> FunctionTokens<'t> {
    /// Reads the function around a line, and what stands outside of all functions.
    pub(super) fn around(problem: &Problem, text: &'t str, line: u32) -> Self {
        let text = CudaSource { lexemes: around(CudaSource::read(text).lexemes, line) };
        let parameters = parameters(&text, problem.name());
        let tokens = text.lexemes;
        let (defines, args) = (problem.source.as_ref(), problem.args.clone());
        let defines = defines.map_or_else(Vec::new, |source| source.defines.clone());
        Self { tokens, defines, parameters, args }
    }

    /// Returns what a name stands for.
    pub(super) fn meaning(&self, name: &str) -> Meaning<'t> {
        let given = self.defines.iter().filter_map(|define| define.split_once('='));
        if let Some((_, text)) = given.rev().find(|(of, _)| *of == name) {
            return Meaning::Macro(text.to_owned());
        }
        let uses: Vec<_> = (0..self.tokens.len()).filter(|at| self.names(*at, name)).collect();
        let declared: Vec<_> = uses.iter().copied().filter(|at| self.declares(*at)).collect();
        let [only] = declared[..] else { return Meaning::Unknown };
        let changes = uses.iter().filter(|at| self.changes(**at)).count();
        if self.text(only, -1) == "define" {
            return self.body(only).map_or(Meaning::Unknown, Meaning::Defined);
        }
        let of_kernel = self.parameters.iter().position(|(parameter, _)| *parameter == name);
        if let Some(number) = of_kernel.filter(|_| changes == 0) {
            return Meaning::Parameter(number, self.parameters[number].1.clone());
        }
        let words = self.type_of(only);
        let is_whole = !words.is_empty() && words.iter().all(|word| is_whole(word));
        let array = self.text(only, 1) == "[";
        match (changes, is_whole) {
            _ if array => Meaning::Unknown,
            (1, true) if self.text(only, 1) == "=" => Meaning::Defined(self.initial(only)),
            // A loop counts what only its head changes.
            (1.., true) => Meaning::Varies(changes == 2 && self.is_counted(only)),
            (_, false) if words.iter().any(|word| matches!(*word, "float" | "double")) => {
                Meaning::Float
            }
            _ => Meaning::Unknown,
        }
    }

    /// Returns the value of the kernel's parameter if it is a whole number or a float.
    pub(super) fn argument(&self, number: usize) -> Option<String> {
        let (Arg::Value { bits, bytes: 4 }, words) =
            (self.args.get(number)?, &self.parameters.get(number)?.1)
        else {
            return None;
        };
        if words.contains(&"float") {
            return Some(super::words::value(f32::from_bits(*bits as u32).into()));
        }
        words.iter().all(|word| is_whole(word)).then(|| (*bits as u32 as i32).to_string())
    }

    /// Returns the number of the buffer that a pointer of the kernel's parameters points to.
    pub(super) fn buffer(&self, name: &str) -> Option<usize> {
        let Meaning::Parameter(number, _) = self.meaning(name) else { return None };
        match self.args.get(number)? {
            Arg::Buffer(buffer) => Some(*buffer),
            Arg::Value { .. }
            | Arg::Inside { .. }
            | Arg::Structure(_)
            | Arg::Members { .. }
            | Arg::TensorMap(_)
            | Arg::TensorMapAddress { .. } => None,
        }
    }

    /// Returns the indices of an array where it stands on a line, if it stands there once.
    pub(super) fn indices(&self, line: u32, array: &str) -> Option<Vec<Vec<Lexeme<'t>>>> {
        let here = (0..self.tokens.len()).filter(|at| self.tokens[*at].line == line);
        let mut uses = here.filter(|at| self.names(*at, array));
        let at = uses.next().filter(|_| uses.next().is_none())?;
        let found = indices(&self.tokens[at + 1..])?;
        let found: Vec<_> = found.into_iter().map(<[_]>::to_vec).collect();
        (!found.is_empty()).then_some(found)
    }

    /// Returns the names on a line that have indices.
    pub(super) fn arrays(&self, line: u32) -> Vec<Lexeme<'t>> {
        let pairs = self.tokens.windows(2);
        let here = pairs.filter(|pair| pair[0].line == line && pair[0].is_word());
        here.filter(|pair| pair[1].text == "[").map(|pair| pair[0]).collect()
    }

    /// Whether something is added to what stands here.
    pub(super) fn adds(&self, token: Lexeme<'_>) -> bool {
        let at = self.tokens.iter().position(|other| other.start == token.start);
        at.is_some_and(|at| self.text(at, 1) == "+=")
    }

    /// Whether this is the only name to which something is added.
    pub(super) fn is_sum(&self, name: &str) -> bool {
        let adds = self.tokens.windows(2).filter(|pair| pair[0].is_word() && pair[1].text == "+=");
        let mut names: Vec<_> = adds.map(|pair| pair[0].text).collect();
        names.dedup();
        names == [name]
    }

    /// The text of the token so many places from this one; empty outside.
    fn text(&self, at: usize, by: isize) -> &'t str {
        let at = at.checked_add_signed(by);
        at.and_then(|at| self.tokens.get(at)).map_or("", |token| token.text)
    }

    /// Whether this name stands here, and not as the member of something.
    fn names(&self, at: usize, name: &str) -> bool {
        self.tokens[at].text == name && !matches!(self.text(at, -1), "." | "->")
    }

    /// Whether a name is declared here: after a type, or after a comma of such a declaration.
    fn declares(&self, at: usize) -> bool {
        let before = self.tokens.get(at.wrapping_sub(1));
        match before {
            Some(token) if token.text == "define" => true,
            Some(token) if token.is_word() => !matches!(
                token.text,
                "return"
                    | "else"
                    | "case"
                    | "goto"
                    | "sizeof"
                    | "ifndef"
                    | "ifdef"
                    | "if"
                    | "undef"
            ),
            Some(Lexeme { text: "*" | "&", .. }) => TYPES.contains(&self.text(at, -2)),
            Some(Lexeme { text: "," | ">", .. }) => {
                self.text(at, 1) == "=" && !self.type_of(at).is_empty()
            }
            _ => false,
        }
    }

    /// Whether a name is given a value here, its address is taken, or a function that may change it
    /// is called with it.
    fn changes(&self, at: usize) -> bool {
        let (before, after) = (self.text(at, -1), self.text(at, 1));
        ASSIGN.contains(&after)
            || [before, after].iter().any(|text| matches!(*text, "++" | "--"))
            || before == "&" && matches!(self.text(at, -2), "(" | "," | "=")
            || matches!(before, "(" | ",") && matches!(after, ")" | ",") && self.is_given(at)
    }

    /// Whether this is an argument of an unknown function, or an operand of an `asm`.
    fn is_given(&self, at: usize) -> bool {
        let mut depth = 0;
        let open = (0..at).rev().find(|at| {
            match self.tokens[*at].text {
                ")" | "]" => depth += 1,
                "(" | "[" => depth -= 1,
                _ => {}
            }
            depth < 0
        });
        let called = open.and_then(|open| self.tokens.get(open.checked_sub(1)?));
        called.is_some_and(|called| {
            let known = is_of_language(called) || PURE.contains(&called.text);
            called.is_word() && !known || called.text.starts_with('"')
        })
    }

    /// Returns the words of the type with which a declaration begins.
    fn type_of(&self, at: usize) -> Vec<&'t str> {
        let mut depth = 0;
        let begins = |token: &&Lexeme<'_>| {
            match token.text {
                ")" | "]" => depth += 1,
                "(" | "[" if depth > 0 => depth -= 1,
                "(" | "[" | ";" | "{" | "}" => return false,
                _ => {}
            }
            true
        };
        let count = self.tokens[..at].iter().rev().take_while(begins).count();
        let words = self.tokens[at - count..at].iter().take_while(|token| token.is_word());
        let mut words: Vec<_> = words.map(|token| token.text).collect();
        if words.len() < count {
            // The last word is the first of several names, or belongs to a pointer's type.
            let points = matches!(self.text(at, -1), "*" | "&");
            words.pop();
            words.extend(points.then_some("*"));
        }
        words
    }

    /// Whether it is declared in the head of a loop.
    fn is_counted(&self, at: usize) -> bool {
        let head = self.tokens[..at].iter().rev().take(5);
        let words: Vec<_> = head.take_while(|token| token.text != ";").map(|t| t.text).collect();
        words.windows(2).any(|pair| pair == ["(", "for"])
    }

    /// Returns the expression after `name =`.
    fn initial(&self, at: usize) -> Vec<Lexeme<'t>> {
        until(&self.tokens[at + 2..], &[",", ";"]).to_vec()
    }

    /// Returns the body of the macro that is defined here, unless it takes arguments.
    fn body(&self, at: usize) -> Option<Vec<Lexeme<'t>>> {
        let name = self.tokens[at];
        let body =
            self.tokens[at + 1..].iter().take_while(|token| token.directive == name.directive);
        let body: Vec<_> = body.copied().collect();
        let first = body.first()?;
        let takes = first.text == "(" && first.start == name.end();
        (!takes).then_some(body)
    }
}

/// Returns the text of a kernel's own source, if that is CUDA C++, whose names can be pointed at.
pub fn cuda(problem: &Problem) -> Option<&str> {
    let source = problem.source.as_ref()?;
    let (_, extension) = source.file.rsplit_once('.')?;
    ["cu", "cuh", "h", "hpp", "cpp"].contains(&extension).then_some(&*source.text)
}

/// The names that a kernel gives to the indices of its thread along x and y, in the function around a
/// line of its source.
pub fn thread_names(problem: &Problem, line: u32) -> Option<[&str; 2]> {
    let function = FunctionTokens::around(problem, cuda(problem)?, line);
    let of = |axis: &str| {
        let is_given = |tokens: &&[Lexeme<'_>]| {
            let given = ["=", "threadIdx", ".", axis];
            tokens[1..].iter().map(|token| token.text).eq(given)
        };
        let name = function.tokens.windows(5).find(is_given)?[0].text;
        let whole = |body: &Vec<Lexeme<'_>>| body.len() == 3;
        matches!(function.meaning(name), Meaning::Defined(body) if whole(&body)).then_some(name)
    };
    Some([of("x")?, of("y")?])
}

/// Returns the names on a line that can be pointed at, as (place in the line, name).
pub fn names(text: &str, line: u32) -> Vec<(usize, &str)> {
    pointable(text, line).into_iter().map(|token| (token.at, token.text)).collect()
}

/// Returns the names on a line that can be pointed at.
pub(super) fn pointable(text: &str, line: u32) -> Vec<Lexeme<'_>> {
    let mut tokens = CudaSource::read(text).lexemes;
    tokens.retain(|token| token.line == line);
    let is_member = |at: usize| at > 0 && matches!(tokens[at - 1].text, "." | "->");
    let named = tokens.iter().enumerate();
    let named =
        named.filter(|(at, token)| token.is_word() && !is_of_language(token) && !is_member(*at));
    named.map(|(_, token)| *token).collect()
}

fn is_of_language(token: &Lexeme<'_>) -> bool {
    token.is_keyword() || LANGUAGE.contains(&token.text)
}

/// Returns the names of a kernel's parameters, each with the words of its type.
fn parameters<'t>(text: &CudaSource<'t>, kernel: &str) -> Vec<(&'t str, Vec<&'t str>)> {
    let list = text.kernels().find_map(|one| one.parameters(kernel)).unwrap_or_default();
    let words = list.into_iter().map(|tokens| {
        let tokens = until(tokens, &["=", "["]);
        let mut words: Vec<_> = tokens.iter().map(|token| token.text).collect();
        (words.pop().unwrap_or_default(), words)
    });
    words.collect()
}

/// Keeps the function that contains a line, the directives, and what stands outside of functions.
fn around(tokens: Vec<Lexeme<'_>>, line: u32) -> Vec<Lexeme<'_>> {
    let (mut kept, code): (Vec<_>, Vec<_>) =
        tokens.into_iter().partition(|token| token.directive.is_some());
    let mut depth = 0_i32;
    let parts = code.split_inclusive(|token| {
        depth += i32::from(token.text == "{") - i32::from(token.text == "}");
        depth <= 0 && matches!(token.text, ";" | "}")
    });
    for part in parts {
        let lines = part.first().zip(part.last());
        let here = lines.is_some_and(|(first, last)| (first.line..=last.line).contains(&line));
        // Unless it is a function elsewhere.
        if here || part.iter().all(|token| token.text != "{") {
            kept.extend(part);
        }
    }
    kept.sort_by_key(|token| token.start);
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::find;
    use crate::launch::Dim3;
    use crate::matrix::Size;

    /// Reads a kernel of two blocks of 16 x 16 threads, called with these arguments.
    fn read(text: &str) -> FunctionTokens<'_> {
        let problem = find("tiled").expect("a kernel").problem_for(Size::square(32));
        FunctionTokens::around(&problem, text, 5)
    }

    fn value(text: &str, name: &str) -> Option<i64> {
        let shape = (Dim3::flat(2, 2), Dim3::flat(16, 16));
        let (block, thread) = (Some(Dim3::at(1, 0)), Some(Dim3::at(3, 2)));
        read(text).value(name, ThreadCoordinates { block, thread, shape }, None)
    }

    const HEAD: &str = "#define SIDE (4 * 2)\nint out() { int a = 3; }\n\
                        __global__ void tiled(const float* A, const float* B, float* C, int M, int N, int K)\n{\n";

    #[test]
    fn a_name_with_one_definition_has_its_value() {
        let text = format!(
            "{HEAD}int a = threadIdx.x + SIDE, b = a * 2; unsigned c = blockIdx.x * blockDim.y;\n\
             int d = K > c ? b / 4 : M; // int a = 7;\n}}"
        );
        let of = |name| value(&text, name);
        assert_eq!(["SIDE", "a", "b", "c", "d", "K"].map(of), [8, 11, 22, 16, 5, 32].map(Some));
    }

    #[test]
    fn what_is_not_certain_has_no_value() {
        let text = format!(
            "{HEAD}int a = 1; a += 2; int b = 3; {{ int b = 4; }} float c = 5; int d = f(1);\n\
             int e = threadIdx.x - 4; int* g = 0; int h = 1; scan(&h); int i = a; short j = 70000;\n\
             int l = 1; change(2, l); int o = 1; asm(\"mov\" : \"=r\"(o));\n}}"
        );
        for name in ["a", "b", "c", "d", "e", "g", "h", "i", "j", "l", "o", "A", "x"] {
            assert_eq!(value(&text, name), None, "{name}");
        }
    }

    #[test]
    fn an_index_tells_the_value_of_the_only_name_that_is_not_known() {
        let text =
            format!("{HEAD}for (int k = 0; k < K; ++k) s += A[2 * K + 3 * k + 1] + B[k % 4];\n}}");
        let (source, shape) = (read(&text), (Dim3::flat(2, 2), Dim3::flat(16, 16)));
        let place = ThreadCoordinates { block: None, thread: None, shape };
        let index = |name| source.indices(5, name).expect("indices").remove(0);
        assert_eq!(source.solve(&index("A"), 64 + 21 + 1, place), Some(("k".to_owned(), 7)));
        assert_eq!(source.solve(&index("A"), 64 + 20 + 1, place), None);
        assert_eq!(source.solve(&index("B"), 3, place), None);
        assert_eq!(source.meaning("k"), Meaning::Varies(true));
    }

    #[test]
    fn names_that_can_be_pointed_at_are_those_of_the_code() {
        let line = "  for (int k = 0; k < n.x; ++k) /* why */ a[k] = \"b\"; // and c";
        let found: Vec<_> = names(line, 1).into_iter().map(|(_, name)| name).collect();
        assert_eq!(found, ["k", "k", "n", "k", "a", "k"]);
    }
}
