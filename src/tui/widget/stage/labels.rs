//! Titles, counts and costs beside the places. No word touches a fill, and none is cut.

use super::fit::has_names;
use super::gauges::{gauge_words, gauged, short};
use super::geometry::{RoomShape, StageGeometry, tile};
use super::paint::{Painting, Shade, role};
use super::place::{Bundle, PlaceShape, PlacedTile};
use crate::study::stage::{
    CellLevel, CellRange, Collar, CostLine, CostVerdict, Cross, LowerRoom, PlaceId, StageScene,
    TileKind, WarpBand, WordTile,
};
use crate::tui::layout::text::{fitting, width};
use crate::tui::theme::Role;
use crate::tui::widget::pen::Pen;
use ratatui::style::{Modifier, Style};

/// A pen that knows what is painted, and writes only where nothing is.
pub(super) struct Writing<'a> {
    pub(super) pen: Pen<'a>,
    pub(super) painting: Painting,
    pub(super) margin: u16,
}

impl Writing<'_> {
    pub(super) fn is_free(&mut self, x: u16, row: u16) -> bool {
        let painted = [0, 1].map(|half| self.painting.at(x, 2 * row + half));
        painted == [Shade::Ground; 2]
            && self.pen.cell(x, row).is_some_and(|cell| cell.symbol() == " ")
    }

    /// Whether text stands there, on no place.
    pub(super) fn is_written(&mut self, x: u16, row: u16) -> bool {
        let painted = [0, 1].map(|half| self.painting.at(x, 2 * row + half));
        painted == [Shade::Ground; 2] && !self.is_free(x, row)
    }

    /// The free columns from this one on, less one before what stands there.
    pub(super) fn room(&mut self, x: u16, row: u16) -> u16 {
        if x > 0 && !self.is_free(x - 1, row) {
            return 0;
        }
        let end = self.pen.width().saturating_sub(self.margin.min(2));
        let free = (x..end).take_while(|x| self.is_free(*x, row)).count() as u16;
        if x + free < end { free.saturating_sub(1) } else { free }
    }

    /// Writes the longest wording that fits from a column on; returns the column after it.
    pub(super) fn say(
        &mut self,
        (x, row): (u16, u16),
        wordings: &[String],
        style: Style,
    ) -> Option<u16> {
        let room = self.room(x, row);
        let text = fitting(wordings, room);
        (!text.is_empty()).then(|| self.pen.text(x, row, text, style))
    }

    /// The same, with three free columns before what stands there.
    fn say_apart(&mut self, (x, row): (u16, u16), wordings: &[String], style: Style) {
        let room = self.room(x, row);
        let edge = x + room >= self.pen.width().saturating_sub(self.margin.min(2));
        let text = fitting(wordings, if edge { room } else { room.saturating_sub(2) });
        self.pen.text(x, row, text, style);
    }

    /// The same, ending before a column.
    pub(super) fn say_before(
        &mut self,
        (end, row): (u16, u16),
        wordings: &[String],
        style: Style,
    ) -> Option<u16> {
        wordings.iter().find_map(|text| {
            let x = end.checked_sub(width(text))?;
            if text.is_empty() || self.room(x, row) < width(text) {
                return None;
            }
            self.pen.text(x, row, text, style);
            Some(x)
        })
    }
}

/// Writes what stands beside each place.
pub(super) fn write(scene: &StageScene, plan: &StageGeometry, writing: &mut Writing<'_>) {
    rooms(plan, writing);
    let mut above = Vec::new();
    for placed in &plan.tiles {
        let Some(tile) = tile(scene, placed.place) else { continue };
        match (placed.shape, placed.place) {
            (PlaceShape::Gauge, _) => gauge(scene, plan, writing, (tile, placed)),
            (PlaceShape::Names, _) | (_, PlaceId::Left | PlaceId::Corner | PlaceId::Top) => {}
            (PlaceShape::Grid, _) => {
                let row = placed.area.rows().start.saturating_sub(1);
                above.push((tile, (placed.area.x, row)));
            }
        }
    }
    titles_of(writing, &above);
    if let (LowerRoom::Cross(cross), RoomShape::Cross { tight }) = (&scene.below, plan.below.shape)
    {
        cross_labels(plan, writing, (cross, tight));
    }
    wear_words(scene, plan, writing);
    for placed in &plan.tiles {
        let Some(tile) = tile(scene, placed.place) else { continue };
        let of_cross = matches!(placed.place, PlaceId::Left | PlaceId::Corner | PlaceId::Top);
        if placed.shape != PlaceShape::Gauge && !of_cross {
            below(writing, tile, placed);
            if names_stand_before(scene, placed.place) {
                bands(writing, tile, placed);
            }
        }
    }
}

