//! The legend of shared memory: what each tone of a word means.

use super::super::canvas::block;
use super::super::pen::Pen;
use super::{Picture, Shared};
use crate::tui::layout::text::width;
use crate::tui::theme::{Role, Tone};

/// What the numbers in or beside the words are, for panels with much room.
const EXPLAINED: [&str; 3] = [
    "The numbers in or beside the words are banks: bank = (address / 4) mod 32.",
    "Lanes that want different words of one bank are served one after the other.",
    "Padding makes each row begin in another bank, so that a column is not all in one.",
];

impl Shared<'_> {
    /// Writes into row `y` what a lane does with its registers; returns the rows used.
    pub(super) fn tell_registers(&self, pen: &mut Pen<'_>, y: u16) -> u16 {
        if self.registers.is_empty() || y >= pen.height() {
            return 0;
        }
        pen.text(1, y, self.registers, self.look.text());
        2
    }

    /// Explains the banks from row `y` on, if all of that fits.
    pub(super) fn explain(&self, pen: &mut Pen<'_>, first: &Picture<'_>, y: u16) {
        let shape = (first.array.columns, first.array.rows);
        let banked = first.plan.margin > 0 || first.plan.has_room_for_banks(shape, self.drawn());
        let widest = EXPLAINED.iter().map(|line| width(line)).max().unwrap_or(0);
        if !banked || y + EXPLAINED.len() as u16 > pen.height() || widest + 1 > pen.width() {
            return;
        }
        for (line, y) in EXPLAINED.iter().zip(y..) {
            pen.text(1, y, line, self.look.dim());
        }
    }

    /// Returns the meaning of each tone, in brief if there is no room for the full text.
    fn states(&self, brief: bool) -> Vec<(Tone, &'static str)> {
        let full = !brief && self.marks.is_empty();
        let touched = match (self.means == Role::Bad, full) {
            (true, true) => "wrong here",
            (true, false) => "wrong",
            (false, true) => "touched now",
            (false, false) => "now",
        };
        let (empty, coming) = ((Tone::Faint, "empty"), (Tone::Full(Role::Wait), "on the way"));
        let now = (Tone::Full(self.means), touched);
        let hazard = (Tone::Full(Role::Bad), if full { "wrong for a warp" } else { "wrong" });
        let hazard = Some(hazard).filter(|_| !self.hazards.is_empty() && self.means != Role::Bad);
        let states = if self.arrays.iter().all(|array| array.role == Role::Memory) {
            let (new, older) = (Tone::Full(Role::Memory), Tone::Half(Role::Memory));
            vec![empty, coming, (new, "new"), (older, "older"), now]
        } else {
            let [a, b] = if full { ["from A", "from B"] } else { ["A", "B"] };
            let (a, b) = ((Tone::Full(Role::A), a), (Tone::Full(Role::B), b));
            vec![empty, coming, a, b, (Tone::Half(Role::A), "old"), now]
        };
        // What is wrong matters most.
        hazard.into_iter().chain(states).collect()
    }

    /// Writes the legend into row `y`: in full, in brief, or as much of that as fits.
    pub(super) fn legend(&self, pen: &mut Pen<'_>, left: u16, y: u16) {
        let wide = |states: &[(Tone, &str)], between: u16| -> u16 {
            states.iter().map(|(_, word)| width(word) + 2 + between).sum()
        };
        let full = self.states(false);
        let fits = wide(&full, 1) <= pen.width() + 1;
        let states = if fits { full } else { self.states(true) };
        let roomy = wide(&states, 2) + left <= pen.width();
        let (between, mut x) = if roomy { (2, left.max(1)) } else { (1, 0) };
        for (tone, word) in states {
            if x + width(word) + 2 > pen.width() {
                return;
            }
            block(pen, x, y, tone);
            x = pen.text(x + 2, y, word, self.look.dim()) + between;
        }
    }
}
