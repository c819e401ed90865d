//! What is generated of the command line: completions for shells and pages of the manual.

use crate::command_line::{bad_use, commands, prints, text};
use crate::stderr;
use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

#[test]
fn completions_offer_commands_options_and_the_names_of_values() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = prints(&["generate", "completions", shell]);
        for word in ["check", "against", "fail-on", "no-progress"] {
            assert!(script.contains(word), "{shell}: no {word}");
        }
        assert!(!script.contains("worker"), "{shell} offers a hidden command");
        // The other shells' scripts have no values.
        if ["bash", "zsh", "fish"].contains(&shell) {
            for word in
                ["128x128x16", "early-copies", "uncoalesced", "stage", "no-load-barrier", "padding"]
            {
                assert!(script.contains(word), "{shell}: no {word}");
            }
        }
    }
}

/// The most options that there may be, all commands together: nobody keeps more in mind. A new one takes
/// the place of another, or says what another can say too. They were 50 before submissions were graded:
/// `--key` names a file with a secret, and nothing else here does.
const OPTIONS: usize = 51;

#[test]
fn there_are_no_more_options_than_one_can_keep_in_mind() {
    let script = prints(&["generate", "completions", "bash"]);
    let lists = script.lines().filter_map(|line| line.trim().strip_prefix("opts=\""));
    let words = lists.flat_map(|list| list.trim_end_matches('"').split(' '));
    let usual = ["--help", "--version", "--source"];
    let all: BTreeSet<_> =
        words.filter(|word| word.starts_with("--") && !usual.contains(word)).collect();
    assert!(all.len() <= OPTIONS, "{} options: {all:?}", all.len());
    assert!(all.contains("--launch"), "{all:?}");
}

/// What bash and fish offer at the Tab key, by their own account.
#[test]
fn shells_that_are_here_offer_what_is_typed_in_part() {
    let folder = tempfile::tempdir().expect("a folder");
    let bash = "source ./script; COMP_WORDS=($LINE); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); \
                _matviz_words matviz ${COMP_WORDS[COMP_CWORD]} ${COMP_WORDS[COMP_CWORD - 1]}; \
                printf '%s\\n' ${COMPREPLY[@]}";
    let fish = "source ./script; complete -C \"$LINE\" | cut -f1";
    for (shell, ask) in [("bash", bash), ("fish", fish)] {
        fs::write(folder.path().join("script"), prints(&["generate", "completions", shell]))
            .expect("written");
        for (line, offered) in [
            ("matviz ben", "bench"),
            ("matviz check --lau", "--launch"),
            ("matviz check --order earl", "early-copies"),
            ("matviz --color nev", "never"),
            ("matviz check --fail-on costly,conf", "costly,conflicts"),
            ("matviz export roof", "roofline"),
        ] {
            let mut command = Command::new(shell);
            command.args(["-c", ask]).env("LINE", line).env("HOME", folder.path());
            let Ok(output) = command.current_dir(folder.path()).output() else {
                stderr::say(&format!("NOT TESTED for want of {shell}: its completions"));
                break;
            };
            assert_eq!(text(&output.stdout).trim_end(), offered, "{shell}: {line}");
        }
    }
}

#[test]
fn every_command_has_a_page_of_the_manual() {
    let folder = tempfile::tempdir().expect("a folder");
    // It is made.
    let folder = folder.path().join("man1");
    let path = folder.display().to_string();
    prints(&["generate", "man", "--all", &path]);
    let own = commands();
    for name in own.iter().map(String::as_str).filter(|name| !name.contains(' ')).chain([""]) {
        let file = if name.is_empty() { "matviz.1".to_owned() } else { format!("matviz-{name}.1") };
        let page = fs::read_to_string(folder.join(&file)).expect(&file);
        for part in [".TH ", ".SH NAME", ".SH EXAMPLES", ".SH \"EXIT STATUS\"", ".SH ENVIRONMENT"] {
            assert!(page.contains(part), "{file}: no {part}\n{page}");
        }
        let args: Vec<_> = ["generate", "man"].into_iter().chain(name.split_whitespace()).collect();
        assert_eq!(prints(&args), page, "{file}");
    }
    let told = bad_use(&["generate", "man", "--all", "Cargo.toml"]);
    assert!(told.contains("writing into Cargo.toml"), "{told}");
}

/// PowerShell is on few machines that test this, so its script is read: a string that is not closed, or
/// a brace, would break the whole profile that loads it.
#[test]
fn the_script_of_powershell_is_closed_and_has_every_command_and_option() {
    let script = prints(&["generate", "completions", "powershell"]);
    let (mut depth, mut longest) = (0_i32, 0);
    for line in script.lines() {
        // In a single-quoted string, '' stands for a quote.
        let parts: Vec<_> = line.split('\'').collect();
        assert_eq!(parts.len() % 2, 1, "a string is not closed: {line}");
        let code: String = parts.into_iter().step_by(2).collect();
        depth += code.matches('{').count() as i32 - code.matches('}').count() as i32;
        assert!(depth >= 0, "{line}");
        longest = longest.max(depth);
    }
    assert_eq!((depth, longest > 2), (0, true));
    for name in commands() {
        let place = format!("'matviz;{}' {{", name.replace(' ', ";"));
        let (_, rest) = script.split_once(&place).expect(&name);
        let block = rest.split("\n            break").next().expect("a first part");
        let help = prints(&name.split(' ').chain(["--help"]).collect::<Vec<_>>());
        let options = help.lines().filter_map(|line| line.trim_start().split([' ', ',']).next());
        for option in options.filter(|word| word.starts_with("--") && word.len() > 2) {
            assert!(block.contains(&format!("::new('{option}', ")), "{name} {option}");
        }
    }
}
