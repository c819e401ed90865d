//! Lanes that fall on the banks of shared memory: as high as a tower is, so many passes it takes.

use super::{BrickMotion, BrickPaint, BrickState, BrickWords, between, fallen};
use crate::analysis::banks::BANKS;
use crate::analysis::coalesce;
use crate::matrix::Operand;
use crate::report::bricks::{
    BankPass, BankTowers, Brick, CostMark, bank_words, lane_number, pass_words, share_of_warp,
};
use crate::report::number::Count;
use crate::sim::{Access, Route};
use crate::tui::facts::{ExecutedSass, PaddedAccess, SharedValues};
use crate::tui::layout::text::{fitting, width};
use crate::tui::theme::{Look, Role, Tone, role};
use crate::tui::widget::canvas::{Canvas, block, over};
use crate::tui::widget::panel;
use crate::tui::widget::pen::Pen;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::Widget;
use std::slice;

/// The passes over the banks that a warp's access to shared memory takes.
#[derive(Clone, Copy, Debug)]
pub struct Towers<'a> {
    /// The access as written in PTX, or `None` before the first one.
    pub access: Option<&'a Access>,
    pub warp: u16,
    /// The matrix whose tile it touches, which determines the colour, if known.
    pub operand: Option<Operand>,
    /// The SASS that it becomes, and what is unknown about that.
    pub becomes: &'a ExecutedSass,
    /// The values in shared memory, if its words are those of the access.
    pub values: Option<&'a SharedValues>,
    /// The banks that are pointed at, bank 0 in the lowest bit.
    pub pointed: u32,
    pub motion: BrickMotion,
    /// The passes for which there is room at least, so that the floor stays where it was.
    pub keeps: usize,
    /// The same access if rows were longer, or without padding, if that makes a difference.
    pub padded: Option<&'a PaddedAccess>,
    /// If several warps have just executed it together: how many, and the passes of all of them.
    pub together: Option<(usize, u32)>,
    /// The line that made it, 0 if unknown, if that is not the present event.
    pub before: Option<u32>,
    pub look: Look,
}

/// Rows that the picture of the SASS accesses needs, with its heading and its verdict.
const PICTURE: u16 = 7;
/// Columns of `pass 32 `, and of `bank `.
const PASS: u16 = 8;
const BANK: u16 = 5;
/// The widest bank, and the narrowest on which a brick has a number.
const WIDEST: u16 = 6;
const NUMBERED: u16 = 2;
/// The narrowest bank with room for the value of a word.
const VALUED: u16 = 5;

/// Where the parts of a picture stand.
#[derive(Clone, Copy, Debug)]
struct TowerPlan {
    /// Columns before the banks, of each bank, and between two of them; no picture if a bank has none.
    label: u16,
    pitch: u16,
    gap: u16,
    /// The rows of the towers: the first, and how many.
    first: u16,
    rows: u16,
    /// If bricks have numbers: the rows of each.
    thick: Option<u16>,
    /// Otherwise the passes that a half row stands for.
    each: usize,
    floor: Option<u16>,
    numbers: Option<u16>,
    pips: Option<u16>,
    words: u16,
}

/// One picture: the towers, and what is said of them.
struct TowerPicture<'a> {
    towers: BankTowers,
    widget: Towers<'a>,
    words: BrickWords<'a>,
}

impl<'a> Towers<'a> {
    /// Returns the title and the note of the frame: the warp, and the origin of the figures.
    pub fn title(&self, width: u16) -> (String, String) {
        let [what, how] = super::title_words(self.access);
        let notes = super::notes(
            self.warp,
            self.before,
            ["simulated, PTX", "PTX", "PTX"],
            "simulated, PTX",
        );
        let short = format!("Shared {how}");
        let titles = [format!("Shared {what}: 32 banks"), format!("{short}: banks"), short];
        panel::fitting(&titles, &notes, width)
    }

    /// Returns the rows that the picture needs to show each pass.
    pub fn need(&self) -> u16 {
        let passes =
            self.access.map_or(1, |access| BankTowers::of(slice::from_ref(access)).passes.len());
        (passes as u16).div_ceil(2) + 2
    }

