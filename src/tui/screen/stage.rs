//! The stage: what is shown, what happens, the run on one row, the keys.

use super::main::{draw_panels, findings, place, scrubber};
use super::{footer, lesson};
use crate::kernel::Problem;
use crate::report::number::grouped;
use crate::report::sentence::BankTalk;
use crate::study::stage::{LowerRoom, StageScene};
use crate::trace::RunCost;
use crate::trace::cursor::StepSize;
use crate::tui::app::App;
use crate::tui::facts::listing::operands;
use crate::tui::facts::{CurrentInstruction, ending, redacted};
use crate::tui::keymap::Context;
use crate::tui::layout::text::wrap_balanced;
use crate::tui::layout::{Areas, SizeClass};
use crate::tui::motion::Motion;
use crate::tui::playback::Pace;
use crate::tui::session::Session;
use crate::tui::theme::Role;
use crate::tui::view_model::ViewModel;
use crate::tui::widget::stage::{
    StageComparison, StageCount, StageGeometry, StageHalf, StageMap, StagePicture, StageSource,
    StageWords, arranged_while,
};
use crate::tui::widget::status::StageTitle;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Text;
use ratatui::widgets::{Clear, Widget};
use std::ops::Range;

/// Draws the screen, except the overlays.
pub fn draw(view: &ViewModel<'_>, areas: &Areas, buf: &mut Buffer) {
    title(view, areas.status, buf);
    picture(view, areas.stage, buf);
    for (_, area) in &areas.panels {
        // It may lie over the stage.
        Clear.render(*area, buf);
        buf.set_style(*area, view.look.ground());
    }
    draw_panels(view, areas, buf);
    lesson::draw(view, buf);
    scrubber(view, areas.scrubber, buf);
    footer::draw(view, areas.footer, buf);
}

fn picture(view: &ViewModel<'_>, area: Rect, buf: &mut Buffer) {
    let Some(scene) = &view.scene else { return waits(view, area, buf) };
    let beside = view.scene_beside.as_ref().filter(|_| StageComparison::fits(area));
    if let (Some(beside), Some(other)) = (beside, &view.run.other) {
        return both(view, [(view.session, scene), (other, beside)], area, buf);
    }
    let now = CurrentInstruction::of(view.session, view.run.warp);
    let source =
        StageSource { number: now.line, text: now.text(), operands: operands(view.session) };
    let sentence = match lesson::sentence(view) {
        Some((sentence, _)) => sentence.into(),
        // The line itself stands below it.
        None => redacted::in_source(view.app, 0)
            .map_or_else(|| redacted::sentence(view.app, view.app.sentence()), Into::into),
    };
    // A brace that ends a function says nothing.
    let speaks = |source: &StageSource<'_>| source.number > 0 && source.text.trim() != "}";
    let asides = ending::asides(view.app);
    let said = StageWords {
        sentence: &sentence,
        source: Some(source)
            .filter(|source| speaks(source) && view.session.at() > 0)
            .filter(|_| !view.app.takes_turns())
            // What would be is no line of this kernel.
            .filter(|_| view.app.speaks_of_banks().is_none_or(|talk| talk == BankTalk::AsStored)),
        asides: &asides,
    };
    // A lesson shows the places that it speaks of, and no others.
    let map = map(view.session).filter(|_| view.session.at() > 0 && view.lesson.is_none());
    let picture = StagePicture {
        scene,
        said,
        map: map.as_ref(),
        mark: view.app.display.stage.mark(&sentence),
        room_change: view.app.in_motion().and_then(Motion::room_change),
        look: view.look,
    };
    picture.render(area, buf);
    lesson::mark_stage(view, &picture, area, buf);
}

/// Where the block and its tile along k lie in the matrices, if there are several tiles.
fn map(session: &Session) -> Option<StageMap> {
    let problem = session.problem();
    let (rows, columns) = problem.part(session.block())?;
    let (tile, of) = session.k_tile().zip(problem.k_tiles()).filter(|(_, of)| *of > 1)?;
    let part = |span: Range<u32>, of: u32| {
        let of = of.max(1) as f32;
        span.start as f32 / of..span.end as f32 / of
    };
    let size = problem.size;
    let along = part(tile..tile + 1, of);
    Some(StageMap { rows: part(rows, size.m), columns: part(columns, size.n), along })
}

/// Draws two stages at the same place of the work, in teaching order.
fn both(
    view: &ViewModel<'_>,
    mut runs: [(&Session, &StageScene); 2],
    area: Rect,
    buf: &mut Buffer,
) {
    runs.sort_by_key(|(session, _)| view.kernels.cache.order(session.problem()));
    let titles = runs.map(|(session, _)| session.problem().label());
    let counts = runs.map(|(session, _)| {
        let totals = session.place().totals.ptx;
        [
            ("sectors so far", totals.global.loads.sectors, Role::Memory),
            ("passes so far", totals.shared.all().wavefronts, Role::Shared),
        ]
        .map(|(words, value, role)| StageCount { words, value, note: "", role })
    });
    let half = |i: usize| {
        let scene = runs[i].1;
        let shares = !scene.doors.is_empty();
        let note = if shares { "from shared memory" } else { "from global memory" };
        let end = ending_costs(runs[i].0);
        let most = end.map_or(0, |end| end.sectors.max(end.passes).into());
        StageHalf { title: &titles[i], note, scene, counts: &counts[i], most }
    };
    let sentence = redacted::sentence(view.app, &same_place(view, runs)).into_owned();
    let halves = [half(0), half(1)];
    StageComparison { sentence: &sentence, halves, last: &at_the_end(runs), look: view.look }
        .render(area, buf);
}

