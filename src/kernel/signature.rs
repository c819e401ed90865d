//! Reads the names and types of the parameters from a kernel's CUDA source.

use super::entry::{mangled_types, source_name, template_arguments};
use crate::matrix::ElementType;
use cudac::{CudaSource, Lexeme, declared_name, until};

/// What a source says of a parameter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Declaration {
    pub(super) name: String,
    /// The value, as it is written, that the parameter has where a call leaves it out.
    pub(super) default: Option<String>,
    /// The name of its type, where that is one word without a pointer.
    pub(super) type_name: String,
    /// What the elements behind it are declared to be, where it is a pointer to numbers or vectors.
    pub(super) elements: Option<DeclaredElements>,
}

/// What the elements behind a pointer are declared to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct DeclaredElements {
    pub(super) of: ElementType,
    /// How many of them an element has: four for `float4*`.
    pub(super) lanes: u32,
}

/// The words for the types of elements.
const ELEMENTS: [(ElementType, &[&str]); 12] = [
    (ElementType::F32, &["float"]),
    (ElementType::F64, &["double"]),
    (ElementType::F16, &["half", "__half"]),
    (ElementType::Bf16, &["bf16", "nv_bfloat16", "__nv_bfloat16"]),
    (ElementType::I8, &["char", "int8_t"]),
    (ElementType::U8, &["uchar", "uint8_t", "bool", "unsigned char"]),
    (ElementType::I16, &["short", "int16_t"]),
    (ElementType::U16, &["ushort", "uint16_t", "unsigned short"]),
    (ElementType::I32, &["int", "int32_t"]),
    (ElementType::U32, &["unsigned", "uint", "uint32_t"]),
    (ElementType::I64, &["long", "longlong", "int64_t"]),
    (ElementType::U64, &["size_t", "ulonglong", "uint64_t", "unsigned long"]),
];