    fn picture(&self, accesses: &[Access]) -> TowerPicture<'a> {
        let towers = BankTowers::of(accesses);
        let now = match self.motion {
            BrickMotion::Pass(pass) if pass < towers.passes.len() => Some(pass),
            _ => None,
        };
        let verdict = match now {
            Some(pass) => pass_words(&towers, pass),
            None => bank_words(&towers, accesses),
        };
        let hints = self.hints(&towers, accesses);
        let mark = towers.mark();
        let stale = self.before.is_some();
        let words = BrickWords { mark, verdict, asides: Vec::new(), hints, stale };
        TowerPicture { towers, widget: *self, words }
    }

    fn hints(&self, towers: &BankTowers, accesses: &[Access]) -> Vec<String> {
        let by_descriptor = accesses.iter().any(|access| access.route == Route::Wgmma);
        let bytes = accesses.first().map_or(0, |access| access.bytes);
        let share = share_of_warp(towers, bytes).filter(|_| !by_descriptor);
        let part = by_descriptor.then(|| "the last 32 pieces that tensor cores load".to_owned());
        let all = self.together.map(|(warps, passes)| {
            format!("shown: this warp; all {warps}: {}", Count(passes.into(), "pass"))
        });
        let idle = (towers.mark() == CostMark::Bad && towers.idle() > 0)
            .then(|| format!("{} of 32 banks stand idle", towers.idle()));
        let padded = self.padded.map(|padded| {
            let passes = BankTowers::of(slice::from_ref(&padded.access)).passes.len();
            let passes = Count(passes as u64, "pass");
            if padded.longer {
                format!("if each row of {} has one word more: {passes}", padded.array)
            } else {
                format!("without the word more in each row of {}: {passes}", padded.array)
            }
        });
        let rule = [
            "a brick is a lane; in each pass a bank takes one",
            "bank = (byte address / 4) mod 32; lanes of one word are one brick",
        ];
        part.into_iter()
            .chain(share)
            .chain(padded)
            .chain(rule.map(str::to_owned))
            .chain(all)
            .chain(idle)
            .collect()
    }

    /// Returns the pictures and where they stand in a panel of this size: the access as written and,
    /// if there is room and it differs, as executed, one above the other.
    fn pictures(&self, (width, height): (u16, u16)) -> Vec<(Rect, TowerPicture<'a>)> {
        let Some(access) = self.access.filter(|access| !access.route.is_distributed()) else {
            return Vec::new();
        };
        let ExecutedSass { instead, words, doubt, .. } = self.becomes;
        let written = slice::from_ref(access);
        let whole = Rect { x: 0, y: 0, width, height };
        if let Some((above, below)) = self.padded_rows(height) {
            let place = Rect { y: above + 2, height: below, ..whole };
            let alone = Towers { padded: None, ..*self }.picture(written);
            let first = (Rect { height: above, ..whole }, alone);
            return std::iter::once(first).chain(self.if_padded().map(|it| (place, it))).collect();
        }
        let Some(instead) = instead.as_deref().filter(|_| height >= 2 * PICTURE) else {
            let mut picture = self.picture(written);
            picture.words.asides =
                [words, doubt].into_iter().filter(|words| !words.is_empty()).collect();
            return vec![(whole, picture)];
        };
        let half = height / 2;
        let parts = [(0, half, written), (half, height - half, instead)];
        let part = |(y, height, accesses): (u16, u16, &[Access])| {
            let height = height.saturating_sub(2);
            (Rect { y: y + 1, height, ..whole }, self.picture(accesses))
        };
        parts.map(part).into()
    }

    /// Returns the rows of the picture and of the one with padding, if there is room for both.
    fn padded_rows(&self, height: u16) -> Option<(u16, u16)> {
        let passes = |access| BankTowers::of(slice::from_ref(access)).passes.len() as u16;
        let below = passes(&self.padded?.access) + 4;
        let above = height.checked_sub(below + 2)?;
        (above >= passes(self.access?) + 6).then_some((above, below))
    }

    /// The picture of the access if rows were longer, or without padding.
    fn if_padded(&self) -> Option<TowerPicture<'a>> {
        let padded = self.padded?;
        let rest =
            Towers { motion: BrickMotion::Rest, keeps: 0, pointed: 0, together: None, ..*self };
        let rest = Towers { access: Some(&padded.access), values: None, padded: None, ..rest };
        let mut picture = rest.picture(slice::from_ref(&padded.access));
        picture.words.hints.clear();
        Some(picture)
    }

    /// Says above the picture with other rows what it is.
    fn title_padded(&self, pen: &mut Pen<'_>) {
        let Some((padded, (y, _))) = self.padded.zip(self.padded_rows(pen.height())) else {
            return;
        };
        let look = pen.look;
        pen.repeat(0, y, pen.width(), look.pick("─", "-"), look.border());
        let text = if padded.longer {
            format!("The same if each row of {} has one word more:", padded.array)
        } else {
            format!("The same without the word more in each row of {}:", padded.array)
        };
        let x = pen.text(0, y + 1, &text, look.bold());
        let kernel = padded.kernel.as_deref().unwrap_or_default();
        if x + 3 + width(kernel) <= pen.width() {
            pen.text(x + 3, y + 1, kernel, look.dim());
        }
    }

    /// Draws the titles of the access as written and as executed, one above the other.
    fn titles(&self, pen: &mut Pen<'_>, instead: &[Access]) {
        let (width, half) = (pen.width(), pen.height() / 2);
        let bold = pen.look.bold();
        let words = fitting(&self.becomes.words, width.saturating_sub(SASS.len() as u16));
        pen.text(0, 0, "PTX", bold);
        pen.text(0, half, &format!("{SASS}{words}"), bold);
        if instead.is_empty() {
            let line = self.becomes.with.map(|line| format!(", PTX line {line}"));
            let text = format!("Nothing here: it comes with that{}.", line.unwrap_or_default());
            pen.text(0, half + 1, &text, pen.look.text());
        }
    }
}

