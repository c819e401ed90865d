//! Things that a lesson names, as the panels know them.

use crate::analysis::coalesce;
use crate::launch::WARP_SIZE;
use crate::lesson::edit::difference::{Sign, difference};
use crate::lesson::target::Target;
use crate::report::pointed::PointedAt;
use crate::sim::LaneMask;
use crate::study::stage::StageMark;
use crate::tui::app::App;
use crate::tui::facts;
use crate::tui::lesson::ActiveLesson;

/// Returns an array of shared memory: its first word, and (words in a row, all words).
pub fn array(app: &App, name: &str) -> Option<(u32, (u32, u32))> {
    let titles = facts::shared_titles(&app.run.session);
    let (arrays, _) = facts::shared_arrays(&app.run.session, &titles);
    let found = arrays.iter().find(|array| array.name == name)?;
    Some((found.first, (found.columns, found.rows * found.columns)))
}

/// Returns the word of shared memory of that number, by its array.
pub fn word(app: &App, number: u32) -> Option<Target> {
    let titles = facts::shared_titles(&app.run.session);
    let (arrays, _) = facts::shared_arrays(&app.run.session, &titles);
    arrays.iter().find_map(|array| {
        let index = number.checked_sub(array.first)?;
        let inside = index < array.rows * array.columns;
        inside.then(|| Target::Word { array: array.name.to_owned(), index })
    })
}

/// Returns the addresses of the sectors that the selected warp's last request has fetched.
pub fn sectors(app: &App) -> Vec<u64> {
    let warp = app.run.session.place().warps.get(app.run.warp);
    let Some(last) = warp.and_then(|warp| warp.global.as_ref()) else { return Vec::new() };
    let lines = coalesce::lines(&last.access);
    let of_line = |line: &coalesce::CacheLine| {
        let (address, fetched) = (line.address, line.fetched);
        let all = (0..4_u64).filter(move |sector| fetched >> sector & 1 == 1);
        all.map(move |sector| address + sector * coalesce::SECTOR)
    };
    lines.iter().flat_map(of_line).collect()
}

/// Returns the point of the panels that a thing is; a warp is its first lane.
pub(in crate::tui) fn point(app: &App, target: &Target) -> Option<PointedAt> {
    let lane = |warp: u32, lane: u32| PointedAt::Lane { warp: warp as usize, lane: lane as usize };
    match target {
        Target::Element(element) => Some(PointedAt::Element(*element)),
        Target::Thread { x, y } => {
            let thread =
                y.checked_mul(app.run.session.problem().launch.block.x)?.checked_add(*x)?;
            Some(lane(thread / WARP_SIZE, thread % WARP_SIZE))
        }
        Target::Warp(warp) => Some(lane(*warp, 0)),
        Target::Lane(of) => Some(lane(app.run.warp as u32, *of)),
        Target::Bank(bank) => Some(PointedAt::Bank(*bank as usize)),
        Target::Word { array: name, index } => {
            array(app, name)?.0.checked_add(*index).map(PointedAt::Word)
        }
        Target::Sector(sector) => {
            sectors(app).get(*sector as usize).copied().map(PointedAt::Sector)
        }
        Target::Line(_) | Target::Panel(_) => None,
    }
}

/// Returns what an answer counts, once it is seen, and what is lit for another try.
pub fn lit(app: &App) -> Vec<&Target> {
    let now = app.mode.lesson().map(ActiveLesson::now);
    let reply = now.and_then(|now| now.reply.as_ref());
    // On its way to the evidence, the run does not show yet what is lit there.
    let reply = reply.filter(|reply| reply.play_to.is_none_or(|to| to == app.at()));
    let open = now.and_then(|now| now.question.as_ref());
    let open = open.into_iter().flat_map(|open| &open.lit);
    reply.into_iter().flat_map(|reply| &reply.marks).chain(open).collect()
}

impl App {
    /// Returns what the stage marks of that.
    pub fn stage_marks(&self) -> Vec<StageMark> {
        let mark = |target: &Target| match (target, point(self, target)?) {
            (Target::Warp(warp), _) => Some(StageMark::Warp(*warp as u16)),
            (_, PointedAt::Lane { warp, lane }) => {
                Some(StageMark::Lane { warp: warp as u16, lane: lane as u8 })
            }
            (_, PointedAt::Element(element)) => Some(StageMark::Element(element)),
            (_, PointedAt::Word(word)) => Some(StageMark::Word(word)),
            (_, PointedAt::Sector(address)) => Some(StageMark::Sector(address)),
            (_, PointedAt::Bank(_) | PointedAt::Token(_)) => None,
        };
        lit(self).into_iter().filter_map(mark).collect()
    }
}

/// Returns the lanes that are pointed at, marked or lit by an answer, if any is.
pub fn lanes(app: &App) -> Option<Vec<(usize, LaneMask)>> {
    let lesson = app.mode.lesson()?;
    let now = lesson.now();
    let asks = now.question.is_some();
    let given = lesson.input.pointer.iter().chain(&lesson.input.marked).filter(|_| asks);
    let threads = app.run.session.problem().launch.threads();
    let of = |target: &Target| match (target, point(app, target)) {
        (Target::Warp(warp), _) => Some((*warp as usize, LaneMask::ALL)),
        (_, Some(PointedAt::Lane { warp, lane })) => Some((warp, LaneMask(1 << lane.min(31)))),
        _ => None,
    };
    // The last warp may have less than 32 lanes.
    let there = |(warp, lanes): (usize, LaneMask)| {
        let before = WARP_SIZE.saturating_mul(warp as u32);
        let known = LaneMask::first(threads.saturating_sub(before).min(WARP_SIZE));
        (warp, lanes.and(known))
    };
    let all: Vec<_> = given.chain(lit(app)).filter_map(of).map(there).collect();
    (!all.is_empty()).then_some(all)
}

/// Returns the lines of an edited file that are new since the version before.
pub fn changed_lines(app: &App) -> Vec<u32> {
    let Some(editing) = app.mode.editing() else { return Vec::new() };
    let Some((before, shown)) = editing.before.as_ref().zip(editing.shown.as_ref()) else {
        return Vec::new();
    };
    let lines = difference(&before.text, &shown.version.text).into_iter();
    lines.filter(|line| line.sign == Sign::New).map(|line| line.number).collect()
}

/// Returns the lines of the source in which the page's kernel is changed.
pub fn changed(app: &App) -> &[u32] {
    app.mode.lesson().map_or(&[], |lesson| &lesson.now().changed)
}

/// Returns the line of the source that is pointed at, or lit by an answer.
pub fn pointed_line(app: &App) -> Option<u32> {
    let lesson = app.mode.lesson().filter(|lesson| !lesson.points_between())?;
    let line = |target: &Target| match target {
        Target::Line(line) => Some(*line),
        _ => None,
    };
    let marks = lesson.now().reply.iter().flat_map(|reply| &reply.marks);
    let asked = ActiveLesson::question(lesson).and(lesson.input.pointer.as_ref());
    asked.into_iter().chain(marks).find_map(line)
}
