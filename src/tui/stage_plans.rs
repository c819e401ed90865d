//! The plans of the stages of the runs that are shown, and what is said on them.

use super::layout::{Joining, Panel};
use super::luck::BarrierLuck;
use super::motion::Place;
use super::session::Session;
use super::task::{Planning, RunId};
use crate::matrix::SMALL;
use crate::report::sentence::{Aside, FirstWord, LaneMark, ToldEvent, first_words, told};
use crate::study::stage::{
    EventProgress, LowerRoom, NoStage, StageFocus, StagePlan, StageScene, TileKind,
};
use crate::trace::cursor::{self, StepSize};
use crate::work::{WorkOwner, WorkToken};

/// What the stage knows of the runs that are shown.
#[derive(Debug, Default)]
pub struct StagePlans {
    all: Vec<(RunId, PlanState)>,
    /// What is said of a position.
    told: Option<(Place, ToldEvent)>,
    /// The words that have been explained, and the sentence and the barrier interval in which they were.
    explained: Vec<(FirstWord, (String, u32))>,
    /// What stands beside the sentence: a word that is explained, or what follows; and that sentence.
    pub aside: Option<Aside>,
    said: String,
    /// The panel that has joined the stage.
    pub drawer: Option<Panel>,
    /// The run in which a panel has joined by itself for a costly access and, until it has left, the
    /// barrier interval of that.
    pub joined: Option<(RunId, Option<u32>)>,
    /// Whether the stage of the other kernel stands beside it, at the same place of the work.
    pub beside: bool,
    /// Whether the panel has been closed in this run: it does not open by itself again.
    pub closed: Option<RunId>,
    /// How often kernels that lack a barrier of the one shown are right.
    pub luck: BarrierLuck,
    /// How it joins at a position.
    pub(super) joins: Option<(Place, Joining)>,
    /// Where bricks have joined because a sentence speaks of banks: they leave with it.
    pub bricks: Option<Place>,
}

#[derive(Debug)]
enum PlanState {
    Asked(WorkOwner),
    /// The plan, or why there is none, and that as a sentence.
    Known(Box<Result<StagePlan, NoStage>>, String),
}

impl StagePlans {
    /// Returns the task that derives the plan of a run, unless it is known or asked for; forgets those
    /// of runs that are gone.
    pub fn ask(&mut self, session: &Session, other: Option<&Session>) -> Option<Planning> {
        let shown = |id: RunId| id == session.id() || other.is_some_and(|other| other.id() == id);
        self.all.retain(|(id, _)| shown(*id));
        let asked = |session: &&Session| self.all.iter().any(|(known, _)| *known == session.id());
        let mut runs = [Some(session), other].into_iter().flatten();
        let wanted = runs.find(|session| !asked(session))?;
        let owner = WorkOwner::default();
        let planning = wanted.planning(owner.token());
        self.all.push((wanted.id(), PlanState::Asked(owner)));
        Some(planning)
    }

    /// Takes the plan of a run, unless nobody awaits it any more.
    pub fn hear(&mut self, id: RunId, plan: Result<StagePlan, NoStage>, which: &WorkToken) {
        let awaits = |state: &PlanState| match state {
            PlanState::Asked(owner) => owner.owns(which),
            PlanState::Known(..) => false,
        };
        let asked = self.all.iter_mut().find(|(known, state)| *known == id && awaits(state));
        if let Some((_, state)) = asked {
            let why = plan.as_ref().err().map(ToString::to_string).unwrap_or_default();
            *state = PlanState::Known(Box::new(plan), why);
            self.told = None;
        }
    }

    /// Whether the plan of a run is being derived.
    pub fn awaits(&self, id: RunId) -> bool {
        let asked = |(known, state): &(RunId, PlanState)| {
            *known == id && matches!(state, PlanState::Asked(_))
        };
        self.all.iter().any(asked)
    }

    fn known(&self, id: RunId) -> Option<(&Result<StagePlan, NoStage>, &str)> {
        self.all.iter().find(|(known, _)| *known == id).and_then(|(_, state)| match state {
            PlanState::Asked(_) => None,
            PlanState::Known(plan, why) => Some((&**plan, why.as_str())),
        })
    }

    /// The plan of a run, once it is known.
    pub fn plan(&self, id: RunId) -> Option<&StagePlan> {
        self.known(id)?.0.as_ref().ok()
    }

