//! A published number, such as `16x fewer loads`, asked of every level: what it is true of.

use super::answer::{Answer, AnsweredFrom, Value};
use super::expr::{Bindings, EvalContext, Query};
use super::query_error::QueryError;
use super::setting::{KernelFrom, Setting};
use super::setting_runs::SettingCache;
use crate::kernel::Kernel;
use crate::matrix::Size;

/// What is claimed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Claim {
    /// So many times less, or as fast, as another kernel; below 1 if it is more.
    Ratio(f64),
    /// So many operations for each byte.
    Intensity(f64),
}

/// Returned for a text in which no number is claimed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` claims no number: give one such as `16x fewer loads` or `0.5 operations a byte`")]
pub struct ParseClaimError(String);

/// How far a number may be from what is claimed, as a share of it.
const CLOSE: f64 = 0.03;

impl std::str::FromStr for Claim {
    type Err = ParseClaimError;

    fn from_str(text: &str) -> Result<Self, ParseClaimError> {
        let told = || ParseClaimError(text.to_owned());
        let start = text.find(|letter: char| letter.is_ascii_digit()).ok_or_else(told)?;
        let rest = &text[start..];
        let is_part = |letter: char| letter.is_ascii_digit() || letter == '.' || letter == ',';
        let (digits, rest) = rest.split_at(rest.find(|c| !is_part(c)).unwrap_or(rest.len()));
        let number = digits.trim_end_matches(['.', ',']).replace(',', "").parse::<f64>();
        let number = number.ok().filter(|number| *number > 0.0).ok_or_else(told)?;
        let rest = rest.trim_start().to_lowercase();
        if ["op", "flop"].iter().any(|unit| rest.starts_with(unit)) {
            return Ok(Self::Intensity(number));
        }
        let is_ratio =
            ["x", "\u{d7}", "times", "-fold", "fold"].iter().any(|it| rest.starts_with(it));
        let is_more = ["more", "slower", "longer"].iter().any(|word| rest.contains(word));
        match is_ratio {
            true if is_more => Ok(Self::Ratio(1.0 / number)),
            true => Ok(Self::Ratio(number)),
            false => Err(told()),
        }
    }
}

/// A level on which something is counted or timed.
#[derive(Clone, Copy, Debug)]
pub struct ClaimLevel {
    pub label: &'static str,
    /// The query that gives it for the kernel KERNEL.
    query: &'static str,
    /// The bytes of each thing that is counted; `None` if these are not what is moved.
    bytes: Option<f64>,
}

/// From what the threads ask for to the time that it takes.
pub const LEVELS: [ClaimLevel; 5] = [
    ClaimLevel {
        label: "requests of warps",
        query: "total(\"global_load_requests\")",
        bytes: None,
    },
    ClaimLevel {
        label: "sectors asked of L1",
        query: "total(\"global_load_sectors\")",
        bytes: Some(32.0),
    },
    ClaimLevel {
        label: "bytes moved by L2",
        query: "counter(\"lts__t_bytes.sum\", KERNEL)",
        bytes: Some(1.0),
    },
    ClaimLevel {
        label: "bytes moved by DRAM",
        query: "counter(\"dram__bytes.sum\", KERNEL)",
        bytes: Some(1.0),
    },
    ClaimLevel { label: "milliseconds", query: "ms(KERNEL)", bytes: None },
];

/// A kernel of the catalogue at a size, with its usual tile there.
#[derive(Clone, Debug)]
pub struct ClaimSide {
    pub kernel: &'static Kernel,
    setting: Setting,
}

/// What a level tells of a claim.
#[derive(Clone, Debug)]
pub struct ClaimRow {
    pub label: &'static str,
    /// What each kernel has of it.
    pub values: Vec<f64>,
    /// The number that is claimed, here.
    pub number: f64,
    pub is_as_claimed: bool,
    pub origin: AnsweredFrom,
}

impl ClaimSide {
    pub fn new(kernel: &'static Kernel, size: Size) -> Self {
        let tile = Some(kernel.variant_for(size).tile);
        let from = KernelFrom::Catalogue(kernel.name.to_owned());
        Self { kernel, setting: Setting { kernel: from, tile, size, ..Setting::default() } }
    }

    /// The kernel with its tile.
    pub fn name(&self) -> String {
        let tile = self.setting.tile.map(|tile| tile.to_string()).unwrap_or_default();
        format!("{} {tile}", self.kernel.name)
    }

    /// The number that a level has for this kernel.
    fn asked(&self, level: ClaimLevel, cache: &SettingCache) -> Result<(f64, Answer), QueryError> {
        let text = level.query.replace("KERNEL", self.kernel.name);
        let context = EvalContext { cache, setting: &self.setting, given: &Bindings::default() };
        let answer = context.answer(&Query::query(&text, 0..0))?;
        let none = || QueryError::new(format!("{} has none", self.kernel.name));
        let number = answer.value.number().filter(|number| *number > 0.0);
        Ok((number.ok_or_else(none)?, answer))
    }
}

impl Claim {
    /// What a level tells of it: for a kernel, against another.
    ///
    /// `None` if the claim is no matter of this level.
    ///
    /// # Errors
    /// This level is not known for one of them.
    pub fn on(
        self,
        level: ClaimLevel,
        [own, other]: [&ClaimSide; 2],
        cache: &SettingCache,
    ) -> Result<Option<ClaimRow>, QueryError> {
        let (value, Answer { origin, .. }) = own.asked(level, cache)?;
        let (values, number, claimed) = match (self, level.bytes) {
            (Self::Ratio(claimed), _) => {
                let (against, _) = other.asked(level, cache)?;
                (vec![against, value], against / value, claimed)
            }
            (Self::Intensity(claimed), Some(bytes)) => {
                let Size { m, n, k } = own.setting.size;
                let operations = 2.0 * [m, n, k].map(f64::from).iter().product::<f64>();
                (vec![value], operations / (bytes * value), claimed)
            }
            (Self::Intensity(_), None) => return Ok(None),
        };
        let is_as_claimed = (number - claimed).abs() <= CLOSE * claimed;
        Ok(Some(ClaimRow { label: level.label, values, number, is_as_claimed, origin }))
    }
}

impl ClaimRow {
    /// Its numbers as they are spelt: of each kernel, and the one that is claimed.
    pub fn spelt(&self) -> Vec<String> {
        let all = self.values.iter().copied().chain([self.number]);
        all.map(|number| Value::Number(number).to_string()).collect()
    }
}
