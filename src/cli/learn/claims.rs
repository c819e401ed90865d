//! `matviz learn claims`: a published number, asked of every level.

use super::args::{Args, number};
use crate::cli::BadUse;
use crate::cli::form::OutputForm;
use crate::cli::names::meant;
use crate::cli::output::print;
use crate::kernel::{self, Kernel};
use crate::lesson::claim::{Claim, ClaimSide, LEVELS};
use crate::lesson::document::Course;
use crate::lesson::setting_runs::SettingCache;
use crate::matrix::Size;
use std::fmt::Write as _;
use std::process::ExitCode;

/// The lesson that ends with the page about it.
const LESSON: &str = "reading";

/// What a kernel is compared with if nothing else is named, and the side of the matrices.
const PLAIN: &str = "naive";
const LARGE: u32 = 4096;

/// The page about it.
///
/// # Errors
/// The course has no such lesson.
pub(super) fn page(course: &Course) -> Result<(u32, usize), BadUse> {
    let number = number(course, LESSON)?;
    let lesson = course.lessons.iter().find(|lesson| lesson.number == number);
    Ok((number, lesson.map_or(1, |lesson| lesson.pages.len())))
}

/// Prints what a claim is true of.
///
/// # Errors
/// It claims no number, or a word is neither a kernel nor a size.
pub(super) fn run(claim: &str, words: &[String], args: &Args) -> anyhow::Result<ExitCode> {
    args.form.one_of(&[OutputForm::Text])?;
    let parsed: Claim = claim.parse().map_err(BadUse::of)?;
    let (kernels, size) = named(words)?;
    let own = kernels.first().copied();
    let none = || BadUse("name the kernel of which this is claimed, for example tiled".to_owned());
    let (own, other) = own.zip(kernels.get(1).copied().or(kernel::find(PLAIN))).ok_or_else(none)?;
    let sides = [own, other].map(|kernel| ClaimSide::new(kernel, size));
    print(&text((claim, parsed), &sides, size))?;
    Ok(ExitCode::SUCCESS)
}

/// The kernels and the size among some words.
fn named(words: &[String]) -> Result<(Vec<&'static Kernel>, Size), BadUse> {
    let (mut kernels, mut size) = (Vec::new(), Size::square(LARGE));
    for word in words {
        match kernel::find(word) {
            Some(kernel) => kernels.push(kernel),
            None => size = word.parse().map_err(|_| unknown(word))?,
        }
    }
    Ok((kernels, size))
}

fn unknown(word: &str) -> BadUse {
    let near = meant(word, kernel::all().map(|kernel| kernel.name));
    BadUse(format!("`{word}` is neither a kernel of the catalogue nor a size{near}"))
}

fn text((told, claim): (&str, Claim), sides: &[ClaimSide; 2], size: Size) -> String {
    let [own, other] = sides;
    let (against, heads) = match claim {
        Claim::Ratio(_) => (
            format!(", against {}", other.name()),
            vec![other.kernel.name, own.kernel.name, "times fewer"],
        ),
        Claim::Intensity(_) => (String::new(), vec![own.kernel.name, "operations a byte"]),
    };
    let mut text = format!("\"{told}\"\n\nOf {}{against}, at {size}:\n\n", own.name());
    row(&mut text, "", &heads, "");
    let (cache, mut holds) = (SettingCache::new(), Vec::new());
    for level in LEVELS {
        match claim.on(level, [own, other], &cache) {
            Ok(Some(found)) => {
                let spelt = found.spelt();
                let spelt: Vec<_> = spelt.iter().map(String::as_str).collect();
                row(&mut text, found.label, &spelt, &found.origin.to_string());
                holds.extend(found.is_as_claimed.then_some(found.label));
            }
            Ok(None) => {}
            Err(why) => row(&mut text, level.label, &[], &format!("not known: {}", why.message)),
        }
    }
    let verdict = match &holds[..] {
        [] => "It is true of none of these.".to_owned(),
        all => format!("It is true of this: {}.", all.join(", ")),
    };
    let more = match claim {
        Claim::Ratio(_) => " Below 1 it is more, not fewer.",
        Claim::Intensity(_) => "",
    };
    let _ = writeln!(text, "\n{verdict}{more}");
    text
}

/// A row of the table: a label, numbers, and where they are from.
fn row(text: &mut String, label: &str, numbers: &[&str], origin: &str) {
    let numbers: String = numbers.iter().map(|number| format!("{number:>19}")).collect();
    let line = format!("  {label:<20}{numbers}  {origin}");
    let _ = writeln!(text, "{}", line.trim_end());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(claim: &str, words: &[&str]) -> String {
        let words: Vec<_> = words.iter().map(ToString::to_string).collect();
        let (kernels, size) = named(&words).expect("kernels");
        let naive = kernel::find(PLAIN).expect("the plain kernel");
        let sides = [kernels[0], naive].map(|kernel| ClaimSide::new(kernel, size));
        text((claim, claim.parse().expect("a claim")), &sides, size)
    }

    #[test]
    fn a_claim_is_true_of_one_level_and_not_of_the_others() {
        let tiled = told("16x fewer loads", &["tiled", "1024"]);
        let line = |label: &str| {
            let line = tiled.lines().find(|line| line.trim_start().starts_with(label));
            line.map(|line| {
                line.split_whitespace().skip(label.split(' ').count()).collect::<Vec<_>>().join(" ")
            })
        };
        assert_eq!(line("requests of warps").as_deref(), Some("67,108,864 4,194,304 16 simulated"));
        assert_eq!(
            line("sectors asked of L1").as_deref(),
            Some("134,217,728 16,777,216 8 simulated")
        );
        for label in ["bytes moved by L2", "bytes moved by DRAM", "milliseconds"] {
            assert!(line(label).is_some_and(|line| line.contains("recorded")), "{tiled}");
        }
        assert!(tiled.contains("It is true of this: requests of warps."), "{tiled}");
        let half = told("half as much: 0.5 operations a byte", &["naive", "1024"]);
        assert!(half.ends_with("It is true of this: sectors asked of L1.\n"), "{half}");
        let unknown = told("8 times", &["tiled", "60x52x84"]);
        assert!(unknown.contains("DRAM") && unknown.contains("not known"), "{unknown}");
    }

    #[test]
    fn words_that_are_no_kernel_and_claims_without_a_number_are_told() {
        let told = named(&["tild".to_owned()]).expect_err("no kernel").to_string();
        assert!(told.contains("did you mean `tiled`?"), "{told}");
        for wrong in ["much faster", "16 tiles", "0x", ""] {
            assert!(wrong.parse::<Claim>().is_err(), "{wrong}");
        }
        assert_eq!("2.5x more".parse(), Ok(Claim::Ratio(0.4)));
    }
}
