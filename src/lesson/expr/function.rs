//! The table of functions: what each takes and tells. Errors and the documentation are made from it.

/// A function of the query language.
#[derive(Clone, Copy, Debug)]
pub struct Function {
    pub name: &'static str,
    /// The arguments that it takes; the last may be repeated if `many`.
    pub takes: &'static [Takes],
    /// How many of them it needs.
    pub least: usize,
    /// Whether the last argument may be repeated.
    pub many: bool,
    /// What it tells, as `the number of ...`.
    pub tells: &'static str,
    pub what: What,
}

/// Every function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    Sectors,
    Lines,
    Bytes,
    Used,
    Passes,
    Conflicts,
    Ways,
    Words,
    Lanes,
    Broadcast,
    Ideal,
    Clash,
    Bank,
    LanesOn,
    WordsOn,
    Element,
    Thread,
    Warp,
    Lane,
    LanesOf,
    Warps,
    Blocks,
    Threads,
    Idle,
    KTiles,
    Barriers,
    RowsUnwritten,
    Arrived,
    Waiting,
    WaitsFor,
    Fetches,
    Fetched,
    Uses,
    Slot,
    Total,
    Executed,
    OfBlock,
    Requests,
    PerFma,
    PerWarpFma,
    Right,
    Wrong,
    Findings,
    LinesOf,
    Sound,
    Spoilt,
    Settings,
    Dial,
    Ms,
    Gflops,
    Faster,
    OfLibrary,
    Counter,
    Occupancy,
    Registers,
    Limit,
    Least,
    Most,
    Kernel,
    Tile,
    M,
    N,
    K,
    LineOf,
}

/// What a function takes as an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// `load A`, `store sA #2`, or `a`.
    Access,
    /// A matrix, or an access to one: `A`, `load A`.
    Matrix,
    /// A name, or a text in quotes: `race`, `"global_load_sectors"`.
    Name,
    /// A kernel of the catalogue, or a library: `tiled`, `cublas`.
    Kernel,
    /// `A[5][33]`.
    Element,
    /// `thread 5,3`.
    Thread,
    /// A place in the run: `after barrier 1`.
    Place,
    Value,
    /// The name of a function of a kernel, or an expression.
    Query,
}

use Takes::{Access, Element, Kernel, Matrix, Name, Place, Query, Thread, Value};

const fn row(
    name: &'static str,
    takes: &'static [Takes],
    what: What,
    tells: &'static str,
) -> Function {
    Function { name, takes, least: takes.len(), many: false, tells, what }
}

/// The same with fewer arguments needed.
const fn needs(least: usize, function: Function) -> Function {
    Function { least, ..function }
}

/// The same with the last argument repeated.
const fn many(function: Function) -> Function {
    Function { many: true, ..function }
}

