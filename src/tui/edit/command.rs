//! The user's editor: its command, and how it is told the line.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

/// How an editor is told the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LineArg {
    /// `+34 FILE`
    Plus,
    /// `FILE:34`
    Colon,
    /// `-w -g FILE:34`, which also makes it wait until the file is closed.
    Goto,
    /// `FILE` alone.
    None,
}

/// The editors whose way is known, by the names of their programs.
const EDITORS: &[(&str, LineArg)] = &[
    ("vi", LineArg::Plus),
    ("vim", LineArg::Plus),
    ("nvim", LineArg::Plus),
    ("vim.basic", LineArg::Plus),
    ("vim.tiny", LineArg::Plus),
    ("view", LineArg::Plus),
    ("nano", LineArg::Plus),
    ("pico", LineArg::Plus),
    ("micro", LineArg::Plus),
    ("kak", LineArg::Plus),
    ("joe", LineArg::Plus),
    ("mg", LineArg::Plus),
    ("emacs", LineArg::Plus),
    ("emacsclient", LineArg::Plus),
    ("hx", LineArg::Colon),
    ("helix", LineArg::Colon),
    ("zed", LineArg::Colon),
    ("subl", LineArg::Colon),
    ("code", LineArg::Goto),
    ("code-insiders", LineArg::Goto),
    ("codium", LineArg::Goto),
];

/// The words of `$VISUAL` or, without that, of `$EDITOR`.
pub fn chosen(variable: impl Fn(&str) -> Option<String>) -> Option<Vec<String>> {
    let named = |name| variable(name).map(|text| words(&text));
    ["VISUAL", "EDITOR"].into_iter().filter_map(named).find(|words| !words.is_empty())
}

/// The words of a command, as a shell splits them: blanks divide, quotes and backslashes keep
/// together. Nothing is expanded and nothing is run.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match (quote, letter) {
            (None, '\'' | '"') => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (Some(open), _) if letter == open => quote = None,
            (None, '\\') => word.get_or_insert_default().extend(letters.next()),
            (Some('"'), '\\') => {
                let escaped = letters.next_if(|next| matches!(next, '"' | '\\' | '$' | '`'));
                word.get_or_insert_default().push(escaped.unwrap_or('\\'));
            }
            (None, letter) if letter.is_whitespace() => words.extend(word.take()),
            (_, letter) => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    words
}

/// The arguments with which an editor opens a file at a line.
fn arguments(editor: &[String], file: &Path, line: Option<u32>) -> Vec<String> {
    let name = editor.first().map(Path::new).and_then(Path::file_name).unwrap_or_default();
    let name = name.to_string_lossy();
    let name = name.strip_suffix(".exe").unwrap_or(&name);
    let way =
        EDITORS.iter().find(|(known, _)| *known == name).map_or(LineArg::None, |(_, way)| *way);
    let file = file.to_string_lossy().into_owned();
    // A name that begins so would be an option.
    let file = if file.starts_with(['-', '+']) { format!("./{file}") } else { file };
    let line = line.unwrap_or(1);
    let given = |option: &str, long: &str| editor.iter().any(|word| word == option || word == long);
    match way {
        LineArg::None => vec![file],
        LineArg::Plus => vec![format!("+{line}"), file],
        LineArg::Colon => vec![format!("{file}:{line}")],
        LineArg::Goto => {
            let wait = (!given("-w", "--wait")).then(|| "-w".to_owned());
            let goto = (!given("-g", "--goto")).then(|| "-g".to_owned());
            wait.into_iter().chain(goto).chain([format!("{file}:{line}")]).collect()
        }
    }
}

/// Opens a file in an editor, at a line, and waits until it ends.
///
/// # Errors
/// The editor is missing, or failed.
pub fn open(editor: &[String], file: &Path, line: Option<u32>) -> Result<(), EditorError> {
    let none = || EditorError::None(file.to_owned());
    let (program, own) = editor.split_first().ok_or_else(none)?;
    let ended = Command::new(program).args(own).args(arguments(editor, file, line)).status();
    match ended {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(EditorError::Failed(program.clone(), status)),
        Err(error) => Err(EditorError::NotRun(program.clone(), error)),
    }
}

/// Why an editor has not opened a file, in one line.
#[derive(Debug, thiserror::Error)]
pub enum EditorError {
    #[error("VISUAL and EDITOR are not set: open {} in your editor, and save it", .0.display())]
    None(PathBuf),
    #[error("{0} cannot be run: {1}; set EDITOR to your editor")]
    NotRun(String, io::Error),
    #[error("{0} failed ({1})")]
    Failed(String, ExitStatus),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_are_those_of_a_shell() {
        let split = |text: &str| words(text).join("|");
        assert_eq!(split("vim"), "vim");
        assert_eq!(split("  code   -w\t-g "), "code|-w|-g");
        assert_eq!(split("sh -c \"sleep 1\""), "sh|-c|sleep 1");
        assert_eq!(
            split(r#"'/opt/my editor/x' --a='b c' \"q\" "say \"hi\" \n""#),
            r#"/opt/my editor/x|--a=b c|"q"|say "hi" \n"#
        );
        assert_eq!(split("$(touch x) ; `y`"), "$(touch|x)|;|`y`", "nothing is run");
        assert_eq!(words("vi ''"), ["vi", ""]);
        assert_eq!(words("   "), Vec::<String>::new());
        assert_eq!(words("vi \"open"), ["vi", "open"]);
    }

    #[test]
    fn each_editor_is_told_the_line_in_its_own_way() {
        let told = |editor: &str, file: &str, line| {
            arguments(&words(editor), Path::new(file), line).join(" ")
        };
        assert_eq!(told("/usr/bin/vim", "t.cu", Some(34)), "+34 t.cu");
        assert_eq!(told("nano", "t.cu", None), "+1 t.cu");
        assert_eq!(told("emacsclient -nw", "t.cu", Some(34)), "+34 t.cu");
        assert_eq!(told("hx", "t.cu", Some(34)), "t.cu:34");
        assert_eq!(told("code", "t.cu", Some(34)), "-w -g t.cu:34");
        assert_eq!(told("code --wait", "t.cu", Some(34)), "-g t.cu:34");
        assert_eq!(told("my-editor", "-t.cu", Some(34)), "./-t.cu");
    }

    #[test]
    fn an_editor_that_is_missing_or_fails_is_said_in_a_line() {
        let file = Path::new("t.cu");
        let open = |editor: &str| open(&words(editor), file, None).map_err(|why| why.to_string());
        let missing = open("no-such-editor").expect_err("it is missing");
        assert!(missing.starts_with("no-such-editor cannot be run: "), "{missing}");
        assert!(!missing.contains('\n'));
        assert_eq!(open("false"), Err("false failed (exit status: 1)".to_owned()));
        assert_eq!(open("sh -c 'exit 0'"), Ok(()));
        assert!(open("").expect_err("none").contains("open t.cu in your editor"));
    }
}
