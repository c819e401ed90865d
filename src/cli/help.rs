//! What `-h`, `--help`, the man pages and the README say beyond the arguments: examples, exit codes,
//! environment variables.

use super::names::COMMANDS;
use super::target::KernelTarget;
use super::{BadUse, form};
use crate::kernel::{BROKEN, KERNELS, Kernel};
use clap::builder::Styles;
use clap::builder::styling::AnsiColor;
use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, ColorChoice, Command};
use std::ffi::OsString;
use std::path::Path;

/// The options of the screen that `-h` shows; `--help` shows all.
const MOST_USED: [&str; 5] = ["target", "size", "tile", "launch", "format"];

/// The commands that only `--help` lists.
const SELDOM: [&str; 1] = ["generate"];

/// How the screen and the commands are called.
const USAGE: &str = "matviz [TARGET] [OPTIONS]\n       matviz <COMMAND> [OPTIONS]";

/// What each exit code means, for every command.
pub const EXIT_CODES: &[(&str, &str)] = &[
    ("0", "all is well"),
    ("1", "something was found"),
    ("2", "bad use, or a failure: an argument, a file, no GPU, a full disk"),
    ("3", "a source does not compile"),
    ("128+N", "ended by signal N: 130 after Ctrl-C"),
];

/// What was found when a command ends with 1; what stands for the screen is the empty name.
const WRONG: &[(&str, &str)] = &[
    ("", "with --format text, the block faults or the checks find something"),
    (
        "check",
        "C is wrong, the checks find something, what --fail-on names occurs, or a difference has no known reason",
    ),
    (
        "trace",
        "the element of C is not its sum, no thread stores it, or (--bands) a barrier is missing",
    ),
    ("bench", "C is wrong"),
    ("learn", "with --list, a lesson of --from has an error"),
    ("doctor", "something cannot be used as it is"),
    ("course check", "a lesson has an error; warnings alone are none"),
    ("course changes", "with --check, a change does not do what the table says"),
    ("course gaps", "there is no line after which the text is sound"),
    ("course grade", "a submission has not all points; 3 if the only one does not compile"),
    ("course dials", "C is wrong or the checks find something at this setting"),
];

/// An environment variable: its name, what it does, and the commands that heed it, all if none is
/// named.
type Variable = (&'static str, &'static str, &'static [&'static str]);

/// Commands that look for libraries of CUDA.
const CUDA: &[&str] = &["", "check", "trace", "bench", "doctor", "export", "learn"];

/// Commands that show a screen.
const SCREENS: &[&str] = &["", "learn", "check"];

/// The environment variables that the program heeds.
const VARIABLES: &[Variable] = &[
    ("NO_COLOR", "no colours, if not empty", &[]),
    ("CLICOLOR_FORCE", "colours also into a file or a pipe, unless 0 or empty", &[]),
    ("TERM, COLORTERM", "the colours of the terminal; dumb has none, and no screen", &[]),
    ("LC_ALL, LC_CTYPE, LANG", "UTF-8 or not: lines and blocks, or ASCII alone", &[]),
    ("COLORFGBG", "whether the terminal is light or dark", SCREENS),
    ("MATVIZ_REDUCED_MOTION", "no motion, if not empty: as reduced_motion=true", SCREENS),
    ("VISUAL, EDITOR", "the editor that E opens", &["", "learn"]),
    ("GITHUB_ACTIONS", "--format short as GitHub's annotations, if true", &["check"]),
    ("XDG_CONFIG_HOME", "where matviz/config.toml lies, instead of ~/.config", SCREENS),
    (
        "XDG_STATE_HOME",
        "where matviz/progress.json lies, instead of ~/.local/state",
        &["", "learn"],
    ),
    ("MATVIZ_NVRTC", "the NVRTC to load", CUDA),
    (
        "MATVIZ_PYTHON",
        "the Python whose Numba compiles a kernel in a .py file, which runs the file",
        &["", "check", "trace", "bench", "export"],
    ),
    (
        "MATVIZ_CUBLAS, MATVIZ_NCCL, MATVIZ_CUPTI, MATVIZ_NVML",
        "the same of other libraries",
        &["bench", "doctor"],
    ),
    (
        "CUDA_HOME, CUDA_PATH, VIRTUAL_ENV, CONDA_PREFIX",
        "where libraries of CUDA are looked for",
        CUDA,
    ),
];

