//! What `-h`, `--help`, the man pages and the README say beyond the arguments: examples, exit codes,
//! environment variables.

use crate::kernel::{self, BROKEN, KERNELS, Kernel};
use crate::lesson::nearest::nearest;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command};
use std::ffi::OsString;

/// The options of the screen that `-h` shows; `--help` shows all.
const MOST_USED: [&str; 5] = ["kernel", "size", "tile", "cuda", "plain"];

/// The commands that only `--help` lists.
const SELDOM: [&str; 4] = ["version", "completions", "man", "schema"];

/// How the screen and the commands are called.
const USAGE: &str = "matviz [OPTIONS]\n       matviz <COMMAND> [OPTIONS]";

/// What each exit code means, for every command.
pub const EXIT_CODES: &[(&str, &str)] = &[
    ("0", "all is well"),
    ("1", "something is wrong"),
    ("2", "bad use: an argument, or a file that cannot be read"),
    ("3", "a source does not compile"),
    ("128+N", "ended by signal N: 130 after Ctrl-C"),
];

/// What is wrong when a command ends with 1; what stands for the screen is the empty name.
const WRONG: &[(&str, &str)] = &[
    ("", "with --plain, the block faults or the checks find something"),
    ("sim", "C is wrong, the checks find something, or what --fail-on names occurs"),
    (
        "trace",
        "the element of C is not its sum, no thread stores it, or (--bands) a barrier is missing",
    ),
    ("race", "the checks find something"),
    ("bench", "C is wrong, or a measurement fails"),
    ("reconcile", "a difference has no known reason"),
    ("changes", "with --check, a change does not do what the table says"),
    ("dials", "C is wrong or the checks find something at this setting"),
    ("gaps", "there is no line after which the text is sound"),
    ("lessons", "with --plain or --json, a lesson of --from has an error"),
    ("check", "a lesson has an error; warnings alone are none"),
    ("edit", "with --plain, C is wrong or something is found"),
    ("progress", "what is to be forgotten could not be"),
];

/// An environment variable: its name, what it does, and the commands that heed it, all if none is
/// named.
type Variable = (&'static str, &'static str, &'static [&'static str]);

/// Commands that look for libraries of CUDA.
const CUDA: &[&str] = &[
    "",
    "sim",
    "trace",
    "race",
    "bench",
    "reconcile",
    "doctor",
    "edit",
    "export",
    "lesson",
    "lessons",
];

/// Commands that show a screen.
const SCREENS: &[&str] = &["", "lesson", "lessons", "edit", "race"];

