//! matviz: see how a GPU multiplies matrices.
//!
//! One [`kernel::Problem`] (a kernel with its size, its tile and its PTX) and two judges that load
//! **the same PTX bytes**: the simulator, which executes them warp by warp and says what every step
//! did, and the GPU, which says how long they took. The screen shows both; a measurement stands
//! beside a trace, never inside it.
//!
//! # The house
//!
//! Five packages, each in a folder with its name, and matviz itself. `ptx` and `cudac` know nothing
//! else of the house; `simt` knows `ptx`; none of the three knows a screen, a file or a GPU.
//!
//! A room is a package that is named below, or a module at the top of `src/simt` or `src`. It uses only
//! rooms above it in this list, and of those only the ones in brackets; `tests/house/rules.rs` holds the
//! same plan and checks it. What is tested from outside of a room is the program `tests/ROOM`.
//!
//! ```text
//! ptx       package: text to a typed module                         []
//!
//! (simt)    package, of these six rooms:
//! launch    the shape of a grid                                     []
//! matrix    A, B and C on the host: fill, product, compare          []
//! work      progress, cancelling, and all cores                     []
//! sim       the machine: one block, executed step by step     [ptx, launch, matrix, work]
//! analysis  what a step costs: sectors, bank conflicts, sums        [ptx, launch, work, sim]
//! trace     a recorded run, and the way back to any place of it     [ptx, launch, work, sim, analysis]
//!
//! cudac     package: C as it is written; CUDA C to PTX              []
//!
//! stats     median and quartiles of a sample                        []
//!
//! kernel    the catalogue; a problem, ready for both judges  [ptx, launch, matrix, sim, cudac]
//! study     what runs tell: findings, orders, values, the stage     [all above but stats]
//!
//! timing    what a GPU is asked and measures, as data               [launch, matrix, stats, kernel]
//!
//! file      files written whole or not at all                       []
//! gpu       measures: a child process               [launch, matrix, stats, kernel, timing, file]
//! compile   CUDA C by cudac, NVRTC or clang                         [cudac, timing, file, gpu]
//!
//! own       a file with a kernel to a problem    [ptx, launch, matrix, sim, cudac, kernel, timing, compile]
//!
//! export    a frame or a run: SVG, text, a recording                 []
//! report    facts as sentences and JSON   [all above but work, file, gpu, compile, own, export]
//!
//! lesson    the course: pages, queries, wrong ideas, edits, checks  [all above but gpu, export]
//!
//! tui       the screen: loop, state, keys, panels, lessons          [all above]
//!
//! cli       arguments to commands, errors to exit codes             [all above]
//!
//! web       package: the screen for a page in a browser             [work, export, lesson, tui]
//! ```
//!
//! # From text to pixel: one `ld.global`
//!
//! ```text
//! kernels/ptx/tiled.t16.ptx   "ld.global.f32 %f76, [%rd24];"
//!   | kernel                  include_str!, in the catalogue's table
//! ptx::parse                  MemoryOp::Ld { space: Global, ty: F32, dst: ["%f76"], addr: "%rd24" + 0, .. }
//!   | sim::lower              names to rows of registers, labels to numbers, once before the run
//! sim::Program                Inst { op: Op::Memory(Ld { .. }), guard, span, line in tiled.cu }
//!   | sim::Machine::step      each lane's address, the checks, the values, then the register
//! sim::Step                   { warp: 3, pc, active, effect: Memory(Access { space, bytes, addrs }) }
//!   | trace::Recorder         a record of 16 bytes per step, a checkpoint now and then
//! trace::Replay               seek(index): the moment again, by running on from a checkpoint
//!   | trace::Snapshot         all that the screen shows of that moment, as values
//! analysis::coalesce          lines and sectors of the access: what was fetched, what was used
//!   | tui::screen             reads the snapshot and makes widgets that borrow from it
//! tui::widget::bricks         the words of the 32 lanes in their sectors
//! tui::widget::source         the line of the CUDA source, lit: the span came all the way
//! tui::widget::matrices       Problem::element(address): row and column of A, lit
//! ```
//!
//! Every arrow is one call, down the page; nothing comes back up. Input goes the other way as a
//! value: a key is an `Action`, `update` turns it into another index for `Replay::seek`. So a step
//! back costs what a step on costs. The GPU joins at one point, `kernel::Problem`, and answers in
//! JSON lines from a process of its own.
//!
//! A run of the whole grid (`matviz check`) takes the same machine and keeps only sums:
//! [`analysis::grid`].
//!
//! # Glossary
//!
//! - *Lane*: one of the 32 threads of a *warp*, which execute an instruction together.
//! - *Active mask*: the lanes that execute it ([`sim::LaneMask`]).
//! - *Divergence*: a branch sends lanes of a warp two ways. *Reconvergence*: they run together again, at
//!   the branch's immediate post-dominator (`sim::reconvergence_stack`).
//! - *Request*: one instruction's access to global memory by a warp. *Sector*: 32 bytes, the least that
//!   memory moves; a line has four. *Coalesced*: no more sectors than the bytes asked for fill.
//! - *Bank*: one of 32 columns of shared memory, 4 bytes wide. *Wavefront*: one pass over the banks; an
//!   access takes one for each group of lanes (32 of 4 bytes, 16 of 8, 8 of 16), and each further one
//!   is a *bank conflict* ([`analysis::banks`]).
//! - *PTX*: the text that is executed here. *SASS*: the machine code that ptxas makes of it.
//!   *Vectorised* shared accesses: several of PTX that are one of SASS ([`analysis::vectorise`]).
//! - *Contraction*: one FMA, rounded once, in place of a `mul` and an `add` or `sub` without a rounding
//!   modifier. ptxas contracts, so lowering does, by the same rule (`sim::lower::contract`).
//! - *Barrier interval*, or *superstep*: what a block executes between two barriers of all its threads
//!   ([`study::superstep`]).
//! - *Happens-before*: the order that barriers, fences and `.sync` instructions put accesses in, kept as
//!   *vector clocks*. *Race*: two accesses of one word, one a write, that it does not order.
//! - *Initcheck*: reads of memory that no thread has written. *Poison*: the bits that such a read gives.
//! - *Block classes*: blocks that do the same but for addresses, so that one stands for all
//!   ([`analysis::block_classes`]). *Affine*: an address that is a sum of multiples of block indices.
//! - *Transfer function*: how a value after an instruction follows from those before it.
//! - *Provenance*: which elements of A and B a value was made of ([`trace::provenance`]).
//! - *Measured*: by a GPU. *Recorded*: measured earlier. *Simulated*: counted here. *Model*: computed from
//!   counts and a GPU's published limits.
//!
//! The picture that a run opens with has words of its own, in [`study::stage`]:
//!
//! - *Place*: a grid of words or of threads. *Way*: words that go from one place to another.
//! - *Door*: a barrier, drawn across the picture, with a *seat* for each warp: down through it a tile is
//!   complete, up through it the tile may be overwritten.
//! - *Cross*: a tile of A left of C and one of B above it. *Collar*: the operand registers between.
//! - *Wear*: how often a block has fetched the sectors of a row.
//! - *Piece*: the part of a tile, or of C, that one instruction of a tensor core takes.
//! - *Workbench*: all panels, without the picture.
//!
//! The course has words of its own, in [`lesson`]:
//!
//! - *Scene*: the run that a page shows, and the place where it stands. *Setting*: a scene of which one
//!   variant is chosen. Its *runs* are simulated when they are asked about.
//! - *Query*: an expression whose value these runs give, with the step that shows it. What is right is
//!   always one.
//! - *Idea*: a misconception. *Model*: the function that computes what somebody with it would answer.
//! - *Session*: a lesson that is being taken. *Block*: what comes next on its page.
//! - *Change*: a known defect, made in a kernel's text. *Dial*: a macro with a few choices. *Gap*: a
//!   place between two lines of a source, into which a line is put.
//!
//! - *Claim*: a published number, asked of each *level*: requests, sectors, bytes of L2 and DRAM, time.
//! - *Exercise*: a kernel that a learner mends, with a *rubric*: a launch, sizes, and *goals*, which are
//!   queries with a limit. *Assignment*: an exercise with its inputs. *Starter*: what one begins with.
//!
//! # What always holds
//!
//! - The simulator neither draws, prints, sleeps nor knows a clock. A `Step` says everything that
//!   happened; steps are counted, and never passed off as time.
//! - Every figure on a screen says whether it is simulated, measured or recorded; none is written
//!   in a text.
//! - What is not supported is an error that names the instruction and its line: never guessed at,
//!   never skipped in silence.
//! - A kernel can fault, or never end its barrier; that is data for a screen, never a panic.
//! - A frame is drawn from one `ViewModel`, made of `&App`. Nothing in `App` can block, print or tell
//!   the time.
//! - No answer to a question is written down: it is computed from the run that is shown, and so is
//!   what a wrong idea says.
//! - A file that is edited is only read: matviz writes a kernel to a new file.
//! - Below the terminal nothing knows a thread, a file, a clock or the environment: time comes in as a
//!   value, work goes out as a `Task`, and what it is cancelled by is a [`work::WorkToken`].
//! - All GPU work is done by a child process: a crash costs one measurement, never the session.
//! - Without the feature `native` there is no `cli`, no `gpu` and no terminal: the rest compiles for a
//!   browser, where `web` calls it from a page. Work that has an owner is suspended there
//!   ([`work::take_turns`]), so that keys are heard while it goes on.
//! - Only `gpu` names cudarc and libloading, only `tui` and `export` name ratatui, only `cli` and
//!   `main` name clap and anyhow.
//! - The terminal is restored on every way out.

pub use simt::{analysis, launch, matrix, sim, trace, work};

// The tests inside share a helper with those outside, which know the crate by its name.
#[cfg(test)]
extern crate self as matviz;

pub mod stats;

pub mod kernel;
pub mod study;

pub mod timing;

pub mod file;
#[cfg(feature = "native")]
pub mod gpu;

pub mod compile;

pub mod own;

pub mod export;
pub mod report;

pub mod lesson;

pub mod tui;

#[cfg(feature = "native")]
pub mod cli;
