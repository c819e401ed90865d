//! Every setting of the dials, judged: how many are right, sound, and fast.

use super::Dials;
use crate::lesson::error::RunError;
use crate::lesson::judged::Judged;
use crate::matrix::Size;
use crate::report::number::grouped;
use crate::work::{WorkToken, on_all_cores};
use std::fmt;

/// A setting and its results.
#[derive(Debug)]
pub struct DialSetting {
    /// The number of a choice for each dial.
    pub at: Vec<usize>,
    /// The results at each size, or why it does not compile.
    pub judged: Result<Vec<Judged>, RunError>,
}

/// Every setting with its results.
#[derive(Debug)]
pub struct DialCount {
    pub sizes: Vec<Size>,
    /// The settings, the last dial turning fastest.
    pub settings: Vec<DialSetting>,
}

impl Dials {
    /// Compiles and judges every setting at each size, on all cores, until it is cancelled.
    pub fn count(&self, sizes: &[Size], token: &WorkToken) -> DialCount {
        let settings = on_all_cores(&self.all(), (token, "setting"), |at| DialSetting {
            at: at.clone(),
            judged: self.trial(at).judge(sizes),
        });
        DialCount { sizes: sizes.to_vec(), settings }
    }
}

impl DialSetting {
    /// Whether it compiles, and this holds at every size.
    fn always(&self, holds: impl Fn(&Judged) -> bool) -> bool {
        self.judged.as_ref().is_ok_and(|judged| judged.iter().all(holds))
    }

    /// Whether it compiles, and this holds at the first size.
    fn first(&self, holds: impl Fn(&Judged) -> bool) -> bool {
        self.judged.as_ref().is_ok_and(|judged| judged.first().is_some_and(holds))
    }

    /// Whether C is right at the first size.
    pub fn is_right(&self) -> bool {
        self.first(|judged| judged.right)
    }

    /// Whether C is right there, and the checks find nothing.
    pub fn is_sound(&self) -> bool {
        self.first(|judged| judged.right && judged.is_sound())
    }

    /// Whether C is right at every size, and the checks find nothing.
    pub fn is_always_sound(&self) -> bool {
        self.always(|judged| judged.right && judged.is_sound())
    }

    /// Whether it is coalesced and without bank conflicts as well.
    pub fn is_best(&self) -> bool {
        let lean = |judged: &Judged| judged.coalesced && judged.conflicts == 0;
        self.is_always_sound() && self.first(lean)
    }
}

impl DialCount {
    /// How many settings this holds for.
    pub fn holding(&self, holds: fn(&DialSetting) -> bool) -> usize {
        self.settings.iter().filter(|setting| holds(setting)).count()
    }
}

impl fmt::Display for DialCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = |count: usize| grouped(count as u64);
        let first = self.sizes.first().map(Size::to_string).unwrap_or_default();
        let (all, right) =
            (number(self.settings.len()), number(self.holding(DialSetting::is_right)));
        let sound = number(self.holding(DialSetting::is_sound));
        write!(f, "{all} settings: {right} right at {first}, {sound} sound there")?;
        if let 2.. = self.sizes.len() {
            let every = if self.sizes.len() == 2 { "both" } else { "all sizes" };
            let sound = number(self.holding(DialSetting::is_always_sound));
            write!(f, ", {sound} right and sound at {every}")?;
        }
        let best = number(self.holding(DialSetting::is_best));
        write!(f, ", {best} of these coalesced and without conflicts")
    }
}
