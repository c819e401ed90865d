//! Reads memory instructions as JSON lines and answers with their costs as JSON lines.

use super::cost::AccessCost;
use super::pattern::END;
use crate::sim::{Access, Direction, LaneMask, Route};
use ptx::Space;
use serde::{Deserialize, Serialize};

/// The error for a line of a batch.
#[derive(Debug, thiserror::Error)]
pub enum BatchError {
    /// Not JSON, or not of the right shape.
    #[error("no memory instruction in JSON: {}", without_line(.0))]
    Json(#[from] serde_json::Error),
    /// A size that no memory instruction has.
    #[error("bytes is {0}, not 1, 2, 4, 8 or 16")]
    Bytes(u8),
    /// A misaligned address, at which the hardware would fault.
    #[error("lane {lane} is at offset {offset}, not a multiple of its {bytes} bytes")]
    Misaligned {
        lane: usize,
        offset: u64,
        /// Bytes per lane.
        bytes: u8,
    },
    /// An address beyond any memory.
    #[error("lane {lane} is at offset {offset}, which is too large")]
    TooLarge { lane: usize, offset: u64 },
}

/// The answer to one line: `{"requests":1,"sectors":4}` or `{"wavefronts":2,"conflicts":1}`, before it
/// `format`, the number of the format.
///
/// # Errors
/// The line is not a memory instruction; [`BatchError`] gives the reason.
pub fn answer(line: &str, format: u32) -> Result<String, BatchError> {
    let access = serde_json::from_str::<Instruction>(line)?.access()?;
    let answer = match AccessCost::of(access.space, [&access]) {
        AccessCost::Global(cost) => {
            BatchAnswer::Global { requests: cost.requests, sectors: cost.sectors }
        }
        AccessCost::Shared(cost) => {
            BatchAnswer::Shared { wavefronts: cost.wavefronts, conflicts: cost.conflicts }
        }
    };
    Ok(serde_json::to_string(&VersionedAnswer { format, answer })?)
}

#[derive(Serialize)]
struct VersionedAnswer {
    format: u32,
    #[serde(flatten)]
    answer: BatchAnswer,
}

#[derive(Serialize)]
#[serde(untagged)]
enum BatchAnswer {
    Global { requests: u32, sectors: u32 },
    Shared { wavefronts: u32, conflicts: u32 },
}

/// A memory instruction of one warp; unknown JSON fields are ignored.
#[derive(Serialize, Deserialize)]
pub(super) struct Instruction {
    space: SpaceName,
    op: OpName,
    bytes: u8,
    mask: Mask,
    /// Byte offset of each lane from an aligned base; those of inactive lanes are ignored.
    offsets: [u64; 32],
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum SpaceName {
    Global,
    Shared,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum OpName {
    Ld,
    St,
}

/// The active lanes: hexadecimal digits in a string, or a number.
#[derive(Serialize, Deserialize)]
#[serde(try_from = "MaskForm", into = "String")]
#[derive(Clone, Copy)]
struct Mask(u32);

#[derive(Deserialize)]
#[serde(untagged, expecting = "mask is neither a 32-bit number nor a string of hexadecimal digits")]
enum MaskForm {
    Number(u32),
    Digits(String),
}

impl Instruction {
    pub(super) fn of(access: &Access) -> Self {
        Self {
            space: if access.space == Space::Shared {
                SpaceName::Shared
            } else {
                SpaceName::Global
            },
            op: match access.direction {
                Direction::Load => OpName::Ld,
                Direction::Store | Direction::Atomic => OpName::St,
            },
            bytes: access.bytes,
            mask: Mask(access.active.0),
            offsets: access.addrs,
        }
    }

    fn access(&self) -> Result<Access, BatchError> {
        let Self { bytes, offsets: addrs, .. } = *self;
        if !matches!(bytes, 1 | 2 | 4 | 8 | 16) {
            return Err(BatchError::Bytes(bytes));
        }
        let access = Access {
            space: match self.space {
                SpaceName::Global => Space::Global,
                SpaceName::Shared => Space::Shared,
            },
            direction: match self.op {
                OpName::Ld => Direction::Load,
                OpName::St => Direction::Store,
            },
            bytes,
            route: Route::Lanes,
            active: LaneMask(self.mask.0),
            addrs,
        };
        for (lane, offset) in access.touched() {
            if offset >= END {
                return Err(BatchError::TooLarge { lane, offset });
            }
            if offset % u64::from(bytes) != 0 {
                return Err(BatchError::Misaligned { lane, offset, bytes });
            }
        }
        Ok(access)
    }
}

impl TryFrom<MaskForm> for Mask {
    type Error = String;

    fn try_from(form: MaskForm) -> Result<Self, String> {
        match form {
            MaskForm::Number(bits) => Ok(Self(bits)),
            MaskForm::Digits(text) => {
                let digits = text.strip_prefix("0x").or(text.strip_prefix("0X")).unwrap_or(&text);
                u32::from_str_radix(digits, 16)
                    .map(Self)
                    .map_err(|_no_number| format!("mask \"{text}\" is not 32 bits in hexadecimal"))
            }
        }
    }
}

impl From<Mask> for String {
    fn from(mask: Mask) -> Self {
        format!("{:#010x}", mask.0)
    }
}

/// The message without its position: the caller names the line.
fn without_line(error: &serde_json::Error) -> String {
    let place = format!(" at line {} column {}", error.line(), error.column());
    let text = error.to_string();
    match text.strip_suffix(&place) {
        Some(what) => format!("{what} (column {})", error.column()),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use insta::assert_snapshot;

    fn answer(line: &str) -> Result<String, BatchError> {
        super::answer(line, 1)
    }

    /// A shared load of 4 bytes by all lanes, with `replace` replaced.
    fn line(replace: &str, by: &str) -> String {
        let offsets: Vec<_> = (0..32).map(|lane| 128 * lane).collect();
        let line = format!(
            r#"{{"space":"shared","op":"ld","bytes":4,"mask":"0xffffffff","offsets":{offsets:?}}}"#
        );
        assert!(line.contains(replace), "{replace} is in the line");
        line.replacen(replace, by, 1)
    }

    fn error(line: &str) -> String {
        answer(line).expect_err("the line is wrong").to_string()
    }

    #[test]
    fn each_space_has_its_answer() {
        assert_snapshot!(answer(&line("", "")).unwrap(), @r#"{"format":1,"wavefronts":32,"conflicts":31}"#);
        assert_snapshot!(answer(&line("shared", "global")).unwrap(), @r#"{"format":1,"requests":1,"sectors":32}"#);
    }

    #[test]
    fn masks_are_digits_or_a_number_and_other_fields_are_ignored() {
        for mask in ["\"0xff\"", "\"FF\"", "255", "255, \"pattern\": null, \"wavefronts\": -1"] {
            let answer = answer(&line("\"0xffffffff\"", mask)).unwrap();
            assert_eq!(answer, r#"{"format":1,"wavefronts":8,"conflicts":7}"#, "{mask}");
        }
        let none = answer(&line("\"0xffffffff\"", "0")).unwrap();
        assert_eq!(none, r#"{"format":1,"wavefronts":0,"conflicts":0}"#);
    }

    #[test]
    fn the_offsets_of_inactive_lanes_do_not_matter() {
        let wild = line("128,", "18446744073709551615,");
        let masked = wild.replace("0xffffffff", "0xfffffffd");
        assert_eq!(answer(&masked).unwrap(), r#"{"format":1,"wavefronts":31,"conflicts":30}"#);
    }

    #[test]
    fn a_wrong_line_says_what_is_wrong() {
        assert_snapshot!(error("nonsense"), @"no memory instruction in JSON: expected ident (column 2)");
        assert_snapshot!(error("{}"), @"no memory instruction in JSON: missing field `space` (column 2)");
        assert_snapshot!(error("[]"), @"no memory instruction in JSON: invalid length 0, expected struct Instruction with 5 elements (column 2)");
        assert_snapshot!(error(&line("shared", "texture")), @"no memory instruction in JSON: unknown variant `texture`, expected `global` or `shared` (column 18)");
        assert_snapshot!(error(&line("ld", "atom")), @"no memory instruction in JSON: unknown variant `atom`, expected `ld` or `st` (column 29)");
        assert_snapshot!(error(&line(":4", ":3")), @"bytes is 3, not 1, 2, 4, 8 or 16");
        assert_snapshot!(error(&line(":4", ":-4")), @"no memory instruction in JSON: invalid value: integer `-4`, expected u8 (column 38)");
        assert_snapshot!(error(&line("0xffffffff", "0xfffffffff")), @r#"no memory instruction in JSON: mask "0xfffffffff" is not 32 bits in hexadecimal (column 58)"#);
        assert_snapshot!(error(&line("\"0xffffffff\"", "true")), @"no memory instruction in JSON: mask is neither a 32-bit number nor a string of hexadecimal digits (column 49)");
        assert_snapshot!(error(&line("0, ", "")), @"no memory instruction in JSON: invalid length 31, expected an array of length 32 (column 247)");
        assert_snapshot!(error(&line("0, ", "0, 0, ")), @"no memory instruction in JSON: trailing characters (column 249)");
        assert_snapshot!(error(&line("128,", "-128,")), @"no memory instruction in JSON: invalid value: integer `-128`, expected u64 (column 76)");
        assert_snapshot!(error(&line("128,", "130,")), @"lane 1 is at offset 130, not a multiple of its 4 bytes");
        assert_snapshot!(error(&line("128,", "18446744073709551608,")), @"lane 1 is at offset 18446744073709551608, which is too large");
    }
}
