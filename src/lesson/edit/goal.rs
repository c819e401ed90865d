//! What an edited copy of a kernel of the catalogue is to do in the end: what the original does.

use super::version::{EditRequest, Version};
use crate::kernel::{BROKEN, Kernel, Variant, find};
use crate::own::launch::StatedLaunch;

/// The original of a version, at its size and with its launch; of a kernel that is broken on purpose,
/// the sound one that it was made from. `None` unless the catalogue has it.
pub fn goal(version: &Version) -> Option<Version> {
    let problem = &version.stages.first()?.problem;
    let (kernel, variant) = problem.original()?;
    let kernel = sound(kernel)?;
    Version::of(kernel.source, &request(kernel, &variant, version)?).ok()
}

fn sound(kernel: &'static Kernel) -> Option<&'static Kernel> {
    let is_broken = BROKEN.iter().any(|broken| broken.name == kernel.name);
    if is_broken { find(kernel.beside) } else { Some(kernel) }
}

fn request(kernel: &Kernel, variant: &Variant, version: &Version) -> Option<EditRequest> {
    let problem = &version.stages.first()?.problem;
    let launch = problem.launch;
    let launch = StatedLaunch {
        size: Some(problem.size),
        block: Some(launch.block),
        grid: Some(launch.grid),
        shared: Some(problem.shared),
        ..StatedLaunch::default()
    };
    let (file, defines) = (kernel.file(), variant.defines());
    Some(EditRequest { file, launch, defines, ..EditRequest::default() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lesson::edit::judgement::Judgement;
    use crate::matrix::Size;
    use crate::sim::Order;
    use crate::work::WorkToken;

    fn version(kernel: &str, change: (&str, &str)) -> Version {
        let source = find(kernel).expect("a kernel").source.replace(change.0, change.1);
        let request = EditRequest { file: "mine.cu".to_owned(), ..EditRequest::default() };
        Version::of(&source, &request).expect("it compiles")
    }

    #[test]
    fn the_goal_of_a_copy_is_what_its_original_does() {
        let turned = version("tiled", ("sA[ty][tx] =", "sA[tx][ty] ="));
        let judged =
            |version: &Version| Judgement::of(version, &Order::ByPhase, &WorkToken::default());
        let goal = goal(&turned).expect("it is a copy of tiled");
        let (now, goal) = (judged(&turned).expect("judged"), judged(&goal).expect("judged"));
        assert!(!now.is_fine() && goal.is_fine());
        let conflicts = |of: &Judgement| of.counts.shared.all().conflicts;
        assert!(conflicts(&now) > 0 && conflicts(&goal) == 0);
        assert_eq!(now.counts.global.loads, goal.counts.global.loads);
    }

    #[test]
    fn a_broken_kernel_is_to_become_the_sound_one_and_an_unknown_one_has_no_goal() {
        let goal_of = |kernel: &str, change| {
            let goal = goal(&version(kernel, change))?;
            Some((goal.stages[0].problem.name().to_owned(), goal.stages[0].problem.size))
        };
        let broken = goal_of("tiled_no_compute_barrier", ("", ""));
        assert_eq!(broken, Some(("tiled".to_owned(), Size::square(64))));
        assert_eq!(goal_of("tiled", ("void tiled(", "void mine(")), None);
    }
}