fn names_stand_before(scene: &StageScene, place: PlaceId) -> bool {
    match (place, &scene.below) {
        (PlaceId::Above(i), _) => has_names(&scene.above, i),
        (PlaceId::Below(i), LowerRoom::Row(tiles)) => has_names(tiles, i),
        _ => false,
    }
}

/// The words before the line of a room.
fn rooms(plan: &StageGeometry, writing: &mut Writing<'_>) {
    for (upper, room) in [(true, &plan.above), (false, &plan.below)] {
        let words = gauge_words(upper, writing.pen.width().saturating_sub(2 * plan.margin));
        let lined = room.shape == RoomShape::Gauges;
        if lined && !words.is_empty() && plan.doors.first() != Some(&0) {
            let dim = writing.pen.look.dim();
            writing.say((plan.margin, room.rows.start), &[words.to_owned()], dim);
        }
    }
}

fn title_style(writing: &Writing<'_>, tile: &WordTile) -> Style {
    match tile.kind {
        TileKind::Threads => writing.pen.look.text().add_modifier(Modifier::BOLD),
        TileKind::Global | TileKind::Shared | TileKind::Sums => {
            writing.pen.look.strong(role(tile.hue))
        }
    }
}

fn titles(tile: &WordTile) -> Vec<String> {
    vec![tile.title.clone(), short(&tile.title).to_owned()]
}

/// Writes titles, and what stands beside them only once all titles stand.
pub(super) fn titles_of(writing: &mut Writing<'_>, all: &[(&WordTile, (u16, u16))]) {
    let ends: Vec<_> = all
        .iter()
        .map(|(tile, at)| {
            let style = title_style(writing, tile);
            writing.say(*at, &titles(tile), style)
        })
        .collect();
    let dim = writing.pen.look.dim();
    for ((tile, (_, row)), end) in all.iter().zip(ends) {
        if let Some(end) = end {
            writing.say_apart((end + 2, *row), &notes(tile), dim);
        }
    }
}

/// What stands beside a title, the most telling last: that alone where not everything fits.
fn notes(tile: &WordTile) -> Vec<String> {
    let set = match tile.copies.all {
        0 | 1 => String::new(),
        all => format!("set {} of {all}", tile.copies.this),
    };
    let turned = if tile.turned { "turned" } else { "" };
    let all: Vec<&str> =
        [tile.note.as_str(), &set, turned].into_iter().filter(|text| !text.is_empty()).collect();
    (0..all.len()).map(|first| all[first..].join(", ")).collect()
}

/// A line of costs: its mark says without colour whether it is a warning.
fn cost_words(writing: &Writing<'_>, cost: &CostLine) -> (Vec<String>, Style) {
    let look = writing.pen.look;
    let (mark, style) = match cost.verdict {
        CostVerdict::Full => (look.pick("●", "ok"), look.ink(Role::C)),
        CostVerdict::Partly => (look.pick("○", "--"), look.text()),
        CostVerdict::Wasteful => (look.pick("▲", "!!"), look.strong(Role::Bad)),
    };
    let style = if cost.now { style } else { look.dim() };
    (cost.words.iter().map(|words| format!("{mark} {words}")).collect(), style)
}

fn bundle_words(bundle: Bundle) -> Vec<String> {
    if bundle == Bundle::ONE {
        return Vec::new();
    }
    let by = format!("{} x {}", bundle.rows, bundle.columns);
    vec![format!("a cell is {by} words"), format!("{by} words")]
}

/// What stands under a tile: its cost, else how many words a cell is.
fn below(writing: &mut Writing<'_>, tile: &WordTile, placed: &PlacedTile) {
    let at = (placed.area.x, placed.area.rows().end);
    let mut end = None;
    if let Some(cost) = &tile.cost {
        let (words, style) = cost_words(writing, cost);
        end = writing.say(at, &words, style);
    }
    let dim = writing.pen.look.dim();
    if placed.shape == PlaceShape::Grid {
        let x = end.map_or(at.0, |end| end + 2);
        writing.say((x, at.1), &bundle_words(placed.bundle), dim);
    }
}

