//! `matviz edit`: watches a kernel while it is edited elsewhere, and shows it at every save.

use super::output::{self, is_stdin, print};
use super::user_kernel::define;
use super::working::Working;
use super::{BadUse, NotCompiled, course_screen, look};
use crate::kernel::{Problem, find};
use crate::launch::{Dim3, shape};
use crate::lesson::edit::judgement::{Judgement, table};
use crate::lesson::edit::version::{EditRequest, Version};
use crate::lesson::progress::Progress;
use crate::matrix::Size;
use crate::own::OpenError;
use crate::own::launch::{StatedLaunch, shared};
use crate::sim::Order;
use crate::timing::pack;
use crate::tui::config;
use crate::tui::edit::job::{Opened, file_name};
use crate::tui::layout::ScreenView;
use crate::tui::{self, StartAt, StartOptions, clock, terminal};
use crate::work::WorkToken;
use cudac::Error;
use std::borrow::Cow;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Arguments of `matviz edit`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// CUDA C of one kernel or several; a line `// launch: --block 16,16 --size 64` in it gives what
    /// the command line does not
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Size of the matrices: N or MxNxK [default: 64]
    #[arg(long, value_name = "SIZE")]
    size: Option<Size>,
    /// Name of the kernel; required if there are several
    #[arg(long, value_name = "NAME")]
    entry: Option<String>,
    /// Threads per block: X, X,Y or X,Y,Z [default: 16,16]
    #[arg(long, value_name = "X,Y,Z", value_parser = shape::block)]
    block: Option<Dim3>,
    /// Blocks in the grid at this size [default: one thread per element of C, columns along x]
    #[arg(long, value_name = "X,Y,Z", value_parser = shape::grid)]
    grid: Option<Dim3>,
    /// A value for each parameter, as for `matviz sim --args`
    #[arg(long = "args", value_name = "LIST", allow_hyphen_values = true)]
    values: Option<String>,
    /// Dynamic shared memory per block, in bytes
    #[arg(long, value_name = "BYTES", value_parser = shared)]
    shared: Option<u32>,
    /// Blocks of a cluster: X, X,Y or X,Y,Z [default: those that the kernel or the host's code gives]
    #[arg(long, value_name = "X,Y,Z", value_parser = shape::grid, hide_short_help = true)]
    cluster: Option<Dim3>,
    /// Define a macro
    #[arg(short = 'D', value_name = "NAME=VALUE", value_parser = define)]
    define: Vec<String>,
    /// Do not watch the file; it is read at the start, and after each edit with E
    #[arg(long)]
    once: bool,
    /// Print the table and what is wrong as text, once
    #[arg(long, conflicts_with_all = ["once", "theme", "glyphs"])]
    plain: bool,
    #[command(flatten)]
    look: look::Args,
}

/// Shows the file until the user quits; with `--plain`, prints what is wrong with it, and returns 0
/// if nothing is.
///
/// # Errors
/// A file that cannot be read or, with `--plain`, compiled or launched; no terminal.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    if !args.plain {
        output::screen("use --plain for the table as text")?;
    }
    if is_stdin(&args.file) {
        let told =
            "edit watches a file, which standard input is not: `matviz sim --cuda -` reads it";
        return Err(BadUse(told.to_owned()).into());
    }
    let file = args.file.display();
    let (is_watched, now) = (!(args.once || args.plain), clock::time_of_day());
    let opened = Opened::read(args.file.clone(), args.request(), is_watched, now);
    let opened = opened.map_err(|why| BadUse(format!("{file}: {why}")))?;
    if args.plain {
        return plain(args, &opened);
    }
    tui::edit(args.options(&opened), opened)?;
    Ok(ExitCode::SUCCESS)
}

impl Args {
    fn request(&self) -> EditRequest {
        let launch = StatedLaunch {
            size: self.size,
            entry: self.entry.clone(),
            block: self.block,
            grid: self.grid,
            args: self.values.clone(),
            shared: self.shared,
            cluster: self.cluster,
        };
        let folder = self.file.parent().map(Path::to_owned).unwrap_or_default();
        EditRequest { file: file_name(&self.file), folder, launch, defines: self.define.clone() }
    }

    /// The initial state of the screen: the file's first version or, if that does not compile, a
    /// kernel that is not drawn until one does.
    fn options(&self, opened: &Opened) -> StartOptions {
        let version = Version::of(&opened.text, &opened.request).ok();
        let problem = version.and_then(|version| Some(version.stages.first()?.problem.clone()));
        let problem = problem.unwrap_or_else(hidden);
        let grid = problem.launch.grid;
        let (config, message) = match config::load() {
            Ok(config) => (config, None),
            Err(error) => (config::Config::default(), Some(error.to_string())),
        };
        StartOptions {
            problems: vec![problem],
            kernel: 0,
            block: Dim3::new(grid.x / 2, grid.y / 2, grid.z / 2),
            order: Order::ByPhase,
            look: self.look.look(&config, terminal::look()),
            keymap: config.keymap.clone(),
            mouse: config.mouse.unwrap_or(true),
            device: None,
            playing: false,
            pace: config.pace.unwrap_or_default(),
            motion: look::moves(false, &config),
            view: ScreenView::Workbench,
            told: true,
            begin: StartAt::default(),
            pack: pack::packs().first().map(Cow::Borrowed),
            message,
            lessons: course_screen::lessons(Progress::of_user()),
        }
    }
}

/// A small kernel for a screen that shows none.
fn hidden() -> Problem {
    let naive = find("naive").unwrap_or(&crate::kernel::KERNELS[0]);
    naive.problem_for(Size::square(16))
}

fn plain(args: &Args, opened: &Opened) -> anyhow::Result<ExitCode> {
    let file = args.file.display();
    let working = Working::on(format!("compiling {file}"));
    let version = Version::of(&opened.text, &opened.request);
    let told = |error: Error| match error {
        Error { line: 0, message, hint, .. } => {
            let hint = hint.map_or_else(String::new, |hint| format!("\n   = {hint}"));
            format!("{file}: {message}{hint}")
        }
        error => error.render(&opened.text, &file.to_string()),
    };
    let version = version.map_err(|why| match why {
        OpenError::Source(_) | OpenError::NotCompiled(_) | OpenError::Ptx(_) => {
            anyhow::Error::from(NotCompiled(told(why.into())))
        }
        why => BadUse(told(why.into())).into(),
    })?;
    working.next(&format!("simulating {file}"));
    let judgement =
        Judgement::of(&version, &Order::ByPhase, &WorkToken::default()).unwrap_or_default();
    drop(working);
    let mut text =
        format!("{}, compiled by {}, simulated\n", args.file.display(), version.compiled_by);
    let assumed = version.usual();
    if !assumed.is_empty() {
        let _ = writeln!(text, "assuming {}", assumed.join(" "));
    }
    for row in table(&[Some(&judgement)]) {
        let cell = row.cells.first().map_or("", |cell| &cell.text);
        let _ = writeln!(text, "  {:<16}{cell:>12}", row.label);
    }
    for mistake in &judgement.mistakes {
        let _ = write!(text, "{}\n    {}\n", mistake.what, mistake.why);
    }
    print(&text)?;
    Ok(if judgement.is_fine() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