/// The files that the program reads and writes, for the manual.
const FILES: &[(&str, &str)] = &[
    (
        "~/.config/matviz/config.toml",
        "settings: theme, glyphs, mouse, pace, view, reduced_motion, as for --set, and [keys], in which \
         the name of a command in the help (?) stands for its keys: play = \"Space\"",
    ),
    ("~/.local/state/matviz/progress.json", "what was answered in the lessons"),
    ("~/.local/state/matviz/view", "the view that was chosen last"),
];

/// The environment variables, with what they do.
pub fn variables() -> impl Iterator<Item = (&'static str, &'static str)> {
    VARIABLES.iter().map(|(name, what, _)| (*name, *what))
}

/// Examples of each command: the screen is the empty name.
const EXAMPLES: &[(&str, &[(&str, &str)])] = &[
    (
        "",
        &[
            ("matviz", "the tiled kernel, step by step"),
            ("matviz naive --size 64", "the naive one, on small matrices"),
            ("matviz mine.cu", "a kernel of your own, anew at every save"),
            ("matviz '#kernel=tiled&step=240'", "the place of a link, which Y copies"),
            ("matviz learn", "the course"),
            ("matviz check mine.cu", "what is wrong with it, and what it costs"),
            ("matviz bench --size 1024,4096", "times on this machine's GPU"),
            ("matviz export roofline", "what memory and arithmetic allow, recorded"),
            ("matviz access --block 32x8 'ty*33 + tx'", "bank conflicts of an index"),
        ],
    ),
    (
        "learn",
        &[
            ("matviz learn", "the first lesson that is not done"),
            ("matviz learn 8.4", "lesson 8, page 4"),
            ("matviz learn 3 --format text", "as questions and answers on lines"),
            ("matviz learn --list", "the lessons"),
            ("matviz learn --from mine/", "lessons of your own"),
            ("matviz learn --progress -o me.md", "to hand it in"),
            ("matviz learn --reset 12", "forget lesson 12"),
        ],
    ),
    (
        "check",
        &[
            ("matviz check mine.cu", "at a square and an awkward size"),
            ("matviz check mine.cu --launch '<<<, dim3(16, 16)>>>'", "with this block"),
            ("matviz check tiled --size 512 --at 3,4", "one block of a kernel of the catalogue"),
            ("nvcc -ptx -o - mine.cu | matviz check - --launch '<<<, 16x16>>>'", "from a pipe"),
            ("matviz check mine.cu -o report.html", "a page with the source and a picture"),
            ("matviz check mine.cu --prove", "an order of the warps that spoils C"),
            ("matviz check mine.cu --format short --fail-on costly", "for editors and CI"),
            (
                "ncu --csv ./app | matviz check mine.cu --against -",
                "beside the hardware's counters",
            ),
        ],
    ),
    (
        "trace",
        &[
            ("matviz trace tiled 'C[5][7]'", "every load that fed an element of C"),
            ("matviz trace naive 'A[5][33]'", "where an element of A went"),
            ("matviz trace --bands tiled", "what each superstep stores, reads, leaves live"),
        ],
    ),
    (
        "bench",
        &[
            ("matviz bench --size 1024,4096 --tile 16,32", "naive and tiled"),
            ("matviz bench sgemm cublas --size 64..8192", "powers of two, and cuBLAS"),
            ("matviz bench ladder --record h100.json", "every kernel, kept as a timing pack"),
            ("matviz bench mine.cu --counters", "a kernel of your own, with counters"),
        ],
    ),
    (
        "access",
        &[
            ("matviz access --block 32x8 'ty*33 + tx'", "a padded tile in shared memory"),
            ("matviz access --block 32x32 'tx*32 + ty'", "its column without the padding"),
            ("matviz access --op ld.global.b128 --block 64 tid", "float4 from global memory"),
            ("matviz access --batch - < accesses.jsonl", "a line of JSON for each access"),
        ],
    ),
    (
        "export",
        &[
            ("matviz export frame tiled --size 64 --step 240 -o frame.svg", "a frame for a slide"),
            ("matviz export frame --keys 'n n 9' -o frame.txt", "after some keys, as characters"),
            ("matviz export run tiled --to 800 -o run.svg", "a picture that moves: CSS alone"),
            ("matviz export run tiled -o run.cast", "a recording for asciinema, with marks"),
            ("matviz export run tiled -o run.json", "a block's run as a timeline for Perfetto"),
            ("matviz export roofline -o roofline.svg", "what memory and arithmetic allow"),
            ("matviz export why tiled naive", "why one is faster"),
            ("matviz export ladder --format csv", "its figures"),
        ],
    ),
    ("doctor", &[("matviz doctor --json", "for scripts, with the version")]),
    (
        "course",
        &[
            ("matviz course export DIR", "the course's files, its kernels among them"),
            ("matviz course check mine/ --quick", "lessons of your own"),
        ],
    ),
    (
        "course check",
        &[
            ("matviz course check", "the course that matviz brings"),
            ("matviz course check mine/ --quick", "lessons of your own"),
            ("matviz course check - < 12-padding.md", "one from a pipe"),
        ],
    ),
    ("course export", &[("matviz course export DIR", "the files, to begin your own with")]),
    (
        "course changes",
        &[
            ("matviz course changes", "the list"),
            ("matviz course changes no-load-barrier", "one: what it changes, what proves it wrong"),
        ],
    ),
    (
        "course gaps",
        &[(
            "matviz course gaps tiled --change no-compute-barrier --insert '__syncthreads();'",
            "where the barrier belongs",
        )],
    ),
    (
        "course grade",
        &[
            ("matviz course grade E1 E1.cu", "what is said of one"),
            (
                "matviz course grade E3 all/ --key key.txt -o grades.csv",
                "of a class, at sizes that nobody knows",
            ),
            ("matviz course grade E1 E1.cu --format gradescope -o results.json", "for Gradescope"),
        ],
    ),
    (
        "course new",
        &[
            ("matviz course new lesson 1-mine.md", "then check it, and `learn --from 1-mine.md`"),
            ("matviz course new exercise T1-sum", "then check it, and `learn T1-sum`"),
            ("matviz course new gradescope grader E3 --key key.txt", "zip what is in it"),
            ("matviz course new classroom assignment E3", "commit what is in it"),
        ],
    ),
    (
        "course class",
        &[
            ("matviz course class handed-in/ -o class.md", "learners, ideas, questions"),
            ("matviz course class *.json --format csv", "a row for each learner"),
        ],
    ),
    (
        "course dials",
        &[
            ("matviz course dials", "the course's kernel with seven dials, as they stand first"),
            ("matviz course dials --set PAD=1", "with one dial turned"),
            ("matviz course dials --size 64,60x52x84 --count", "all settings"),
        ],
    ),
    (
        "generate",
        &[
            ("matviz generate man --all ~/.local/share/man/man1", "install the manual"),
            ("matviz generate schema check", "of what `matviz check --json` prints"),
        ],
    ),
    (
        "generate completions",
        &[
            (
                "matviz generate completions bash -o ~/.local/share/bash-completion/completions/matviz",
                "bash",
            ),
            ("matviz generate completions fish -o ~/.config/fish/completions/matviz.fish", "fish"),
            (
                "matviz generate completions zsh -o ~/.zfunc/_matviz",
                "zsh, with fpath+=~/.zfunc before compinit",
            ),
            ("matviz generate completions powershell >> $PROFILE", "PowerShell"),
        ],
    ),
    (
        "generate man",
        &[
            ("matviz generate man | man -l -", "read it"),
            (
                "matviz generate man --all ~/.local/share/man/man1",
                "install a page for each command",
            ),
        ],
    ),
    (
        "generate schema",
        &[("matviz generate schema check", "of what `matviz check --json` prints")],
    ),
];

