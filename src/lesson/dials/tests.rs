//! The dials of the course can be read and turned, and what is wrong in others is said.

use super::*;
use crate::launch::Dim3;
use crate::lesson::judged::sizes;
use crate::work::WorkToken;

fn shipped() -> Dials {
    Dials::shipped().expect("the shipped source can be read")
}

#[test]
fn one_setting_of_the_shipped_dials_is_right_sound_and_fast() {
    let dials = shipped();
    assert_eq!((dials.dials.len(), dials.settings(), dials.all().len()), (7, 384, 384));
    let sizes = sizes(&["64", "60,52,84"]).expect("sizes");
    let told = |at: &[usize]| {
        let judged = dials.trial(at).judge(&sizes);
        DialSetting { at: at.to_vec(), judged }
    };
    assert!(told(&[0; 7]).is_best(), "every dial at its first choice");
    for (dial, choice) in dials.dials.iter().zip([1, 1, 1, 1, 1, 1, 1]) {
        let turn = format!("{}={}", dial.name, dial.choices[choice]);
        let other = told(&dials.turned(&[0; 7], &turn).expect("a choice"));
        assert!(other.is_right() && !other.is_best(), "{turn}");
    }
    let start = told(&dials.start);
    assert!(start.is_right() && !start.is_sound(), "{:?}", dials.start);
}

/// At smaller sizes than in the lesson, for speed: as there, the second is not a multiple of the tile,
/// and has more tiles along k than blocks along x.
#[test]
fn all_settings_are_right_at_the_first_size_and_eight_are_worth_anything() {
    let count =
        shipped().count(&sizes(&["16,32,32", "20,12,36"]).expect("sizes"), &WorkToken::default());
    let told = "384 settings: 384 right at 16x32x32, 96 sound there, 8 right and sound at both, 1 of these \
                coalesced and without conflicts";
    assert_eq!(count.to_string(), told);
}

#[test]
fn a_dial_is_turned_by_its_name_and_its_choice() {
    let dials = shipped();
    let turned = dials.turned(&[0; 7], "edge = No Guard").expect("a choice");
    assert_eq!(turned, [0, 0, 0, 0, 0, 2, 0]);
    assert_eq!(dials.defines(&turned)[5], "EDGE=2");
    let told = dials.turned(&turned, "EDGE=3").expect_err("no such choice").to_string();
    assert!(told.contains("'EDGE=zeros', 'EDGE=nothing', 'EDGE=no guard'"), "{told}");
    let told = dials.turned(&turned, "edges").expect_err("no such dial").to_string();
    assert!(told.contains("there is no dial `edges`: give ALONG, STORED"), "{told}");
}

#[test]
fn a_source_that_leaves_its_tile_open_is_judged_and_shown_with_the_same() {
    let open = "// dial WAY: a | b\n\
        __global__ void k(const float* A, const float* B, float* C, int M, int N, int K)\n\
        { __shared__ float s[TILE]; s[threadIdx.x] = WAY; C[threadIdx.x] = s[threadIdx.x]; }\n";
    let dials = Dials::read("k.cu", open).expect("a tile of 16");
    let trial = dials.trial(&[1]);
    assert_eq!(trial.source.defines, ["TILE=16", "WAY=1"]);
    let problem = dials.scene(&[1]).problem().expect("the picture compiles too");
    assert_eq!(trial.launch.block, Some(Dim3::flat(16, 16)));
    assert_eq!(Some(problem.launch.block), trial.launch.block);
    assert_eq!(problem.source.as_ref().expect("a source").defines, trial.source.defines);
}

#[test]
fn what_is_wrong_in_a_source_is_said_with_its_line() {
    let launch = "// launch: <<<,8x8>>>\n";
    let told = |text: &str| Dials::read("k.cu", text).expect_err("it is wrong").to_string();
    assert!(told(launch).contains("k.cu has no dials"));
    for dial in ["// dial A: one", "// dial A B: a | b", "// dial A: a | a", "// dial A: a |"] {
        assert!(told(&format!("{launch}{dial}")).contains("k.cu:2: give a dial as"), "{dial}");
    }
    let twice = "// dial A: a | b\n// dial A (again): a | b\n";
    assert!(told(twice).contains("k.cu:2: two dials are called A"));
    assert!(told("// dial A: a | b").contains("`// launch: <<<,16x16>>>`"));
    assert!(told(&format!("{launch}// dial A: a | b\n// start: A=c")).contains("k.cu:3: A is not"));
    let many = (0..13).map(|n| format!("// dial D{n}: a | b\n")).collect::<Vec<_>>().concat();
    assert!(told(&format!("{launch}{many}")).contains("more than 4096 settings"));
}