/// The names of the warps before a tile, and what they do: of several in a row of the screen that of the
/// one which acts, or the first and the last.
fn bands(writing: &mut Writing<'_>, tile: &WordTile, placed: &PlacedTile) {
    let alike = alike(&tile.bands);
    let rows =
        |band: &WarpBand| placed.of(&CellRange { rows: band.rows.clone(), columns: 0..1 }).rows();
    let groups: Vec<_> =
        tile.bands.chunk_by(|one, next| rows(one).start == rows(next).start).collect();
    let starts: Vec<_> = groups.iter().map(|group| rows(&group[0]).start).collect();
    let end = match placed.shape {
        PlaceShape::Names => placed.area.right(),
        PlaceShape::Grid | PlaceShape::Gauge => placed.area.x.saturating_sub(1),
    };
    for (number, group) in groups.into_iter().enumerate() {
        let acting = group.iter().find(|band| band.now && !alike);
        let band = acting.unwrap_or(&group[0]);
        let style = band_style(writing, acting.is_some());
        let name = format!("w{}", band.warp);
        let marked = match (acting, group.last().filter(|last| last.warp > group[0].warp)) {
            (Some(_), _) => Some(format!("{}{name}", writing.pen.look.pick("►", ">"))),
            (None, Some(last)) => Some(format!("{name}-{}", last.warp)),
            (None, None) => None,
        };
        let names: Vec<_> = marked.into_iter().chain([name.clone()]).collect();
        let row = starts[number];
        let below = starts.get(number + 1).copied().unwrap_or(u16::MAX);
        let is_high = rows(band).len() > 1 && below > row + 1;
        if is_high && placed.shape == PlaceShape::Grid {
            writing.say_before((end, row), &names, style);
            writing.say_before((end, row + 1), &[band.word.to_owned()], style);
        } else {
            let both = format!("{name} {}", band.word);
            let both = (!band.word.is_empty()).then_some(both);
            let wordings: Vec<_> = both.into_iter().chain(names).collect();
            writing.say_before((end, row), &wordings, style);
        }
    }
}

/// Whether all warps do the same: then none of them stands out.
fn alike(bands: &[WarpBand]) -> bool {
    bands.len() > 1
        && bands.iter().all(|band| (band.now, band.word) == (bands[0].now, bands[0].word))
}

fn band_style(writing: &Writing<'_>, now: bool) -> Style {
    let look = writing.pen.look;
    if now { look.strong(Role::Here) } else { look.dim() }
}

fn gauge(
    scene: &StageScene,
    plan: &StageGeometry,
    writing: &mut Writing<'_>,
    (tile, placed): (&WordTile, &PlacedTile),
) {
    let row = placed.area.rows().start;
    let style = title_style(writing, tile);
    writing.say_before(
        (placed.area.x.saturating_sub(1), row),
        &[short(&tile.title).to_owned()],
        style,
    );
    let last = gauged(scene, placed_above(placed.place)).last().map(|(place, _)| *place);
    let whole = plan.below.shape == RoomShape::Nothing && plan.tiles.len() > 1;
    if last == Some(placed.place) || whole {
        let dim = writing.pen.look.dim();
        let words = match (&scene.below, placed.place, &tile.cost) {
            (LowerRoom::Cross(cross), PlaceId::Corner, _) => counts(cross),
            (_, _, Some(cost)) => cost_words(writing, &of_each(scene, placed.place, cost)).0,
            (_, _, None) => Vec::new(),
        };
        writing.say((placed.area.right() + 2, row), &words, dim);
    }
}

/// What the tiles of global memory in a room cost each, if all of them cost the same.
fn of_each(scene: &StageScene, place: PlaceId, cost: &CostLine) -> CostLine {
    let mut each = cost.clone();
    let all = gauged(scene, placed_above(place));
    let sources = all.iter().filter(|(_, tile)| tile.kind == TileKind::Global);
    let costs: Vec<_> = sources.map(|(_, tile)| &tile.cost).collect();
    if costs.len() > 1 && costs.iter().all(|other| other.as_ref() == Some(cost)) {
        let words = cost.words.iter().map(|words| words.replace(" a tile", " each"));
        each.words = words.collect();
    }
    each
}

const fn placed_above(place: PlaceId) -> bool {
    matches!(place, PlaceId::Above(_))
}

/// `6 of 64 products`, and shorter.
fn counts(cross: &Cross) -> Vec<String> {
    let short = cross.count.replace("product ", "").replace(" products", "");
    [cross.count.clone(), short].into_iter().filter(|text| !text.is_empty()).collect()
}

