//! CUDA C++ between the fences of a Markdown text.

/// The languages after a fence that mean CUDA, the most certain first; a fence may name none.
const LANGUAGES: [&[&str]; 3] = [&["cuda", "cu"], &["cpp", "c++", "c"], &[""]];

/// The code between the fences of a Markdown text, with blank lines for all else, so that each line
/// keeps its number; `None` if the text has no fence, which C++ has nowhere.
pub fn fenced(text: &str) -> Option<String> {
    let language = |line: &str| {
        let rest = line.trim_start().strip_prefix("```")?;
        Some(rest.split_whitespace().next().unwrap_or("").to_lowercase())
    };
    let opened = text.lines().filter_map(language);
    let opened: Vec<_> = opened.step_by(2).collect();
    let taken = LANGUAGES.into_iter().find(|own| opened.iter().any(|one| own.contains(&&**one)))?;
    let (mut code, mut inside) = (String::new(), None);
    for line in text.lines() {
        match (language(line), inside) {
            (Some(of), None) => inside = Some(taken.contains(&&*of)),
            (Some(_), Some(_)) => inside = None,
            (None, Some(true)) => code.push_str(line),
            (None, _) => {}
        }
        code.push('\n');
    }
    Some(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fences_of_cuda_are_taken_and_lines_keep_their_numbers() {
        let text = "# Mine\n```sh\nls\n```\ntext\n```cuda\nint x;\n```\n";
        assert_eq!(fenced(text).as_deref(), Some("\n\n\n\n\n\nint x;\n\n"));
        assert_eq!(fenced("```\nint x;\n```\n").as_deref(), Some("\nint x;\n\n"));
        assert_eq!(fenced("int x;\n"), None);
        assert_eq!(fenced("```python\nx = 1\n```\n"), None);
    }
}
