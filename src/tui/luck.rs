//! How often a kernel that lacks a barrier gives the right result all the same.

use crate::analysis::grid::BUDGET;
use crate::kernel::{BROKEN, Kernel, Problem};
use crate::matrix::Size;
use crate::study::schedule::{RandomOrders, Search};
use crate::work::{WorkOwner, WorkToken};

/// The random orders of the warps that are tried, and the size of the matrices: a moment's work.
const ORDERS: u64 = 100;
pub const SIZE: u32 = 64;

/// What is known of the kernels that lack a barrier of the one shown.
#[derive(Debug, Default)]
pub struct BarrierLuck {
    /// The side of the tiles of which it is known.
    tile: u32,
    known: Vec<(&'static str, Option<RandomOrders>)>,
    asked: Option<(&'static str, WorkOwner)>,
}

/// Random orders of a kernel without a barrier to be tried, unless that is cancelled first.
#[derive(Debug)]
pub struct LuckTask {
    kernel: &'static Kernel,
    tile: u32,
    token: WorkToken,
}

/// The kernels that are this one without a barrier.
fn without_barrier(problem: &Problem) -> impl Iterator<Item = &'static Kernel> {
    let name = problem.catalogue().map(|kernel| kernel.name);
    BROKEN.iter().filter(move |broken| Some(broken.beside) == name)
}

/// The side of the tiles of a run, if they are squares.
fn side(problem: &Problem) -> Option<u32> {
    problem.tile().filter(|tile| tile.m == tile.n).map(|tile| tile.m)
}

impl BarrierLuck {
    /// Returns the next task for what is not known of a kernel yet: one at a time.
    pub fn ask(&mut self, problem: &Problem) -> Option<LuckTask> {
        let tile = side(problem)?;
        if tile != self.tile {
            *self = Self { tile, ..Self::default() };
        }
        let known = |kernel: &&Kernel| self.known.iter().any(|(name, _)| *name == kernel.name);
        let kernel = without_barrier(problem).find(|kernel| !known(kernel))?;
        if self.asked.is_some() || kernel.variant(tile).is_none() {
            return None;
        }
        let owner = WorkOwner::default();
        let token = owner.token();
        self.asked = Some((kernel.name, owner));
        Some(LuckTask { kernel, tile, token })
    }

    /// Takes what was found out about a kernel.
    pub fn hear(&mut self, kernel: &'static str, orders: Option<RandomOrders>) {
        self.asked.take_if(|(asked, _)| *asked == kernel);
        self.known.push((kernel, orders));
    }

    /// The kernel without a barrier that is right most often, and how often.
    pub fn luckiest(&self, problem: &Problem) -> Option<(&'static Kernel, RandomOrders)> {
        let orders = |kernel: &'static Kernel| {
            let (_, orders) = self.known.iter().find(|(name, _)| *name == kernel.name)?;
            Some((kernel, (*orders)?))
        };
        let own = side(problem) == Some(self.tile);
        without_barrier(problem)
            .filter_map(orders)
            .filter(|_| own)
            .max_by_key(|(_, RandomOrders { wrong, tried })| tried - wrong)
    }
}

impl LuckTask {
    /// Tries the orders, and passes on how many are wrong unless cancelled.
    pub fn run(self, hand_out: impl FnOnce(&'static str, Option<RandomOrders>)) {
        let Self { kernel, tile, token } = self;
        if token.is_cancelled() {
            return;
        }
        let orders = try_orders(kernel, tile, &token);
        if !token.is_cancelled() {
            hand_out(kernel.name, orders);
        }
    }
}

fn try_orders(kernel: &'static Kernel, tile: u32, token: &WorkToken) -> Option<RandomOrders> {
    let variant = kernel.variant(tile)?;
    let problem = Problem::of(kernel, variant, Size::square(SIZE), variant.ptx?.into());
    let program = &problem.program().ok()?;
    let (problem, random) = (&problem, ORDERS);
    Search { problem, program, block: None, random, budget: BUDGET, token }.count()
}
