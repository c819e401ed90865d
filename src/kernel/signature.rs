//! Reads the parameter names from a kernel's CUDA source.

use crate::matrix::ElementType;

/// Returns the names of the parameters of the `__global__` function `name`, in order; empty if the
/// text has no such function.
pub(super) fn names(text: &str, name: &str) -> Vec<String> {
    let declared = declarations(text, name);
    declared.iter().map(|text| last_word(text)).filter(|name| !name.is_empty()).collect()
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

/// Returns which parameters are pointers to integers without a sign, as their type says.
pub(super) fn unsigned(text: &str, name: &str) -> Vec<bool> {
    const NAMES: [&str; 9] = [
        "unsigned", "uint", "ushort", "ulong", "uint16_t", "uint32_t", "uint64_t", "size_t",
        "u_int",
    ];
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let of = |declared: &String| {
        let mut words = declared.split(|c| !is_part(c));
        declared.contains(['*', '[']) && words.any(|word| NAMES.contains(&word))
    };
    declarations(text, name).iter().map(of).collect()
}

/// Returns the types of the elements that the parameters point to, where they are declared by a
/// usual name.
pub(super) fn elements(text: &str, name: &str) -> Vec<Option<ElementType>> {
    let of = |declared: &String| {
        let (of, _) = declared.split_once(['*', '['])?;
        let words =
            of.split_whitespace().filter(|word| !["const", "struct", "volatile"].contains(word));
        match words.last()? {
            "float" => Some(ElementType::F32),
            "double" => Some(ElementType::F64),
            "half" | "__half" => Some(ElementType::F16),
            "bf16" | "__nv_bfloat16" | "nv_bfloat16" => Some(ElementType::Bf16),
            _ => None,
        }
    };
    declarations(text, name).iter().map(of).collect()
}

/// Returns the declarations of the parameters.
fn declarations(text: &str, name: &str) -> Vec<String> {
    let code: Vec<_> = text.lines().map(|line| line.split("//").next().unwrap_or("")).collect();
    let code = code.join("\n");
    let heads = code.split("__global__").skip(1).filter_map(|rest| rest.split(['{', ';']).next());
    let mut lists = heads.filter_map(|head| parameters(head, name));
    let list = lists.next().unwrap_or_default();
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
    fn the_names_are_those_of_the_definition() {
        let text = "// matmul(X, Y) is called so\n\
                    void matmul(int host);\n\
                    __global__ void my_matmul(float* P) {}\n\
                    extern \"C\" __global__ void __launch_bounds__(256) matmul (\n  const float *\
                    __restrict__ a, // M x K\n  const float B[], float*C, int M = 3)\n{ matmul(1); }";
        assert_eq!(names(text, "matmul"), ["a", "B", "C", "M"]);
        assert_eq!(names(text, "my_matmul"), ["P"]);
        let text = "__global__ void k(const Matrix A, struct M B, Matrix& C, float* D, int n) {}";
        assert_eq!(types(text, "k"), ["Matrix", "M", "", "", "int"]);
        let text = "__global__ void k(const unsigned* a, uint32_t *b, unsigned int c[], unsigned n, int* d) {}";
        assert_eq!(unsigned(text, "k"), [true, true, true, false, false]);
        let text = "__global__ void k(const bf16* __restrict__ A, half B[], int* C, float n) {}";
        let found = elements(text, "k");
        assert_eq!(found, [Some(ElementType::Bf16), Some(ElementType::F16), None, None]);
        for none in ["other", "mat"] {
            assert!(names(text, none).is_empty(), "{none}");
        }
    }
}