/// The environment variables that the program heeds.
const VARIABLES: &[Variable] = &[
    ("NO_COLOR", "no colours, if not empty", &[]),
    ("CLICOLOR_FORCE", "colours also into a file or a pipe, unless 0 or empty", &["access"]),
    ("TERM, COLORTERM", "the colours of the terminal; dumb has none, and no screen", &[]),
    ("LC_ALL, LC_CTYPE, LANG", "UTF-8 or not: lines and blocks, or ASCII alone", &[]),
    ("COLORFGBG", "whether the terminal is light or dark", SCREENS),
    ("MATVIZ_REDUCED_MOTION", "no motion, if not empty: as --still", SCREENS),
    ("VISUAL, EDITOR", "the editor that E opens", &["edit", "lesson", "lessons"]),
    ("XDG_CONFIG_HOME", "where matviz/config.toml lies, instead of ~/.config", SCREENS),
    (
        "XDG_STATE_HOME",
        "where matviz/progress.json lies, instead of ~/.local/state",
        &["", "lesson", "lessons", "progress", "edit"],
    ),
    ("MATVIZ_NVRTC", "the NVRTC to load", CUDA),
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
            ("matviz --kernel naive --size 64", "the naive one, on small matrices"),
            ("matviz --kernel blocked_2d", "a faster one: 128 x 128 elements of C a block"),
            ("matviz --plain | head", "the same as lines of text"),
            ("matviz lessons", "the course"),
            ("matviz sim --kernel tiled --size 512", "counts of the whole grid"),
            ("matviz sim --cuda mine.cu --size 64", "a kernel of your own"),
            ("matviz edit mine.cu", "the same while you edit it, at every save"),
            ("matviz bench --size 1024,4096", "times on this machine's GPU"),
            ("matviz picture roofline", "what memory and arithmetic allow, recorded"),
            ("matviz access --block 32x8 'ty*33 + tx'", "bank conflicts of an index"),
        ],
    ),
    (
        "lesson",
        &[
            ("matviz lesson", "the first that is not done"),
            ("matviz lesson 8.4", "lesson 8, page 4"),
            ("matviz lesson 3 --plain", "as questions and answers on lines"),
        ],
    ),
    (
        "lessons",
        &[
            ("matviz lessons --plain", "the list as text"),
            ("matviz lessons --from mine/", "lessons of your own"),
            ("matviz lessons --export DIR", "the course's files, its kernels among them"),
        ],
    ),
    (
        "progress",
        &[
            ("matviz progress --report me.md", "to hand it in"),
            ("matviz progress --reset 12", "forget lesson 12"),
        ],
    ),
    (
        "sim",
        &[
            ("matviz sim --kernel tiled --size 512", "the whole grid: counts, findings, C"),
            ("matviz sim --kernel tiled --at 3,4", "one block alone"),
            ("matviz sim --cuda mine.cu --size 64", "a kernel of your own"),
            ("matviz sim --ptx mine.ptx --block 16,16", "PTX of any compiler"),
            ("nvcc -ptx -o - mine.cu | matviz sim --ptx - --block 16,16", "from a pipe"),
            ("matviz sim --cuda mine.cu --fail-on costly", "for CI: 1 also for costly accesses"),
        ],
    ),
    (
        "trace",
        &[
            ("matviz trace --kernel tiled 'C[5][7]'", "every load that fed an element of C"),
            ("matviz trace --kernel naive 'A[5][33]'", "where an element of A went"),
            (
                "matviz trace --bands --kernel tiled",
                "what each superstep stores, reads, leaves live",
            ),
        ],
    ),
    (
        "race",
        &[
            ("matviz race --kernel tiled_no_load_barrier --size 64", "an order that spoils C"),
            ("matviz race --cuda mine.cu --size 64 --show", "the same, played on the screen"),
        ],
    ),
    (
        "bench",
        &[
            ("matviz bench --size 1024,4096 --tile 16,32", "naive and tiled"),
            ("matviz bench --kernel sgemm --size 64..8192 --cublas", "powers of two, and cuBLAS"),
            ("matviz bench --ladder --record h100.json", "every kernel, kept as a timing pack"),
            ("matviz bench --cuda mine.cu --counters", "a kernel of your own, with counters"),
        ],
    ),
    (
        "access",
        &[
            ("matviz access --block 32x8 'ty*33 + tx'", "a padded tile in shared memory"),
            ("matviz access --block 32x32 'tx*32 + ty'", "its column without the padding"),
            ("matviz access --space global --bytes 16 --block 64 tid", "float4 from global memory"),
            ("matviz access --batch - < accesses.jsonl", "a line of JSON for each access"),
        ],
    ),
    (
        "reconcile",
        &[
            ("ncu --csv ./app | matviz reconcile - --size 512", "a report from a pipe"),
            ("matviz reconcile report.csv --cuda mine.cu", "of a kernel of your own"),
        ],
    ),
    (
        "picture",
        &[
            ("matviz picture roofline -o roofline.svg", "as SVG"),
            ("matviz picture why --kernel tiled --beside naive", "why one is faster"),
            ("matviz picture ladder --csv", "its figures"),
        ],
    ),
    (
        "changes",
        &[
            ("matviz changes", "the list"),
            ("matviz changes no-load-barrier", "one: what it changes, and what proves it wrong"),
        ],
    ),
    (
        "dials",
        &[
            ("matviz dials", "the course's kernel with seven dials, as they stand first"),
            ("matviz dials --set PAD=1", "with one dial turned"),
            ("matviz dials --size 64,60x52x84 --count", "all settings"),
        ],
    ),
    (
        "gaps",
        &[(
            "matviz gaps --kernel tiled --change no-compute-barrier --insert '__syncthreads();'",
            "where the barrier belongs",
        )],
    ),
    (
        "check",
        &[
            ("matviz check", "the course that matviz brings"),
            ("matviz check mine/ --quick", "lessons of your own"),
            ("matviz check - < 12-padding.md", "one from a pipe"),
        ],
    ),
    (
        "edit",
        &[
            ("matviz edit mine.cu", "watch it while you edit it"),
            ("matviz edit mine.cu --plain", "once, as text"),
        ],
    ),
    (
        "export",
        &[
            ("matviz export frame.svg --size 64 --step 240", "a frame for a slide"),
            ("matviz export run.svg --size 64 --to 800", "a picture that moves: CSS alone"),
            ("matviz export run.cast --size 64", "a recording for asciinema, with marks"),
            ("matviz export run.json --size 64", "the block's run as a timeline for Perfetto"),
            ("matviz export frame.txt --keys 'n n 9'", "after some keys, as characters"),
        ],
    ),
    ("doctor", &[("matviz doctor --json", "for scripts")]),
    ("version", &[("matviz version --json", "for scripts")]),
    (
        "completions",
        &[
            (
                "matviz completions bash -o ~/.local/share/bash-completion/completions/matviz",
                "bash",
            ),
            ("matviz completions fish -o ~/.config/fish/completions/matviz.fish", "fish"),
            (
                "matviz completions zsh -o ~/.zfunc/_matviz",
                "zsh, with fpath+=~/.zfunc before compinit",
            ),
            ("matviz completions powershell >> $PROFILE", "PowerShell"),
        ],
    ),
    (
        "man",
        &[
            ("matviz man | man -l -", "read it"),
            ("matviz man --dir ~/.local/share/man/man1", "install it, a page for each command"),
        ],
    ),
    ("schema", &[("matviz schema sim", "of what `matviz sim --json` prints")]),
];