/// A part of `--help`: a heading, and rows of two columns.
pub(super) struct HelpSection {
    pub heading: &'static str,
    pub rows: Vec<(&'static str, &'static str)>,
}

pub(super) fn parts(command: &str) -> [HelpSection; 4] {
    let examples = EXAMPLES.iter().find(|(name, _)| *name == command);
    let wrong = WRONG.iter().find(|(name, _)| *name == command).map(|(_, what)| *what);
    let code = |(code, what): &(&'static str, &'static str)| match (*code, wrong) {
        ("1", Some(wrong)) => ("1", wrong),
        (code, _) => (code, *what),
    };
    let heeds = |(_, _, by): &&Variable| by.is_empty() || by.contains(&command);
    let named = |(name, what, _): &Variable| (*name, *what);
    [
        HelpSection {
            heading: "Examples",
            rows: examples.map_or(Vec::new(), |(_, rows)| rows.to_vec()),
        },
        HelpSection { heading: "Exit codes", rows: EXIT_CODES.iter().map(code).collect() },
        HelpSection {
            heading: "Files",
            rows: if command.is_empty() { FILES.to_vec() } else { Vec::new() },
        },
        HelpSection {
            heading: "Environment",
            rows: VARIABLES.iter().filter(heeds).map(named).collect(),
        },
    ]
}

