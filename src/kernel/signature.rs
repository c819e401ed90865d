//! Reads the names and types of the parameters from a kernel's CUDA source.

use super::entry::{mangled_types, source_name, template_arguments};
use crate::matrix::ElementType;

/// Returns the names of the parameters of the `__global__` function `name`, in order; empty if the
/// text has no such function.
pub(super) fn names(text: &str, name: &str) -> Vec<String> {
    let declared = declarations(text, name);
    declared.iter().map(|text| last_word(text)).filter(|name| !name.is_empty()).collect()
}

/// Returns the values that the source gives to parameters which a call leaves out, as they are
/// written.
pub(super) fn defaults(text: &str, name: &str) -> Vec<Option<String>> {
    let default = |declared: &String| {
        let (_, value) = declared.split_once('=')?;
        Some(value.trim().to_owned())
    };
    declarations(text, name).iter().map(default).collect()
}

/// Returns the names of the parameters' types, where they are one word without a pointer.
pub(super) fn types(text: &str, name: &str) -> Vec<String> {
    let of = |declared: &String| {
        let words = declared.split_whitespace();
        let type_name =
            words.filter(|word| !["const", "struct", "__grid_constant__"].contains(word));
        let words: Vec<_> = type_name.collect();
        match words[..] {
            [of, _] if !declared.contains(['*', '&', '[']) => of.to_owned(),
            _ => String::new(),
        }
    };
    declarations(text, name).iter().map(of).collect()
}

/// What the elements behind a pointer are declared to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Declared {
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

/// Returns what the elements behind the parameters of the kernel that the PTX calls `entry` are
/// declared to be, where they are pointers to numbers or vectors.
pub(super) fn elements(text: &str, entry: &str) -> Vec<Option<Declared>> {
    let name = source_name(entry);
    let given = template_arguments(entry);
    let parameters = template_parameters(text, name);
    let of = |declared: &String| {
        let pointer = declared.split_once(['*', '[']).map(|(before, _)| before)?;
        let instance = |word: &str| {
            let place = parameters.iter().position(|own| own == word)?;
            given.get(place).cloned()
        };
        let words = pointer.split(|c: char| !(c.is_alphanumeric() || c == '_'));
        let words = words.map(|word| instance(word).unwrap_or_else(|| word.to_owned()));
        element(&words.collect::<Vec<_>>().join(" "), declared.contains('*'))
    };
    declarations(text, name).iter().map(of).collect()
}

/// Returns what the elements behind the parameters are by the entry point's mangled name, which holds
/// their types; none where it is not mangled.
pub(super) fn mangled_elements(entry: &str) -> Vec<Option<Declared>> {
    let types = mangled_types(entry);
    types.iter().map(|of| element(of.split_once('*')?.0, true)).collect()
}

/// The element that the words before a `*`, or before a name and `[]`, mean.
pub(super) fn element(words: &str, is_pointer: bool) -> Option<Declared> {
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
    known(word).map(|(of, _)| Declared { of: *of, lanes })
}

/// The parameters of the template that a kernel is; none if it is none.
fn template_parameters(text: &str, name: &str) -> Vec<String> {
    let mut before = "";
    for part in text.split("__global__") {
        if part.split(['{', ';']).next().is_some_and(|head| parameters(head, name).is_some()) {
            let start = before.rfind([';', '}']).map_or(0, |at| at + 1);
            let list = before[start..].split_once("template").and_then(|(_, after)| {
                let inside = after.trim_start().strip_prefix('<')?;
                Some(&inside[..inside.rfind('>')?])
            });
            let names = list.unwrap_or_default().split(',').map(last_word);
            return names.collect();
        }
        before = part;
    }
    Vec::new()
}

/// Returns the declarations of the parameters.
fn declarations(text: &str, name: &str) -> Vec<String> {
    let code: Vec<_> = text.lines().map(|line| line.split("//").next().unwrap_or("")).collect();
    let code = code.join("\n");
    let heads = code.split("__global__").skip(1).filter_map(|rest| rest.split(['{', ';']).next());
    let lists = heads.filter_map(|head| parameters(head, name));
    // What is announced before may leave out the names.
    let words = |list: &&str| list.split_whitespace().count();
    let most = lists.clone().map(|list| words(&list)).max().unwrap_or(0);
    let list = lists.into_iter().find(|list| words(list) == most).unwrap_or_default();
    list.split(',').filter(|text| !text.trim().is_empty()).map(str::to_owned).collect()
}

/// Returns the text between the parentheses after the function's name.
fn parameters<'t>(head: &'t str, name: &str) -> Option<&'t str> {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    head.match_indices(name).find_map(|(at, _)| {
        let list = head[at + name.len()..].trim_start().strip_prefix('(')?;
        let whole = !head[..at].ends_with(part);
        whole.then(|| list.rfind(')').map(|end| &list[..end])).flatten()
    })
}

/// Returns `A` for `const float* __restrict__ A` and for `float A[]`.
fn last_word(parameter: &str) -> String {
    let declared = parameter.split(['[', '=']).next().unwrap_or("").trim_end();
    let part = |c: char| c.is_alphanumeric() || c == '_';
    declared.rsplit(|c| !part(c)).next().unwrap_or("").to_owned()
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
        assert_eq!(defaults(text, "matmul"), [None, None, None, Some("3".to_owned())]);
        let text = "__global__ void k(const Matrix A, struct M B, Matrix& C, float* D, int n) {}";
        assert_eq!(types(text, "k"), ["Matrix", "M", "", "", "int"]);
        let text = "__global__ void k(const bf16* __restrict__ A, half B[], Other* C, uint32_t* d, float n) {}";
        let of = elements(text, "k").into_iter().map(|one| one.map(|one| one.of));
        let half = [Some(ElementType::Bf16), Some(ElementType::F16), None];
        assert!(of.eq(half.into_iter().chain([Some(ElementType::U32), None])));
        let text = "template <typename T, int N>\n__global__ void k(const T* a, half2 *b, unsigned int* c, \
                    float4* d, int n, unsigned char e[], Other* f, const unsigned long long* g) {}";
        let all = elements(text, "_Z1kI6__halfLi4EEvPKT_");
        let shown: Vec<_> = all
            .iter()
            .map(|one| one.map(|one| format!("{}x{}", one.of, one.lanes)).unwrap_or_default())
            .collect();
        assert_eq!(shown, ["f16x1", "f16x2", "u32x1", "f32x4", "", "u8x1", "", "u64x1"]);
        for none in ["other", "mat"] {
            assert!(names(text, none).is_empty(), "{none}");
        }
    }
}
