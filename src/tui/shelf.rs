//! The kernels that can be shown; those that were shown before are ready to run.

use crate::analysis::vectorise::SmemVectorisation;
use crate::kernel::Problem;
use crate::ptx::ParseError;
use crate::sim::Program;
use std::sync::Arc;

/// A kernel that is ready to run.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// What runs.
    pub problem: Problem,
    /// Its program.
    pub program: Arc<Program>,
    /// What the machine code does in place of its shared accesses.
    pub joins: Arc<SmemVectorisation>,
}

impl Loaded {
    /// Parses it and studies it: of a large kernel, a tenth of a second.
    ///
    /// # Errors
    /// PTX that cannot be run.
    pub fn of(problem: Problem) -> Result<Self, ParseError> {
        let program = problem.program()?;
        let joins = Arc::new(SmemVectorisation::of(&program));
        Ok(Self { problem, program, joins })
    }
}

/// A kernel of the shelf, by its place in the story.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place(usize);

/// Every kernel that can be shown, in the order of the story.
#[derive(Debug)]
pub struct Shelf {
    problems: Vec<Problem>,
    slots: Vec<Slot>,
}

#[derive(Debug)]
enum Slot {
    Problem,
    /// It is being loaded.
    Asked,
    Loaded(Loaded),
}

impl Shelf {
    /// Nothing of it is loaded.
    pub fn new(problems: Vec<Problem>) -> Self {
        let slots = problems.iter().map(|_| Slot::Problem).collect();
        Self { problems, slots }
    }

    /// All of them.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// The one at that place of the story, or the last one.
    pub fn place(&self, index: usize) -> Place {
        Place(index.min(self.problems.len().saturating_sub(1)))
    }

    /// The one of that name.
    pub fn named(&self, name: &str) -> Option<Place> {
        self.problems.iter().position(|problem| problem.name() == name).map(Place)
    }

    /// The one after it in the story; after the last comes the first. None, if it is the only one.
    pub fn after(&self, place: Place) -> Option<Place> {
        let next = (place.0 + 1) % self.problems.len();
        (next != place.0).then_some(Place(next))
    }

    /// What stands there.
    pub fn problem(&self, place: Place) -> &Problem {
        &self.problems[place.0]
    }

    /// The same, if it is ready to run.
    pub fn loaded(&self, place: Place) -> Option<&Loaded> {
        match &self.slots[place.0] {
            Slot::Loaded(loaded) => Some(loaded),
            Slot::Problem | Slot::Asked => None,
        }
    }

    /// What has to be loaded, unless that is done or under way.
    pub fn ask(&mut self, place: Place) -> Option<Problem> {
        let slot = &mut self.slots[place.0];
        let asks = matches!(slot, Slot::Problem);
        asks.then(|| {
            *slot = Slot::Asked;
            self.problems[place.0].clone()
        })
    }

    /// It is loaded; or it cannot be, which whoever asks again is told again.
    pub fn put(&mut self, place: Place, loaded: Option<Loaded>) {
        self.slots[place.0] = loaded.map_or(Slot::Problem, Slot::Loaded);
    }
}
