//! The lowest PTX version that a module needs, so that old drivers load the output of a new
//! compiler.
//!
//! A compiler writes its own newest version into `.version`, and a driver refuses a version newer
//! than itself, whatever the module contains: NVRTC 12.9 writes 8.8, which requires driver 575. The
//! directive names the language, not the code: ptxas 12.9 generates the same SASS for these
//! kernels, byte for byte, from `.version` 4.1 to 8.8 (for sm_52 and sm_90).

use crate::timing::GpuError;
use std::fmt;

/// A version of PTX: (major, minor).
pub(super) type Isa = (u32, u32);

/// The lowest version written: that of CUDA 9 of 2017, the first with Volta's barriers.
pub(super) const OLDEST: Isa = (6, 0);

/// Every kind of statement in our compiled kernels, with the version that introduced it (PTX ISA,
/// "Release Notes"). The name includes a type or width that was introduced later than its
/// instruction.
const INTRODUCED: &[(&str, Isa)] = &[
    (".address_size", (2, 3)),
    (".entry", (1, 0)),
    (".file", (1, 0)),
    (".loc", (1, 0)),
    (".explicitcluster", (7, 8)),
    (".extern", (1, 0)),
    (".maxntid", (1, 3)),
    (".minnctapersm", (2, 0)),
    (".param", (1, 0)),
    (".pragma", (2, 0)),
    (".reg", (1, 0)),
    // The names of inlined functions, for `.loc`.
    (".reqnctapercluster", (7, 8)),
    (".section", (2, 0)),
    (".b8", (1, 0)),
    (".shared", (1, 0)),
    (".target", (1, 0)),
    (".version", (1, 0)),
    (".visible", (1, 0)),
    ("add", (1, 0)),
    ("and", (1, 0)),
    ("bar.sync", (1, 0)),
    ("bar.warp.sync", (6, 0)),
    ("barrier.cluster.arrive", (7, 8)),
    ("barrier.cluster.wait", (7, 8)),
    ("bra", (1, 0)),
    ("cp.async.bulk.commit_group", (8, 0)),
    ("cp.async.bulk.wait_group", (8, 0)),
    ("cp.async.ca.shared.global", (7, 0)),
    ("cp.async.cg.shared.global", (7, 0)),
    ("cp.async.commit_group", (7, 0)),
    ("cp.async.wait_all", (7, 0)),
    ("cp.async.wait_group", (7, 0)),
    ("cvt", (1, 0)),
    ("cvta.param", (7, 7)),
    ("cvta.to.global", (2, 0)),
    ("div", (1, 0)),
    ("fma.rn.f32", (2, 0)),
    ("ld.global", (1, 0)),
    ("ld.param", (1, 0)),
    ("ld.shared", (1, 0)),
    ("mad.lo", (1, 0)),
    ("max", (1, 0)),
    ("min", (1, 0)),
    ("mov", (1, 0)),
    ("mul.hi", (1, 0)),
    ("mul.lo", (1, 0)),
    ("mul.wide", (1, 0)),
    ("neg", (1, 0)),
    ("not", (1, 0)),
    ("or", (1, 0)),
    ("rem", (1, 0)),
    ("ret", (1, 0)),
    ("selp", (1, 0)),
    ("setp", (1, 0)),
    ("shl", (1, 0)),
    ("shr", (1, 0)),
    ("st.global", (1, 0)),
    ("st.shared", (1, 0)),
    ("sub", (1, 0)),
    ("xor", (1, 0)),
];

/// Statements by their full names, for those with a suffix in [`LATER`].
const WHOLE: &[(&str, Isa)] = &[
    ("barrier.cluster.arrive.release.aligned", (8, 0)),
    ("barrier.cluster.wait.acquire.aligned", (8, 0)),
    ("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group", (8, 0)),
    ("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes", (8, 0)),
    (
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster",
        (8, 0),
    ),
    ("cvt.f32.f16", (1, 0)),
    ("fence.mbarrier_init.release.cluster", (8, 0)),
    ("fence.proxy.async.shared::cta", (8, 0)),
    ("ldmatrix.sync.aligned.m8n8.x4.shared.b16", (6, 5)),
    ("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16", (6, 5)),
    ("mapa.shared::cluster.u32", (7, 8)),
    ("mbarrier.arrive.expect_tx.shared::cta.b64", (8, 0)),
    ("mbarrier.arrive.shared::cluster.b64", (8, 0)),
    ("mbarrier.init.shared::cta.b64", (7, 8)),
    ("mbarrier.try_wait.parity.shared::cta.b64", (7, 8)),
    ("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", (7, 0)),
    ("setmaxnreg.dec.sync.aligned.u32", (8, 0)),
    ("setmaxnreg.inc.sync.aligned.u32", (8, 0)),
    ("wgmma.commit_group.sync.aligned", (8, 0)),
    ("wgmma.fence.sync.aligned", (8, 0)),
    ("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16", (8, 0)),
    ("wgmma.mma_async.sync.aligned.m64n160k16.f32.f16.f16", (8, 0)),
    ("wgmma.mma_async.sync.aligned.m64n192k16.f32.f16.f16", (8, 0)),
    ("wgmma.mma_async.sync.aligned.m64n224k16.f32.f16.f16", (8, 0)),
    ("wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16", (8, 0)),
    ("wgmma.wait_group.sync.aligned", (8, 0)),
];