fn cross_labels(plan: &StageGeometry, writing: &mut Writing<'_>, (cross, tight): (&Cross, bool)) {
    let place = |place| plan.place(place);
    let (Some(left), Some(top), Some(corner)) =
        (place(PlaceId::Left), place(PlaceId::Top), place(PlaceId::Corner))
    else {
        return;
    };
    marks(writing, cross, (left, top));
    collar_names(plan, writing, cross);
    let above = (top.area.x, top.area.rows().start.saturating_sub(1));
    let under = corner.area.rows().end;
    if tight {
        let row = (corner.area.y / 2).saturating_sub(2);
        titles_of(writing, &[(&cross.top, above), (&cross.left, (left.area.x, row))]);
        beside_corner(writing, cross, corner);
    } else {
        let (left_at, corner_at) = ((left.area.x, under), (corner.area.x, under));
        let all = [(&cross.top, above), (&cross.left, left_at), (&cross.corner, corner_at)];
        titles_of(writing, &all);
        under_corner(writing, cross, (corner, under + 1));
        cost(writing, cross.left.cost.as_ref(), (left.area.x, under + 1));
    }
    top_cost(writing, cross, top);
    bands_of_corner(plan, writing, &cross.corner);
    arrow(plan, writing, cross);
}

fn cost(writing: &mut Writing<'_>, cost: Option<&CostLine>, at: (u16, u16)) -> Option<u16> {
    let (words, style) = cost_words(writing, cost?);
    writing.say(at, &words, style)
}

/// The cost of the upper tile stands after its title.
fn top_cost(writing: &mut Writing<'_>, cross: &Cross, top: &PlacedTile) {
    let row = top.area.rows().start.saturating_sub(1);
    let free = (top.area.x..writing.pen.width()).find(|x| {
        writing.is_free(*x, row) && writing.is_free(x.saturating_add(1), row) && {
            let later = (*x..top.area.right()).all(|x| writing.is_free(x, row));
            later || *x >= top.area.right()
        }
    });
    if let Some(x) = free {
        cost(writing, cross.top.cost.as_ref(), (x + 2, row));
    }
}

/// The count under C, and how many words a cell is.
fn under_corner(writing: &mut Writing<'_>, cross: &Cross, (corner, row): (&PlacedTile, u16)) {
    let style = writing.pen.look.chosen();
    let counts = counts(cross);
    let long = counts.first().map(|count| format!("{count} for each element"));
    let wordings: Vec<_> = long.into_iter().chain(counts).collect();
    let end = writing.say((corner.area.x, row), &wordings, style);
    let dim = writing.pen.look.dim();
    let x = end.map_or(corner.area.x, |end| end + 2);
    let end = cost(writing, cross.corner.cost.as_ref(), (x, row)).map_or(x, |end| end + 2);
    writing.say((end, row), &bundle_words(corner.bundle), dim);
}

/// The name of C and the count, one word below the other, where there is no row under it.
fn beside_corner(writing: &mut Writing<'_>, cross: &Cross, corner: &PlacedTile) {
    let x = corner.area.right() + 1;
    let rows = corner.area.rows();
    let style = title_style(writing, &cross.corner);
    writing.say((x, rows.start), &[short(&cross.corner.title).to_owned()], style);
    let short = counts(cross).pop().unwrap_or_default();
    let bold = writing.pen.look.chosen();
    let words: Vec<_> = (rows.start + 1..rows.end).zip(short.split(' ')).collect();
    // A part of it would be another count.
    let all = words.len() == short.split(' ').count();
    if all && words.iter().all(|(row, word)| writing.room(x, *row) >= width(word)) {
        for (row, word) in words {
            writing.pen.text(x, row, word, bold);
        }
    }
}

/// k, written twice: over the left tile's column, and before the upper tile's row.
fn marks(writing: &mut Writing<'_>, cross: &Cross, (left, top): (&PlacedTile, &PlacedTile)) {
    let Some(k) = cross.k else { return };
    let look = writing.pen.look;
    let column = CellRange { rows: 0..1, columns: k..k + 1 };
    let (x, row) = (left.of(&column).x, (left.area.y / 2).saturating_sub(1));
    writing.say((x, row), &[format!("{} k {k}", look.pick("▼", "v"))], look.strong(Role::Here));
    let line = CellRange { rows: k..k + 1, columns: 0..1 };
    let row = top.of(&line).rows().start;
    let end = top.area.x.saturating_sub(1);
    writing.say_before(
        (end, row),
        &[format!("k {k} {}", look.pick("►", ">"))],
        look.strong(Role::Here),
    );
}