/// Introduces the SASS accesses.
const SASS: &str = "SASS: ";

impl Widget for Towers<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        let mut pen = Pen::new(area, buf, self.look);
        match self.access {
            None => {
                let text = format!("w{}: no access to shared memory yet", self.warp);
                pen.text(0, 0, &text, self.look.dim());
            }
            Some(access) if access.route.is_distributed() => far(&mut pen, self.warp, access),
            Some(_) => {
                let pictures = self.pictures((pen.width(), pen.height()));
                if let (Some(instead), 2..) = (&self.becomes.instead, pictures.len()) {
                    self.titles(&mut pen, instead);
                }
                self.title_padded(&mut pen);
                for (part, picture) in pictures {
                    if !picture.towers.passes.is_empty() {
                        picture.draw(&mut pen.part(part));
                    }
                }
            }
        }
    }
}

/// Says what an access to other blocks' shared memory costs.
fn far(pen: &mut Pen<'_>, warp: u16, access: &Access) {
    let [_, far] = access.near_and_far();
    let lanes = Count(far.active.count().into(), "lane");
    let sectors = Count(coalesce::sectors(&far).sectors.into(), "sector");
    let text = format!("w{warp}: {lanes} in other blocks' memory");
    pen.text(0, 0, &text, pen.look.text());
    pen.text(0, 1, &format!("a request of {sectors} of 32 bytes:"), pen.look.text());
    pen.text(0, 2, "no banks are counted for it", pen.look.dim());
}