/// A part of `--help`: a heading, and rows of two columns.
pub(super) struct HelpSection {
    pub heading: &'static str,
    pub rows: Vec<(&'static str, &'static str)>,
}

pub(super) fn parts(command: &str) -> [HelpSection; 3] {
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
            heading: "Environment",
            rows: VARIABLES.iter().filter(heeds).map(named).collect(),
        },
    ]
}

/// Options that a command has with others in common and refuses, with the reason: its help does not show
/// them.
const REFUSED: &[(&str, &[&str])] =
    &[("race", &["order"]), ("bench", &["source"]), ("reconcile", &["tile", "source"])];

/// The whole command line, with its help, from its arguments.
pub(super) fn command(args: Command) -> Command {
    // Those of every command are copied to each, whose `-h` shows them.
    let less = |arg: Arg| {
        let shown = MOST_USED.contains(&arg.get_id().as_str()) || arg.is_global_set();
        arg.hide_short_help(!shown)
    };
    // What is wrong with a negative number is said by whoever reads it.
    let negative = |arg: Arg| {
        let takes_value = arg.get_action().takes_values() && !arg.is_positional();
        if takes_value { arg.allow_negative_numbers(true) } else { arg }
    };
    let command = args.mut_args(less).mut_args(negative).override_usage(USAGE);
    let command = explained(command.after_long_help(kernels()), "");
    command.mut_subcommands(|command| {
        let name = command.get_name().to_owned();
        let refused = REFUSED.iter().find(|(of, _)| *of == name);
        let refused = refused.into_iter().flat_map(|(_, options)| *options);
        let command = refused.fold(command, |it, option| it.mut_arg(*option, |arg| arg.hide(true)));
        explained(command.mut_args(negative), &name)
    })
}

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
    let matches = command.try_get_matches_from_mut(words);
    let matches = matches.map_err(|error| no_kernel(error, &mut command))?;
    if let Some((name, stray)) = stray(&command, &matches) {
        let told = format!("the command '{name}' cannot be used with '{stray}' before it");
        return Err(command.error(ErrorKind::ArgumentConflict, told));
    }
    Ok(matches)
}

/// The error of a command line, which may have a kernel where a command stands.
fn no_kernel(error: clap::Error, command: &mut Command) -> clap::Error {
    let is_like_a_command = error.get(ContextKind::SuggestedSubcommand).is_some();
    let word = error.get(ContextKind::InvalidSubcommand).filter(|_| !is_like_a_command);
    let Some(ContextValue::String(word)) = word else { return error };
    let Some(kernel) = nearest(word, kernel::all().map(|kernel| kernel.name)) else { return error };
    let told = format!("unrecognized subcommand '{word}'; did you mean `--kernel {kernel}`?");
    command.error(ErrorKind::InvalidSubcommand, told)
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