/// The version that introduced `.loc` for inlined functions.
const INLINED: Isa = (7, 2);

/// Suffixes introduced later than the instructions that have them, so that each such statement must
/// be checked by hand.
const LATER: &[&str] = &["aligned", "b128", "bf16", "f16", "f16x2", "nc", "v8"];

/// The virtual architectures that we compile for, with the version that introduced each.
const TARGETS: &[(&str, Isa)] = &[
    ("sm_52", (4, 1)),
    ("sm_53", (4, 2)),
    ("sm_75", (6, 3)),
    ("sm_80", (7, 0)),
    ("sm_90a", (8, 0)),
];

/// The module with the lowest `.version` that it needs, but at least [`OLDEST`].
///
/// The text is returned unchanged if it contains a statement that the table does not have, or
/// already names an older version.
pub(super) fn lowered(ptx: &str) -> String {
    let (Some(written), Some(needed)) = (version(ptx), needed(ptx)) else {
        return ptx.to_owned();
    };
    if written <= needed {
        return ptx.to_owned();
    }
    let directive = |(major, minor)| format!(".version {major}.{minor}");
    ptx.replacen(&directive(written), &directive(needed), 1)
}

/// A GPU architecture for which a module was compiled: `sm_90`, or `sm_90a` for that architecture
/// only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SmTarget {
    capability: (u32, u32),
    /// PTX ISA, ".target": architecture-specific features, with the suffix `a`.
    alone: bool,
}

impl SmTarget {
    /// Whether a GPU of this compute capability can run the module.
    pub(super) fn runs_on(self, capability: (u32, u32)) -> bool {
        if self.alone { capability == self.capability } else { capability >= self.capability }
    }
}

impl fmt::Display for SmTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ((major, minor), suffix) = (self.capability, if self.alone { "a" } else { "" });
        write!(f, "sm_{major}{minor}{suffix}")
    }
}

/// Parses the `.target` directive; `None` for an unknown suffix.
pub(super) fn target(ptx: &str) -> Option<SmTarget> {
    let line = ptx.lines().find_map(|line| line.trim().strip_prefix(".target sm_"))?;
    let name = line.split([',', ' ', '/']).next()?.trim();
    let (digits, alone) = match name.strip_suffix('a') {
        Some(digits) => (digits, true),
        None => (name, false),
    };
    let number: u32 = digits.parse().ok()?;
    Some(SmTarget { capability: (number / 10, number % 10), alone })
}

/// # Errors
/// [`GpuError::Architecture`] for a module compiled for GPUs other than those of this compute
/// capability.
pub(super) fn runs_on(ptx: &str, capability: (u32, u32)) -> Result<(), GpuError> {
    match target(ptx).filter(|target| !target.runs_on(capability)) {
        None => Ok(()),
        Some(target) => {
            let (target, (major, minor)) = (target.to_string(), capability);
            Err(GpuError::Architecture { target, capability: format!("{major}.{minor}") })
        }
    }
}