/// Returns the description of the bank at a position of the screen.
pub fn bank_at(towers: &Towers<'_>, area: Rect) -> impl Fn(u16, u16) -> Option<u8> + use<> {
    let pictures = towers.pictures((area.width, area.height)).into_iter();
    let plans: Vec<_> =
        pictures.map(|(part, picture)| (part, picture.plan((part.width, part.height)))).collect();
    move |x, y| {
        let (x, y) = (x.checked_sub(area.x)?, y.checked_sub(area.y)?);
        let (part, plan) = plans.iter().find(|(part, _)| part.contains((x, y).into()))?;
        let below = plan.numbers.or(plan.floor).map_or(plan.first + plan.rows, |row| row + 1);
        let inside = (plan.first..below).contains(&(y - part.y)) && plan.pitch > 0;
        let x = (x - part.x).checked_sub(plan.label).filter(|_| inside)?;
        let on = plan.gap == 0 || x % plan.pitch < plan.pitch - plan.gap;
        u8::try_from(x / plan.pitch).ok().filter(|bank| usize::from(*bank) < BANKS && on)
    }
}

impl TowerPlan {
    fn x(&self, bank: usize) -> u16 {
        self.label + bank as u16 * self.pitch
    }

    /// The row of a brick that lies so many passes above the floor.
    fn y(&self, height: usize, thick: u16) -> u16 {
        (self.first + self.rows).saturating_sub((height as u16 + 1) * thick)
    }
}

