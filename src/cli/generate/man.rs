//! `matviz generate man`: the manual, a page for the program and one for each command.

use crate::cli::help::{self, HelpSection};
use crate::cli::names::{COMMANDS, meant};
use crate::cli::output::{print, write};
use crate::cli::{BadUse, output};
use crate::tui::help::first_keys;
use crate::tui::keymap::{Context, Keymap};
use clap::Command;
use clap_mangen::Man;
use clap_mangen::roff::{Inline, Roff, bold, roman};
use std::path::PathBuf;
use std::process::ExitCode;
use std::{fs, io};

/// Arguments of `matviz generate man`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The command whose page is printed [default: the program's]
    #[arg(value_name = "COMMAND", conflicts_with = "all")]
    command: Option<String>,
    /// Write every page into DIR, which is made if it does not exist
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    all: Option<PathBuf>,
}

/// Prints a page of the whole command line, or writes all.
///
/// # Errors
/// There is no such command; a full disk.
pub(super) fn run(args: &Args, mut program: Command) -> anyhow::Result<ExitCode> {
    // Built, the commands have the options that all take.
    program.build();
    let commands: Vec<_> = program
        .get_subcommands()
        .filter(|one| !one.is_hide_set() && one.get_name() != "help")
        .collect();
    match (&args.all, args.command.as_deref()) {
        (Some(dir), _) => {
            if output::output().is_some() {
                let told = "give --all for all pages, or --output for one";
                return Err(BadUse(told.to_owned()).into());
            }
            fs::create_dir_all(dir)
                .map_err(|error| BadUse(format!("writing into {}: {error}", dir.display())))?;
            write(&dir.join("matviz.1"), &page(&program, "")?)?;
            for command in commands {
                let name = command.get_name();
                write(&dir.join(format!("matviz-{name}.1")), &page(command, name)?)?;
            }
        }
        (None, None) => _ = print(&page(&program, "")?)?,
        (None, Some(name)) => {
            let found = commands.iter().find(|command| command.get_name() == name);
            let names = commands.iter().map(|command| command.get_name());
            let none = || BadUse(format!("there is no command `{name}`{}", meant(name, names)));
            _ = print(&page(found.ok_or_else(none)?, name)?)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The day of this version; that of a build would make every build another one.
const DATE: &str = "2026-11-28";

/// The page of a command; the program's has the empty name.
fn page(command: &Command, name: &str) -> io::Result<String> {
    let title = if name.is_empty() { "matviz".to_owned() } else { format!("matviz-{name}") };
    // A page has everything, also what `-h` leaves out.
    let whole = command.clone().mut_args(|arg| arg.hide_short_help(false));
    let version = format!("matviz {}", env!("CARGO_PKG_VERSION"));
    let man = Man::new(whole).title(&title).section("1").date(DATE);
    let man = man.source(version).manual("matviz");
    let mut text = Vec::new();
    man.render_title(&mut text)?;
    man.render_name_section(&mut text)?;
    man.render_synopsis_section(&mut text)?;
    man.render_description_section(&mut text)?;
    man.render_options_section(&mut text)?;
    if name.is_empty() {
        man.render_subcommands_section(&mut text)?;
    }
    for HelpSection { heading, rows } in help::parts(name) {
        let heading = if heading == "Exit codes" { "Exit status" } else { heading };
        section(heading, rows).to_writer(&mut text)?;
    }
    if name.is_empty() {
        let keys = first_keys(&Keymap::default(), Context::Stage).collect::<Vec<_>>();
        let keys = keys.iter().map(|(keys, does)| (&**keys, &**does)).collect();
        section("Keys", keys).to_writer(&mut text)?;
    }
    see_also(name).to_writer(&mut text)?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// A heading as man pages have it, and a paragraph for each row.
fn section(heading: &str, rows: Vec<(&str, &str)>) -> Roff {
    let mut roff = Roff::new();
    if rows.is_empty() {
        return roff;
    }
    roff.control("SH", [heading.to_uppercase().as_str()]);
    for (first, second) in rows {
        let line = |inline: Inline| [inline];
        roff.control("TP", []).text(line(bold(first))).text(line(roman(second)));
    }
    roff
}

/// The pages beside this one: of the program, those of the commands.
fn see_also(name: &str) -> Roff {
    let mut roff = Roff::new();
    roff.control("SH", ["SEE ALSO"]);
    let pages = if name.is_empty() {
        let pages = COMMANDS.map(|command| format!("matviz-{command}(1)"));
        pages.join(", ")
    } else {
        "matviz(1)".to_owned()
    };
    roff.text([roman(pages)]);
    roff
}