/// "Both add the product of k = 5.", or what the run that is shown does.
fn same_place(view: &ViewModel<'_>, runs: [(&Session, &StageScene); 2]) -> String {
    let along = |scene: &StageScene| match &scene.below {
        LowerRoom::Cross(cross) => cross.k,
        _ => None,
    };
    let k = runs.iter().all(|(_, scene)| along(scene).is_some()).then(|| {
        let each = view.session.problem().fma_per_k(view.session.block());
        view.session.work().checked_sub(1).map(|last| (f64::from(last) / each.max(1.0)) as u32)
    });
    k.flatten().map_or_else(
        || view.app.sentence().to_owned(),
        |k| format!("Both add the product of k = {k}."),
    )
}

/// "At the end: 2,048 sectors and 256; 0 passes and 832."
fn at_the_end(runs: [(&Session, &StageScene); 2]) -> String {
    let ends = runs.map(|(session, _)| ending_costs(session));
    let [Some(left), Some(right)] = ends else { return String::new() };
    let [sectors, passes] = [(left.sectors, right.sectors), (left.passes, right.passes)]
        .map(|(left, right)| [left, right].map(|count| grouped(count.into())));
    format!(
        "At the end: {} sectors and {}; {} passes over the banks and {}.",
        sectors[0], sectors[1], passes[0], passes[1]
    )
}

/// What a run costs in all, once it is known.
fn ending_costs(session: &Session) -> Option<RunCost> {
    let trace = session.trace();
    trace.complete().then(|| trace.costs().last().copied()).flatten()
}

/// The sentence alone, until it is known how the run is shown.
fn waits(view: &ViewModel<'_>, area: Rect, buf: &mut Buffer) {
    let inside = Rect {
        x: area.x + 4.min(area.width),
        width: area.width.saturating_sub(8),
        y: area.y + 1.min(area.height),
        height: area.height.saturating_sub(1),
    };
    let lines = wrap_balanced(view.app.sentence(), inside.width, inside.height);
    let bold = view.look.bold();
    Text::styled(lines.join("\n"), bold).render(inside, buf);
}

/// Draws the kernel, its block and how far it is; at the right the pace and the key of the workbench.
fn title(view: &ViewModel<'_>, area: Rect, buf: &mut Buffer) {
    let (look, session) = (view.look, view.session);
    let pace = match view.playback.pace {
        Pace::Meaning => view.playback.speed.to_string(),
        Pace::Even => format!("evenly {}", view.playback.speed),
    };
    // While a question is open, digits are its answer.
    let leads = view.areas.class > SizeClass::Single && view.context != Context::Question;
    let key = view.keymap.key_of("view").filter(|_| leads);
    let key = key.map_or_else(String::new, |key| format!("{key} all panels"));
    let lesson = Some(place(view, area.width)).filter(|place| !place.is_empty());
    let items: Vec<_> = lesson.into_iter().chain(items(view)).collect();
    // While a question is open, they may be its answer.
    let wrong = if view.redacted.asks { String::new() } else { findings(session) };
    let playing = view.playback.playing;
    StageTitle { items: &items, wrong: &wrong, pace: &pace, playing, key: &key, look }
        .render(area, buf);
}

/// What is shown, the most important first; by what one steps, if not by events.
fn items(view: &ViewModel<'_>) -> [String; 4] {
    let (session, unit) = (view.session, view.playback.unit);
    let (problem, grid) = (session.problem(), session.problem().launch.grid);
    let of = if grid.z > 1 || session.at() == 0 {
        String::new()
    } else {
        format!(" of {} x {}", grid.x, grid.y)
    };
    // The same as the phases below the picture say.
    let of_scene = view.scene.as_ref().and_then(|scene| scene.phases.tile);
    let of_run = || Some((session.k_tile()? + 1, problem.k_tiles()?));
    let tile = of_scene.or_else(of_run).filter(|_| session.at() > 0);
    let by = match unit {
        StepSize::Event => String::new(),
        unit => format!("by {}", session.unit_name(unit)),
    };
    [
        name(problem),
        by,
        format!("block ({}){of}", session.block().place_in(grid)),
        tile.map_or_else(String::new, |(tile, of)| format!("tile {tile} of {of}")),
    ]
}

/// `tiled 16 x 16`.
fn name(problem: &Problem) -> String {
    let tile = problem.tile().filter(|tile| tile.m == tile.n && tile.k == tile.m);
    match tile {
        Some(tile) => format!("{} {} x {}", problem.name(), tile.m, tile.n),
        None => problem.label(),
    }
}

/// What the stage shows and where each of its places stands, if it is on the screen.
pub fn stage(app: &App) -> Option<(StageScene, StageGeometry)> {
    let scene = app.stage_scene()?;
    let change = app.in_motion().and_then(Motion::room_change);
    let geometry = arranged_while(&scene, change, app.areas().stage.as_size());
    Some((scene, geometry))
}