impl TowerPicture<'_> {
    fn plan(&self, (wide, height): (u16, u16)) -> TowerPlan {
        let passes = self.towers.passes.len().max(self.widget.keeps) as u16;
        let valued = self.widget.values.is_some();
        let (label, pitch) = match wide {
            0..32 => (0, 0),
            32..37 => (0, 1),
            37..69 => (BANK, 1),
            69..72 => (BANK, 2),
            _ => (PASS, ((wide - PASS) / BANKS as u16).min(WIDEST)),
        };
        let gap = u16::from(pitch > 2);
        let room =
            height.saturating_sub(1 + u16::from(!self.words.asides.is_empty() && height > 3));
        let least = |room: u16| passes.div_ceil(2 * room.max(1)).max(1);
        // Numbers of banks, but not in place of a pass.
        let numbers = room >= 2 && least(room - 1) == least(room) && pitch > 0;
        let room = if pitch > 0 { room - u16::from(numbers) } else { 0 };
        let thick = (pitch >= NUMBERED && passes <= room).then(|| {
            let double = room >= 3 * passes + 8 || valued && room > 2 * passes + 3;
            if double { 2 } else { 1 }
        });
        let each = least(room);
        let rows = match thick {
            Some(thick) => passes * thick,
            None => passes.div_ceil(2 * each).min(room),
        };
        let spare = room - rows;
        let floor = spare >= 2;
        let pips = spare >= 4 && passes > 1;
        let above = if spare >= 8 { 3 } else { 0 };
        let below = above + rows;
        let next = below + u16::from(floor);
        let after = next + u16::from(numbers);
        TowerPlan {
            label,
            pitch,
            gap,
            first: above,
            rows,
            thick,
            each: usize::from(each),
            floor: floor.then_some(below),
            numbers: numbers.then_some(next),
            pips: pips.then_some(after),
            words: after + u16::from(pips),
        }
    }

    fn draw(&self, pen: &mut Pen<'_>) {
        let plan = self.plan((pen.width(), pen.height()));
        if plan.pitch > 0 {
            match plan.thick {
                Some(thick) => self.numbered(pen, &plan, thick),
                None => self.bars(pen, &plan),
            }
            self.floor(pen, &plan);
        }
        if let Some(y) = plan.pips {
            self.pips(pen, y);
        }
        self.words.write(pen, plan.words);
    }

    fn paint(&self) -> BrickPaint {
        let (look, stale) = (self.widget.look, self.words.stale);
        let hue = self.widget.operand.map_or(Role::Shared, role);
        BrickPaint { look, hue, stale, empty: Tone::None }
    }

    /// The passes that have been served.
    fn gone(&self) -> usize {
        match self.widget.motion {
            BrickMotion::Pass(pass) if pass < self.towers.passes.len() => pass,
            _ => 0,
        }
    }

    fn state(&self, number: usize, brick: &Brick) -> BrickState {
        let pointed = brick.banks().any(|bank| self.widget.pointed >> bank & 1 == 1);
        match self.widget.motion {
            BrickMotion::Pass(pass) if number == pass => BrickState::Now,
            // What costs is seen where it lies.
            BrickMotion::Falling(_) => BrickState::Plain,
            _ if pointed => BrickState::Pointed,
            _ if brick.costs => BrickState::Costs,
            _ => BrickState::Plain,
        }
    }

    /// Draws bricks with the numbers of their lanes, a row or two each.
    fn numbered(&self, pen: &mut Pen<'_>, plan: &TowerPlan, thick: u16) {
        let (paint, gone, count) = (self.paint(), self.gone(), self.towers.passes.len());
        let lying = self.towers.passes.iter().enumerate().skip(gone);
        for (number, pass) in lying {
            let height = number - gone;
            let y = plan.y(height, thick);
            let named = pass.numbered(plan.pitch);
            self.label(pen, plan, y, number);
            for (brick, named) in pass.bricks.iter().zip(named) {
                // A plus, for lanes that share it, has the column before the next bank.
                let gap = if brick.lanes.count() > 1 { 0 } else { plan.gap };
                let wide = u16::from(brick.wide) * plan.pitch - gap;
                let text = if named { lane_number(brick.lanes, wide) } else { String::new() };
                let at = self.way(plan, brick, y, (height, count));
                paint.lay(pen, at, (wide, thick), (self.state(number, brick), &text));
                if thick > 1 && !self.values(pen, plan, brick, at.1 + 1, number) {
                    paint.joint(pen, (at.0, at.1 + 1), wide, self.state(number, brick));
                }
            }
            if height == 0 {
                Self::idle(pen, plan, y, &pass.bricks);
            }
        }
    }

    /// Where a brick is on its way down to row `y`.
    fn way(
        &self,
        plan: &TowerPlan,
        brick: &Brick,
        y: u16,
        (height, count): (usize, usize),
    ) -> (u16, u16) {
        let to = plan.x(brick.bank.into());
        let BrickMotion::Falling(part) = self.widget.motion else { return (to, y) };
        let part = fallen(part, height, count);
        let from = plan.x(brick.lanes.lanes().next().unwrap_or_default());
        // The lanes stand in the first row before they fall.
        (between(from, to, part), between(0, y, part))
    }

    fn label(&self, pen: &mut Pen<'_>, plan: &TowerPlan, y: u16, number: usize) {
        let now = self.widget.motion == BrickMotion::Pass(number);
        let look = pen.look;
        let number = number + 1;
        let text = if plan.label < PASS { number.to_string() } else { format!("pass {number}") };
        let style = if now { look.strong(Role::Here) } else { look.dim() };
        pen.text(0, y, &text, style);
    }

    /// Marks the banks that have nothing to do in the lowest row.
    fn idle(pen: &mut Pen<'_>, plan: &TowerPlan, y: u16, bricks: &[Brick]) {
        let dot = pen.look.pick("·", ".");
        for bank in 0..BANKS {
            if !bricks.iter().any(|brick| brick.banks().contains(&bank)) {
                pen.text(plan.x(bank) + (plan.pitch - 1) / 2, y, dot, pen.look.border());
            }
        }
    }

    /// Writes the values of a brick's words below its number, if it lies there and they are known.
    fn values(
        &self,
        pen: &mut Pen<'_>,
        plan: &TowerPlan,
        brick: &Brick,
        y: u16,
        number: usize,
    ) -> bool {
        let still = self.widget.motion == BrickMotion::Rest;
        let roomy = still && plan.pitch >= VALUED;
        let Some(values) = self.widget.values.filter(|_| roomy) else { return false };
        let tone = self.paint().tone(self.state(number, brick));
        let style = over(pen.look, tone);
        for (bank, word) in brick.banks().zip(brick.word..) {
            let text = u32::try_from(word).ok().and_then(|word| values.brief(word));
            if let Some(text) = text.filter(|text| width(text) < plan.pitch) {
                pen.right(plan.x(bank) + plan.pitch - plan.gap, y, &text, style);
            }
        }
        true
    }

    /// Draws bricks of half a row, without numbers.
    fn bars(&self, pen: &mut Pen<'_>, plan: &TowerPlan) {
        let (paint, gone, pixels) = (self.paint(), self.gone(), 2 * plan.rows);
        let mut canvas = Canvas::new(plan.x(BANKS), plan.rows);
        let count = self.towers.passes.len();
        for (number, pass) in self.towers.passes.iter().enumerate().skip(gone) {
            let height = (number - gone) / plan.each;
            let y = pixels.saturating_sub(height as u16 + 1);
            for brick in &pass.bricks {
                let (x, y) = self.way(plan, brick, y, (number - gone, count));
                let wide = u16::from(brick.wide) * plan.pitch - plan.gap;
                let tone = match self.state(number, brick) {
                    BrickState::Pointed => Tone::Full(Role::Wait),
                    state => paint.tone(state),
                };
                (x..x + wide).for_each(|x| canvas.raise(x, y, tone));
            }
        }
        if let Some(lowest) = self.towers.passes.get(gone).filter(|_| plan.rows > 0) {
            Self::idle(pen, plan, plan.first + plan.rows - 1, &lowest.bricks);
        }
        canvas.draw_shapes(pen, plan.first);
    }

    /// Draws the banks that the towers stand on, and their numbers.
    fn floor(&self, pen: &mut Pen<'_>, plan: &TowerPlan) {
        let look = pen.look;
        let wide = plan.pitch - plan.gap;
        let bad = |bank: usize| {
            let costs = |pass: &BankPass| pass.on(bank).is_some_and(|brick| brick.costs);
            !self.words.stale && self.towers.passes.iter().any(costs)
        };
        if let Some(y) = plan.floor {
            for bank in 0..BANKS {
                let style = if bad(bank) { look.ink(Role::Bad) } else { look.border() };
                pen.repeat(plan.x(bank), y, wide, look.pick("▀", "="), style);
            }
        }
        let Some(y) = plan.numbers else { return };
        if plan.label > 0 {
            pen.text(0, y, "bank", look.dim());
        }
        let all = plan.pitch > 2;
        for bank in (0..BANKS).filter(|bank| all || bank % 8 == 0 || *bank == BANKS - 1) {
            let busy = self.towers.height(bank) > 0;
            let style = if bad(bank) {
                look.strong(Role::Bad)
            } else if busy && !self.words.stale {
                look.text()
            } else {
                look.dim()
            };
            let text = bank.to_string();
            if plan.pitch == 1 && bank < BANKS - 1 {
                pen.text(plan.x(bank), y, &text, style);
            } else {
                pen.right(plan.x(bank) + wide, y, &text, style);
            }
        }
    }

    /// Draws a pip for each pass: served, now, still to come.
    fn pips(&self, pen: &mut Pen<'_>, y: u16) {
        let look = pen.look;
        let count = self.towers.passes.len() as u16;
        let pitch = (pen.width().saturating_sub(PASS) / count).min(3);
        if pitch == 0 {
            return;
        }
        let paint = self.paint();
        pen.text(0, y, "passes", look.dim());
        for number in 0..count {
            let tone = match self.widget.motion {
                BrickMotion::Pass(pass) if usize::from(number) == pass => Tone::Full(Role::Here),
                BrickMotion::Pass(pass) if usize::from(number) > pass => Tone::Half(Role::Bad),
                BrickMotion::Falling(_) => Tone::Faint,
                _ => {
                    let costs = |brick: &Brick| brick.costs;
                    let pass = &self.towers.passes[usize::from(number)];
                    let any = pass.bricks.iter().any(costs);
                    paint.tone(if any { BrickState::Costs } else { BrickState::Plain })
                }
            };
            let at = PASS + number * pitch;
            let wide = if pitch > 1 { pitch - 1 } else { 1 };
            (at..at + wide).for_each(|x| block(pen, x, y, tone));
        }
    }
}