fn holds(collar: Option<&Collar>) -> bool {
    collar.is_some_and(|collar| collar.cells.iter().any(|level| *level != CellLevel::Empty))
}

fn collar_names(plan: &StageGeometry, writing: &mut Writing<'_>, cross: &Cross) {
    let look = writing.pen.look;
    if let (Some(collar), Some(placed)) = (&cross.left_collar, plan.place(PlaceId::LeftCollar))
        && holds(Some(collar))
    {
        let row = (placed.area.y / 2).saturating_sub(1);
        writing.say((placed.area.x, row), &[collar.name.to_owned()], look.strong(role(collar.hue)));
    }
    if let (Some(collar), Some(placed)) = (&cross.top_collar, plan.place(PlaceId::TopCollar))
        && holds(Some(collar))
    {
        let name = format!("{} {}", look.pick("◄", "<"), collar.name);
        let words = [format!("{name}, one for each column"), name];
        let at = (placed.area.right() + 1, placed.area.y / 2);
        writing.say(at, &words, look.ink(role(collar.hue)));
    }
}

/// What the warps of the rows of C do, between the left tile and the collar.
fn bands_of_corner(plan: &StageGeometry, writing: &mut Writing<'_>, corner: &WordTile) {
    let (Some(placed), Some(collar)) =
        (plan.place(PlaceId::Corner), plan.place(PlaceId::LeftCollar))
    else {
        return;
    };
    if alike(&corner.bands) {
        return;
    }
    let up = writing.pen.look.pick("▲ ", "^ ");
    let is_filled = |row: u16| writing.painting.at(collar.area.x, 2 * row) != Shade::Ground;
    let filled = collar.area.rows().any(is_filled);
    let end = if filled { collar.area.x } else { collar.area.right() + 1 };
    for band in &corner.bands {
        let words = CellRange { rows: band.rows.clone(), columns: 0..1 };
        let row = placed.of(&words).rows().start;
        let mark = if band.word == "up" { up } else { "" };
        let name = format!("w{}", band.warp);
        let words = [format!("{name} {mark}{}", band.word), name];
        // All of them act while they go up: who has come stands out.
        let style = match band.word {
            "up" => writing.pen.look.chosen(),
            "here" => writing.pen.look.dim(),
            _ => band_style(writing, band.now),
        };
        writing.say_before((end.saturating_sub(1), row), &words, style);
    }
}

/// The direction in which column k goes.
fn arrow(plan: &StageGeometry, writing: &mut Writing<'_>, cross: &Cross) {
    let (Some(left), Some(collar)) = (plan.place(PlaceId::Left), plan.place(PlaceId::LeftCollar))
    else {
        return;
    };
    if !holds(cross.left_collar.as_ref())
        || !(cross.corner.bands.is_empty() || alike(&cross.corner.bands))
    {
        return;
    }
    let rows = collar.area.rows();
    let row = rows.start + (rows.end - rows.start) / 2;
    let end = collar.area.x.saturating_sub(2);
    let look = writing.pen.look;
    if end >= left.area.right() + 4 {
        writing.say_before((end, row), &[look.pick("──►", "-->").to_owned()], look.dim());
    }
}

/// How often the sectors beside a meter of wear were fetched.
fn wear_words(scene: &StageScene, plan: &StageGeometry, writing: &mut Writing<'_>) {
    for placed in plan.tiles.iter().filter(|placed| placed.shape == PlaceShape::Grid) {
        let Some(tile) = tile(scene, placed.place) else { continue };
        let most = tile.wear.as_ref().and_then(|wear| wear.rows.iter().copied().max());
        // One that was fetched once needs no word.
        let Some(most) = most.filter(|most| *most > 1) else { continue };
        let row = placed.area.rows().start.saturating_sub(1);
        let style = writing.pen.look.ink(Role::Memory);
        let words = [format!("fetched {most}x"), format!("{most}x")];
        let first = placed.area.right() + 1;
        // After the title, which may be a little longer than its tile.
        let x = (first..first + 4).find(|x| (x - 2..*x).all(|before| writing.is_free(before, row)));
        if let Some(x) = x {
            writing.say((x, row), &words, style);
        }
    }
}