/// Options that a command has with others in common and refuses, with the reason: its help does not show
/// them.
const REFUSED: &[(&str, &[&str])] = &[("bench", &["source"])];

/// The whole command line, with its help, from its arguments.
pub(super) fn command(args: Command) -> Command {
    // Those of every command are copied to each, whose `-h` shows them.
    let less = |arg: Arg| {
        let shown = MOST_USED.contains(&arg.get_id().as_str()) || arg.is_global_set();
        arg.hide_short_help(!shown)
    };
    let command = args.mut_args(less).mut_args(negative).override_usage(USAGE);
    let command = explained(command.after_long_help(kernels()), "");
    command.styles(STYLES).mut_subcommands(|command| of_command(command, ""))
}

/// What is wrong with a negative number is said by whoever reads it.
fn negative(arg: Arg) -> Arg {
    let takes_value = arg.get_action().takes_values() && !arg.is_positional();
    if takes_value { arg.allow_negative_numbers(true) } else { arg }
}

/// A command, or one of its own, with its help; `parent` is the name before it.
fn of_command(command: Command, parent: &str) -> Command {
    let name = format!("{parent} {}", command.get_name()).trim_start().to_owned();
    let refused = REFUSED.iter().find(|(of, _)| *of == name);
    let refused = refused.into_iter().flat_map(|(_, options)| *options);
    let command = refused.fold(command, |it, option| it.mut_arg(*option, |arg| arg.hide(true)));
    let has_form = command.get_arguments().any(|arg| arg.get_id() == "format");
    let forms = format!(
        "Form of the result: {} [default: by the ending of -o]",
        form::names(form::of_command(&name))
    );
    let command = if has_form { command.mut_arg("format", |arg| arg.help(forms)) } else { command };
    let command = explained(command.mut_args(negative), &name);
    command.mut_subcommands(|command| of_command(command, &name))
}

/// The colours of help and errors, as in what the commands print.
const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default().bold())
    .placeholder(AnsiColor::Cyan.on_default())
    .error(AnsiColor::Red.on_default().bold())
    .valid(AnsiColor::Green.on_default())
    .invalid(AnsiColor::Yellow.on_default());

/// The command with its parts at the end of `--help`.
fn explained(command: Command, name: &str) -> Command {
    let own = command.get_after_long_help().map(ToString::to_string);
    let parts = parts(name).into_iter().filter(|part| !part.rows.is_empty());
    let texts: Vec<_> = own.into_iter().chain(parts.map(|part| part.text())).collect();
    command.after_long_help(texts.join("\n"))
}