/// Parses the `.version` directive.
pub(super) fn version(ptx: &str) -> Option<Isa> {
    let line = ptx.lines().find_map(|line| line.trim().strip_prefix(".version "))?;
    let (major, minor) = line.trim().split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

/// The lowest version with everything that the module contains; `None` if a statement is not in the
/// table.
fn needed(ptx: &str) -> Option<Isa> {
    ptx.lines().filter_map(statement).try_fold(OLDEST, |isa, (name, rest)| {
        let with = match name {
            ".target" => introduced_target(rest.trim())?,
            ".loc" if rest.contains("inlined_at") => INLINED,
            _ => OLDEST,
        };
        Some(isa.max(introduced(name)?).max(with))
    })
}

/// The first word of a line's statement, after its label and its guard, and the rest of the line; `None`
/// for blank lines, comments and brackets.
fn statement(line: &str) -> Option<(&str, &str)> {
    let line = line.split("//").next()?.trim();
    let line = match line.split_once(": ") {
        Some((label, labelled)) if !label.contains(char::is_whitespace) => labelled.trim(),
        _ => line.strip_suffix(':').map_or(line, |_| ""),
    };
    let line = match line.strip_prefix('@') {
        Some(guarded) => guarded.split_once(char::is_whitespace)?.1.trim(),
        None => line,
    };
    let starts = line.starts_with(|c: char| c == '.' || c.is_ascii_lowercase());
    let (name, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    starts.then_some((name.trim_end_matches(';'), rest))
}

fn introduced(name: &str) -> Option<Isa> {
    if let Some((_, isa)) = WHOLE.iter().find(|(whole, _)| *whole == name) {
        return Some(*isa);
    }
    if name.contains("::") || name.split('.').any(|part| LATER.contains(&part)) {
        return None;
    }
    let known = |(stem, _): &&(&str, Isa)| {
        name.strip_prefix(stem).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    INTRODUCED.iter().find(known).map(|(_, isa)| *isa)
}

fn introduced_target(target: &str) -> Option<Isa> {
    TARGETS.iter().find(|(name, _)| *name == target).map(|(_, isa)| *isa)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::KERNELS;

    #[test]
    fn the_embedded_modules_ask_for_no_more_than_they_need() {
        for kernel in KERNELS {
            for variant in kernel.variants {
                let ptx = variant.ptx.expect("it is embedded");
                let inlined = ptx.contains("inlined_at");
                let asked = version(ptx).expect("it has a version");
                assert_eq!(Some(asked), needed(ptx), "{} t{}", kernel.name, variant.tile);
                let oldest = match kernel.arch {
                    "compute_90a" => (8, 0),
                    _ if kernel.square || !inlined => OLDEST,
                    _ => INLINED,
                };
                assert!(asked == OLDEST || asked == oldest, "{}", kernel.name);
            }
        }
    }

    #[test]
    fn only_the_directive_changes() {
        let old = KERNELS[1].embedded(4).expect("it is embedded");
        let new = old.replacen(".version 6.0", ".version 8.8", 1);
        assert_eq!(version(&new), Some((8, 8)));
        assert_eq!(lowered(&new), old);
    }

    #[test]
    fn a_newer_target_or_an_unknown_instruction_holds_the_version() {
        let turing = ".version 8.8\n.target sm_75\n\tret;\n";
        assert_eq!(version(&lowered(turing)), Some((6, 3)));
        for held in [
            "\tcp.async.bulk.prefetch.L2.global [%rd1], 16;",
            "\tld.global.nc.f32 %f1, [%rd1];",
            "\t@%p1 bar.red.popc.u32 %r1, 1, %p1;",
            "\t.maxnreg 64",
            "\tadd.f16 %h1, %h2, %h3;",
        ] {
            let ptx = format!(".version 8.8\n.target sm_52\n{held}\n");
            assert_eq!(lowered(&ptx), ptx, "{held}");
        }
        let hopper = ".version 8.8\n.target sm_90\n\tret;\n";
        assert_eq!(lowered(hopper), hopper);
    }

    #[test]
    fn a_target_runs_on_what_is_as_new_and_with_a_suffix_on_itself_alone() {
        let of = |name: &str| target(&format!(".version 8.8\n.target {name}\n"));
        let ampere = of("sm_80").expect("known");
        assert!(ampere.runs_on((8, 0)) && ampere.runs_on((9, 0)) && !ampere.runs_on((7, 5)));
        let hopper = of("sm_90a, debug").expect("known");
        assert!(hopper.runs_on((9, 0)) && !hopper.runs_on((10, 0)));
        assert_eq!(hopper.to_string(), "sm_90a");
        assert!(of("sm_120").is_some_and(|target| target.runs_on((12, 0))));
        assert_eq!(of("sm_100f"), None);
    }

    #[test]
    fn an_old_module_is_never_raised() {
        let old = ".version 5.0\n.target sm_52\n\tret;\n";
        assert_eq!(lowered(old), old);
    }
}
