//! What the list of findings says, at every length.

use super::picture::{self, ASCII};
use insta::assert_snapshot;
use matviz::launch::Dim3;
use matviz::report::found::{CheckedReach, FindingInRun, FindingOutcome, FindingStep, OtherBlock};
use matviz::sim::LaneMask;
use matviz::tui::theme::Look;
use matviz::tui::widget::findings::*;

fn found() -> Vec<FindingInRun> {
    let shows = |step| FindingStep {
        step,
        is_end: false,
        warp: 1,
        lanes: LaneMask(2),
        word: Some(7),
        outcome: FindingOutcome::Error,
        sentence: "RACE".to_owned(),
    };
    let one = |kind, message: &str| FindingInRun {
        kind,
        message: message.to_owned(),
        advice: "Put a barrier between the two lines.".to_owned(),
        outcome: FindingOutcome::Lucky,
        verdict: "Well by luck: nothing made w1 wait.".to_owned(),
        shows: vec![shows(12), shows(40)],
        elsewhere: None,
    };
    let race = "warp 0 stores sA[0][1] at line 28 and warp 1 loads it at line 35, with no barrier between them";
    vec![one("race", race), one("memory", "warp 3 loads sB[0][0], which was never stored")]
}

fn of(
    found: &[FindingInRun],
    selected: usize,
    reach: Option<CheckedReach>,
    look: Look,
) -> FindingsPanel<'_> {
    let grid = Dim3::flat(4, 4);
    FindingsPanel { found, selected, advises: true, reach, grid, look }
}

#[test]
fn of_other_blocks_it_says_which_and_of_many_that_they_are_not_checked() {
    let block = Dim3::at(3, 0);
    let [_, own] = <[_; 2]>::try_from(found()).expect("two findings");
    let other = FindingInRun {
        shows: Vec::new(),
        verdict: String::new(),
        elsewhere: Some(OtherBlock { block, blocks: 7 }),
        ..own
    };
    let text = picture::text(of(&[other], 0, Some(CheckedReach::Grid), ASCII), 60, 8);
    assert!(text.contains("# What is wrong in this grid #"), "{text}");
    assert!(text.contains("In block (3,0), and in 6 more; Enter goes there."), "{text}");
    let said = [
        (Some(CheckedReach::SoFar), "The other blocks are being checked."),
        (Some(CheckedReach::Alone), "Only this block is checked here; matviz check runs the"),
        (None, "It is being checked."),
    ];
    for (reach, said) in said {
        let text = picture::text(of(&[], 0, reach, ASCII), 60, 8);
        assert!(text.contains(said), "{text}");
        let nothing = text.contains("Nothing was found in this block.");
        assert_eq!(nothing, reach.is_some(), "{text}");
    }
}

#[test]
fn the_one_that_is_pointed_at_says_what_to_do() {
    let found = found();
    let list = |selected| of(&found, selected, Some(CheckedReach::Block), ASCII);
    assert_snapshot!(picture::text(list(0), 60, 14), @"
    # What is wrong with this block's run  1 of 2, Esc closes ##
    #> race: warp 0 stores sA[0][1] at line 28 and warp 1      #
    #  loads it at line 35, with no barrier between them       #
    #  * Well by luck: nothing made w1 wait.                   #
    #  Put a barrier between the two lines.                    #
    #  At steps 12 and 40; Enter goes there.                   #
    #                                                          #
    #  memory: warp 3 loads sB[0][0], which was never stored   #
    #  * Well by luck: nothing made w1 wait.                   #
    #  Put a barrier between the two lines.                    #
    #  At steps 12 and 40                                      #
    #                                                          #
    ############################################################
    ");
    assert_snapshot!(picture::text(list(1), 60, 7), @"
    # What is wrong with this block's run  2 of 2, Esc closes ##
    #> memory: warp 3 loads sB[0][0], which was never stored   #
    #  * Well by luck: nothing made w1 wait.                   #
    #  Put a barrier between the two lines.                    #
    #  At steps 12 and 40; Enter goes there.                   #
    #                                                          #
    ############################################################
    ");
    let sound = of(&[], 0, Some(CheckedReach::Block), ASCII);
    assert_snapshot!(picture::text(sound, 60, 8), @"

    # What is wrong with this block's run ############## none ##
    #  Nothing was found.                                      #
    #                                                          #
    #                                                          #
    #                                                          #
    ############################################################
    ");
}

#[test]
fn every_size_survives() {
    let found = found();
    for selected in [0, 1] {
        picture::survives(|look| of(&found, selected, Some(CheckedReach::SoFar), look));
    }
}