/// Returns what a source declares the parameters of the kernel to be that the PTX calls `entry`;
/// none if it has no such kernel.
pub(super) fn parameters(text: &str, entry: &str) -> Vec<Declaration> {
    let (source, name) = (CudaSource::read(text), source_name(entry));
    let kernels = source.kernels().filter_map(|kernel| Some((kernel.parameters(name)?, kernel)));
    let kernels: Vec<_> = kernels.collect();
    // What is announced before may leave out the names.
    let length =
        |parameters: &[&[Lexeme<'_>]]| parameters.iter().map(|one| one.len()).sum::<usize>();
    let longest = kernels.iter().rev().max_by_key(|(parameters, _)| length(parameters));
    let Some((parameters, kernel)) = longest else { return Vec::new() };
    let (generic, given) = (kernel.template_parameters(), template_arguments(entry));
    let instance = |word: &str| {
        let place = generic.iter().position(|own| *own == word);
        place.and_then(|place| given.get(place)).map_or_else(|| word.to_owned(), Clone::clone)
    };
    let of = |declaration: &&[Lexeme<'_>]| {
        let written = until(declaration, &["="]);
        let default = declaration
            .get(written.len() + 1..)
            .and_then(|value| Some(text[value.first()?.start..value.last()?.end()].to_owned()));
        let pointer = declaration.iter().position(|one| matches!(one.text, "*" | "["));
        let elements = pointer.and_then(|end| {
            let words = declaration[..end].iter().filter(|one| one.is_word());
            let words: Vec<_> = words.map(|word| instance(word.text)).collect();
            element(&words.join(" "), declaration.iter().any(|one| one.text == "*"))
        });
        Declaration {
            name: declared_name(declaration).unwrap_or_default().to_owned(),
            default,
            type_name: type_name(written),
            elements,
        }
    };
    parameters.iter().map(of).collect()
}

/// The name of a parameter's type, if it is one word without a pointer.
fn type_name(declaration: &[Lexeme<'_>]) -> String {
    let passed = ["const", "struct", "__grid_constant__"];
    let words = declaration.iter().filter(|one| !passed.contains(&one.text));
    match words.collect::<Vec<_>>()[..] {
        [of, name] if of.is_word() && name.is_word() => of.text.to_owned(),
        _ => String::new(),
    }
}

/// Returns what the elements behind the parameters are by the entry point's mangled name, which holds
/// their types; none where it is not mangled.
pub(super) fn mangled_elements(entry: &str) -> Vec<Option<DeclaredElements>> {
    let types = mangled_types(entry);
    types.iter().map(|of| element(of.split_once('*')?.0, true)).collect()
}

/// What an element is that C names so, `float` or `unsigned int`.
pub fn elements_named(words: &str) -> Option<ElementType> {
    element(words, true).map(|declared| declared.of)
}

/// The element that the words before a `*`, or before a name and `[]`, mean.
pub(super) fn element(words: &str, is_pointer: bool) -> Option<DeclaredElements> {
    let passed = ["const", "volatile", "signed", "struct", "__restrict__", ""];
    let words: Vec<_> = words.split(' ').filter(|word| !passed.contains(word)).collect();
    let words = if is_pointer { &words[..] } else { words.split_last()?.1 };
    let (sign, rest) = match words {
        ["unsigned", rest @ ..] => ("unsigned ", rest),
        rest => ("", rest),
    };
    let rest = match rest {
        [first @ ("short" | "long"), ..] => *first,
        [one] => one,
        [] if !sign.is_empty() => "",
        _ => return None,
    };
    let plain = rest.trim_end_matches(['2', '3', '4']);
    let known = |word: &str| ELEMENTS.iter().find(|(_, words)| words.contains(&word));
    let (word, lanes) = match known(rest) {
        Some(_) => (rest, 1),
        None => (plain, rest[plain.len()..].parse().unwrap_or(1)),
    };
    let signed = format!("{sign}{word}");
    let word = if signed == "unsigned int" { "unsigned" } else { signed.trim() };
    known(word).map(|(of, _)| DeclaredElements { of: *of, lanes })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mangled_name_tells_the_types_of_the_pointers() {
        let of = |entry| {
            let all = mangled_elements(entry).into_iter();
            all.map(|one| one.map_or(String::new(), |one| one.of.to_string())).collect::<Vec<_>>()
        };
        assert_eq!(of("_Z4t_i8PKaS0_Piiii"), ["i8", "i8", "i32", "", "", ""]);
        assert_eq!(of("_Z1kPKhPcPj6__halfP6__halfS_IiE"), ["u8", "i8", "u32", "", "f16", ""]);
        assert_eq!(of("plain"), Vec::<String>::new());
    }

    #[test]
    fn the_names_are_those_of_the_definition() {
        let each = |text: &str, entry: &str, of: fn(Declaration) -> String| {
            parameters(text, entry).into_iter().map(of).collect::<Vec<_>>()
        };
        let names = |text: &str, name: &str| each(text, name, |one| one.name);
        let types = |text: &str, name: &str| each(text, name, |one| one.type_name);
        let text = "// matmul(X, Y) is called so\n\
                    void matmul(int host);\n\
                    __global__ void my_matmul(float* P) {}\n\
                    extern \"C\" __global__ void __launch_bounds__(256) matmul (\n  const float *\
                    __restrict__ a, // M x K\n  const float B[], float*C, int M = 3)\n{ matmul(1); }";
        assert_eq!(names(text, "matmul"), ["a", "B", "C", "M"]);
        assert_eq!(names(text, "my_matmul"), ["P"]);
        let announced = "__global__ void k(const Matrix, Matrix);\n__global__ void k(const Matrix A, Matrix B) {}";
        assert_eq!(names(announced, "k"), ["A", "B"]);
        assert_eq!(types(announced, "k"), ["Matrix", "Matrix"]);
        let defaults = each(text, "matmul", |one| one.default.unwrap_or_default());
        assert_eq!(defaults, ["", "", "", "3"]);
        let text = "__global__ void k(const Matrix A, struct M B, Matrix& C, float* D, int n) {}";
        assert_eq!(types(text, "k"), ["Matrix", "M", "", "", "int"]);
        let text = "__global__ void k(const bf16* __restrict__ A, half B[], Other* C, uint32_t* d, float n) {}";
        let of = parameters(text, "k").into_iter().map(|one| Some(one.elements?.of));
        let half = [Some(ElementType::Bf16), Some(ElementType::F16), None];
        assert!(of.eq(half.into_iter().chain([Some(ElementType::U32), None])));
        let text = "template <typename T, int N>\n__global__ void k(const T* a, half2 *b, unsigned int* c, \
                    float4* d, int n, unsigned char e[], Other* f, const unsigned long long* g) {}";
        let shown = |one: Declaration| {
            one.elements.map(|one| format!("{}x{}", one.of, one.lanes)).unwrap_or_default()
        };
        assert_eq!(
            each(text, "_Z1kI6__halfLi4EEvPKT_", shown),
            ["f16x1", "f16x2", "u32x1", "f32x4", "", "u8x1", "", "u64x1"]
        );
        for none in ["other", "mat"] {
            assert!(names(text, none).is_empty(), "{none}");
        }
    }
}