    /// Why a run has no stage, if it has none.
    pub fn refusal(&self, id: RunId) -> Option<&str> {
        self.known(id).filter(|(plan, _)| plan.is_err()).map(|(_, why)| why)
    }

    /// The scene of the position shown.
    pub fn scene(
        &self,
        session: &Session,
        (progress, hurries): (EventProgress, bool),
        focus: StageFocus<'_>,
    ) -> Option<StageScene> {
        let values = session.problem().seed == SMALL;
        let moment = session.stage_moment((progress, hurries), focus, values);
        let mut scene = self.plan(session.id())?.scene(&moment);
        if session.at() == 0 {
            leave_out(&mut scene);
        }
        Some(scene)
    }

    /// Brings up to date what is said of the position shown.
    pub fn settle(&mut self, session: &Session) {
        let place = (session.id(), session.at());
        if self.told.as_ref().is_some_and(|(known, _)| *known == place) {
            return;
        }
        let told = || {
            // As it was before: an open door leads on.
            let scene = self.scene(session, (EventProgress::Told, false), StageFocus::default())?;
            let (trace, at) = (session.trace(), session.at());
            let from = cursor::previous(trace, at, StepSize::Event, 1);
            Some(told((session.problem(), trace, session.replay()), &scene, from))
        };
        self.told = told().map(|told| (place, told));
    }

    /// Chooses what stands beside a sentence: what belongs to it, or a word, each once; no word to whoever
    /// `knows` them.
    pub fn explain(&mut self, sentence: &str, interval: u32, knows: bool) {
        // Until it is known what is said here, another sentence stands in its place.
        let Some((_, told)) = &self.told else { return };
        let goes_on = std::mem::replace(&mut self.said, sentence.to_owned()) == sentence;
        if let Some(aside) = told.aside(sentence) {
            self.aside = Some(aside.clone());
            return;
        }
        let here = (sentence.to_owned(), interval);
        let known = self.explained.iter().find(|(_, place)| *place == here).map(|(word, _)| *word);
        let explained = |word: &FirstWord| self.explained.iter().any(|(known, _)| known == word);
        let new = || first_words(sentence).find(|word| !explained(word)).filter(|_| !knows);
        let word = known.or_else(new);
        if let Some(word) = word.filter(|_| known.is_none()) {
            self.explained.push((word, here));
        }
        self.aside = word.map(Aside::from).or_else(|| self.aside.take().filter(|_| goes_on));
    }

    /// Whether bricks that joined with a sentence leave with it: they are still there, and the run is
    /// elsewhere.
    pub fn leaves_bricks(&mut self, here: Place) -> bool {
        let over = self.bricks.take_if(|place| *place != here).is_some();
        over && self.drawer == Some(Panel::Banks)
    }

    pub fn joining(&self) -> Joining {
        self.joins.map_or(Joining::Below, |(_, joining)| joining)
    }

    /// The lane that a sentence names.
    pub fn mark(&self, sentence: &str) -> Option<LaneMark> {
        self.told.as_ref().and_then(|(_, told)| told.mark(sentence))
    }

    /// What is said of a position, if that is known.
    pub fn told(&self, place: Place) -> Option<&ToldEvent> {
        self.told.as_ref().filter(|(known, _)| *known == place).map(|(_, told)| told)
    }
}

/// Leaves out of the first picture what nobody has to know yet: who brings which rows, how often
/// something is repeated, and that nothing has been counted.
fn leave_out(scene: &mut StageScene) {
    for tile in &mut scene.above {
        tile.bands.clear();
        if tile.kind == TileKind::Threads {
            tile.note.clear();
        }
    }
    scene.doors.iter_mut().for_each(|door| door.notes.clear());
    if let LowerRoom::Cross(cross) = &mut scene.below {
        cross.corner.bands.clear();
        cross.count.clear();
    }
    let mut verbs: Vec<String> = Vec::new();
    for name in std::mem::take(&mut scene.phases.names) {
        let verb = name.split_whitespace().next().unwrap_or_default();
        let since = verbs.iter().rposition(|known| known == "wait").unwrap_or(0);
        if !verbs[since..].iter().any(|known| known == verb) || verbs.is_empty() || verb == "wait" {
            verbs.push(verb.to_owned());
        }
    }
    scene.phases.names = verbs;
    (scene.phases.tile, scene.phases.then) = (None, None);
}