/// Every function, by family.
#[rustfmt::skip]
pub static FUNCTIONS: &[Function] = &[
    // One access of a warp.
    row("sectors", &[Access], What::Sectors, "the sectors of 32 bytes that one request fetches"),
    row("lines", &[Access], What::Lines, "the lines of 128 bytes that one request touches"),
    row("bytes", &[Access], What::Bytes, "the distinct bytes that the lanes ask for"),
    row("used", &[Access], What::Used, "how many percent of the fetched bytes are asked for"),
    row("passes", &[Access], What::Passes, "the passes over the banks that one access takes"),
    row("conflicts", &[Access], What::Conflicts, "the passes that bank conflicts add"),
    row("ways", &[Access], What::Ways, "the most words that one bank has to serve in an access"),
    row("words", &[Access], What::Words, "the distinct words that the lanes ask for"),
    row("lanes", &[Access], What::Lanes, "the lanes that take part"),
    row("broadcast", &[Access], What::Broadcast, "whether lanes ask for the same word"),
    row("ideal", &[Access], What::Ideal, "the fewest sectors or passes that could do it"),
    row("clash", &[Access], What::Clash, "the first two lanes that want two words of one bank"),
    row("bank", &[Access], What::Bank, "the bank that has to serve most words"),
    needs(1, row("lanes_on", &[Value, Access], What::LanesOn, "the lanes that use a bank")),
    needs(1, row("words_on", &[Value, Access], What::WordsOn, "the words that lanes want of a bank")),
    // Who does what.
    row("element", &[Thread], What::Element, "the elements of C that a thread stores"),
    row("thread", &[Element], What::Thread, "the thread that stores an element of C"),
    needs(0, row("warp", &[Element], What::Warp, "the warp that stores an element of C, or the one that is watched")),
    row("lane", &[Element], What::Lane, "the lane that stores an element of C"),
    needs(1, row("lanes_of", &[Value, Value], What::LanesOf, "the threads of a warp, or the one in a lane of it")),
    // Block and grid.
    row("warps", &[], What::Warps, "the warps of a block"),
    row("blocks", &[], What::Blocks, "the blocks of the grid"),
    row("threads", &[], What::Threads, "the threads of the grid"),
    row("idle", &[], What::Idle, "the threads of the grid that store no element of C"),
    row("k_tiles", &[], What::KTiles, "the tiles along k"),
    row("barriers", &[], What::Barriers, "the barriers that the watched block passes"),
    row("rows_unwritten", &[], What::RowsUnwritten, "the rows of C of which no thread stores an element"),
    // Who waits for whom, at a place; without one, where a warp first waits.
    needs(0, row("arrived", &[Place], What::Arrived, "the warps that wait at a barrier")),
    needs(0, row("waiting", &[Place], What::Waiting, "the warps for which they wait")),
    needs(0, row("waits_for", &[Place], What::WaitsFor, "which warps these are")),
    // The way of a value.
    row("fetches", &[Element], What::Fetches, "how often lanes fetch an element, over the grid"),
    row("fetched", &[Element], What::Fetched, "in how many requests an element is fetched, over the grid"),
    row("uses", &[Element], What::Uses, "how often an element is multiplied, over the grid"),
    row("slot", &[Element], What::Slot, "the words of shared memory in which a block keeps an element"),
    // Sums.
    row("total", &[Name], What::Total, "a counter over the grid, as the PTX is written"),
    row("executed", &[Name], What::Executed, "a counter over the grid, as its SASS is predicted to execute"),
    row("of_block", &[Name], What::OfBlock, "a counter over the watched block, as the PTX is written"),
    row("requests", &[Matrix], What::Requests, "the requests of warps to a matrix, over the grid"),
    row("per_fma", &[Value], What::PerFma, "a number for each multiply-add of a thread"),
    row("per_warp_fma", &[Value], What::PerWarpFma, "a number for each multiply-add of a whole warp"),
    // Right and sound.
    row("right", &[], What::Right, "whether C is right, in the usual order of the warps"),
    row("wrong", &[Matrix], What::Wrong, "the wrong elements of C"),
    needs(0, row("findings", &[Name], What::Findings, "the findings of a kind: race, barrier, memory, assertion, no-end")),
    needs(0, row("lines_of", &[Name], What::LinesOf, "the lines of the source that take part in these")),
    row("sound", &[], What::Sound, "whether the checks find nothing, under any order of the warps"),
    row("spoilt", &[Value], What::Spoilt, "in how many of so many random orders of the warps C is wrong"),
    // The dials of a source: those whose macro the scene does not set.
    row("settings", &[Value], What::Settings, "in how many settings of the dials something holds"),
    row("dial", &[Name], What::Dial, "the choice of a dial, or any if the scene leaves it open"),
    // Time.
    needs(1, row("ms", &[Kernel, Value], What::Ms, "the milliseconds of a kernel at a size")),
    needs(1, row("gflops", &[Kernel, Value], What::Gflops, "its billions of operations a second")),
    needs(2, row("faster", &[Kernel, Kernel, Value], What::Faster, "how many times as fast a kernel is as another")),
    needs(1, row("of_library", &[Kernel, Value], What::OfLibrary, "its speed in percent of cuBLAS'")),
    needs(2, row("counter", &[Name, Kernel, Value], What::Counter, "what a counter of the hardware read, by its name in Nsight Compute")),
    // The machine.
    row("occupancy", &[Kernel], What::Occupancy, "the warps of a kernel that a multiprocessor holds"),
    row("registers", &[Kernel], What::Registers, "the registers of a thread of it"),
    row("limit", &[Kernel], What::Limit, "what keeps further blocks out"),
    // A choice of kernels: a function of a kernel, or any expression; then kernels and a size.
    many(needs(2, row("least", &[Query, Kernel], What::Least, "the kernel with the least value"))),
    many(needs(2, row("most", &[Query, Kernel], What::Most, "the kernel with the greatest value"))),
    // The scene.
    row("kernel", &[], What::Kernel, "the kernel's name"),
    row("tile", &[], What::Tile, "the side of the tile"),
    row("m", &[], What::M, "the rows of A and C"),
    row("n", &[], What::N, "the columns of B and C"),
    row("k", &[], What::K, "the columns of A, the rows of B"),
    row("line_of", &[Name], What::LineOf, "the number of the line that contains a text"),
];

pub fn function(name: &str) -> Option<&'static Function> {
    FUNCTIONS.iter().find(|function| function.name == name)
}

impl Function {
    /// What it takes as argument number `index`.
    pub fn takes_at(&self, index: usize) -> Option<Takes> {
        let last = self.takes.last().filter(|_| self.many);
        self.takes.get(index).or(last).copied()
    }

    /// Whether it is asked of a kernel.
    pub fn is_of_kernels(&self) -> bool {
        self.takes.first() == Some(&Kernel)
    }

    /// How it is written, and what it tells: ``sectors(ACCESS)` tells the sectors ..``.
    pub fn usage(&self) -> String {
        format!("`{}` tells {}", self.signature(), self.tells)
    }

    /// How it is written: `faster(KERNEL, KERNEL [, VALUE])`.
    pub fn signature(&self) -> String {
        let mut text = self.name.to_owned();
        for (index, takes) in self.takes.iter().enumerate() {
            text.push_str(match (index, index < self.least) {
                (0, true) => "(",
                (0, false) => "([",
                (_, true) => ", ",
                (_, false) => " [, ",
            });
            text.push_str(takes.word());
            text.push_str(if index < self.least { "" } else { "]" });
        }
        text.push_str(if self.many {
            ", ..)"
        } else if self.takes.is_empty() {
            ""
        } else {
            ")"
        });
        text
    }
}

impl Takes {
    /// The word for it in a signature.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Access => "ACCESS",
            Self::Matrix => "MATRIX",
            Self::Name => "NAME",
            Self::Kernel => "KERNEL",
            Self::Element => "ELEMENT",
            Self::Thread => "THREAD",
            Self::Place => "PLACE",
            Self::Value => "VALUE",
            Self::Query => "QUERY",
        }
    }
}