impl HelpSection {
    /// The heading, and a line for each row.
    fn text(&self) -> String {
        let width = self.rows.iter().map(|(first, _)| first.len()).filter(|width| *width < 44);
        let width = width.max().unwrap_or(0);
        let line = |(first, second): &(&str, &str)| {
            if first.len() > width {
                format!("  {first}\n  {:width$}  {second}\n", "")
            } else {
                format!("  {first:<width$}  {second}\n")
            }
        };
        format!("{}:\n{}", self.heading, self.rows.iter().map(line).collect::<String>())
    }
}

/// The list of kernels, a line for each.
fn kernels() -> String {
    let list = |kernels: &[Kernel], width| {
        let line = |Kernel { name, summary, .. }: &Kernel| format!("  {name:<width$}{summary}\n");
        kernels.iter().map(line).collect::<String>()
    };
    format!(
        "Kernels, in the order of the story:\n{}\nKernels with a mistake to be found:\n{}",
        list(KERNELS, 17),
        list(BROKEN, 26)
    )
}

/// Reads the command line `words`, of which the first is the program.
pub(super) fn matches(mut command: Command, words: &[OsString]) -> Result<ArgMatches, clap::Error> {
    if words.get(1).is_some_and(|word| word == "-h") {
        command = brief(command);
    }
    command = command.color(wanted_colours(words));
    let matches = command.try_get_matches_from_mut(words);
    let matches = matches.map_err(|error| no_target(error, words, &mut command))?;
    if let Some((name, stray)) = stray(&command, &matches) {
        let told = format!("the command '{name}' cannot be used with '{stray}' before it");
        return Err(command.error(ErrorKind::ArgumentConflict, told));
    }
    Ok(matches)
}

/// The error of a command line whose first word names nothing: what follows it is not the mistake.
fn no_target(error: clap::Error, words: &[OsString], command: &mut Command) -> clap::Error {
    let first = words.get(1).filter(|_| error.kind() == ErrorKind::UnknownArgument);
    let first = first.map(Path::new).filter(|word| !word.to_string_lossy().starts_with('-'));
    let is_command = |word: &&Path| COMMANDS.iter().any(|name| *word == Path::new(name));
    match first.filter(|word| !is_command(word)).map(KernelTarget::find) {
        Some(Err(BadUse(told))) => command.error(ErrorKind::InvalidSubcommand, told),
        _ => error,
    }
}

/// What `--color` says of help and errors, before the command line is read.
fn wanted_colours(words: &[OsString]) -> ColorChoice {
    let given = words.iter().zip(words.iter().skip(1).map(Some).chain([None])).filter_map(
        |(word, next)| {
            let word = word.to_str()?;
            match word.strip_prefix("--color=") {
                Some(when) => Some(when),
                None if word == "--color" => next?.to_str(),
                None => None,
            }
        },
    );
    match given.last() {
        None | Some("auto") => ColorChoice::Auto,
        Some("never") => ColorChoice::Never,
        Some(_) => ColorChoice::Always,
    }
}

/// The command line as `matviz -h` shows it: on one screen.
fn brief(command: Command) -> Command {
    let seldom = |command: Command| {
        let is_seldom = SELDOM.contains(&command.get_name());
        let hidden = is_seldom || command.is_hide_set();
        command.hide(hidden)
    };
    command
        .mut_args(|arg| if arg.is_global_set() { arg.hide_short_help(true) } else { arg })
        .mut_subcommands(seldom)
}

/// The command, and an option of the screen that stands before it.
fn stray(command: &Command, matches: &ArgMatches) -> Option<(String, String)> {
    let name = matches.subcommand_name()?;
    let typed =
        |id: &&clap::Id| matches.value_source(id.as_str()) == Some(ValueSource::CommandLine);
    let arg = |id: &clap::Id| command.get_arguments().find(|arg| arg.get_id() == id);
    let mut given = matches.ids().filter(typed).filter_map(arg);
    let stray = given.find(|arg| !arg.is_global_set())?;
    Some((name.to_owned(), stray.to_string()))
}
