//! What is said of kernels that are known to be right, wrong, racy and slow.

use super::super::mistake::MistakeKind;
use super::super::version::EditRequest;
use super::*;

const TILED: &str = include_str!("../../../../kernels/tiled.cu");

fn version(text: &str) -> Version {
    let request = EditRequest { file: "mine.cu".to_owned(), ..EditRequest::default() };
    Version::of(text, &request).expect("it compiles")
}

fn judged(text: &str) -> Judgement {
    Judgement::of(&version(text), &Order::ByPhase, &WorkToken::default()).expect("it is wanted")
}

fn kinds(judgement: &Judgement) -> Vec<MistakeKind> {
    judgement.mistakes.iter().map(|mistake| mistake.kind).collect()
}

#[test]
fn a_right_kernel_has_a_table_and_no_mistakes() {
    let before = judged(TILED);
    assert!(before.is_fine() && before.mistakes.is_empty(), "{:?}", before.mistakes);
    let rows = table(&[None, Some(&before)]);
    let told: Vec<_> =
        rows.iter().map(|row| format!("{}: {}", row.label, row.cells[1].text)).collect();
    assert_eq!(told[..3], ["C at 64: right", "C at 60,52,84: right", "findings: 0"]);
    assert_eq!(told[5], "conflicts: 0");
    assert!(rows.iter().all(|row| row.cells[0] == TableCell::default()), "before is not known");
}

#[test]
fn a_transposed_store_makes_c_wrong_and_conflicts_in_this_order() {
    let spoilt = judged(&TILED.replace("sA[ty][tx] =", "sA[tx][ty] ="));
    assert_eq!(kinds(&spoilt)[0], MistakeKind::WrongProduct);
    let rows = table(&[Some(&spoilt)]);
    assert_eq!(rows[0].cells[0], TableCell { text: "WRONG".to_owned(), is_bad: true });
    assert_eq!(rows[5].cells[0].text, "3,584");
    let conflict = spoilt.mistakes.iter().find(|mistake| mistake.kind == MistakeKind::Conflicts);
    let conflict = conflict.expect("it conflicts");
    assert_eq!(conflict.line, Some(34));
    assert_eq!(conflict.what, "Line 34: a store to sA takes 8 passes where 1 would do.");
    assert!(conflict.why.starts_with("Neighbouring lanes are 16 words apart"), "{}", conflict.why);
}

#[test]
fn a_missing_barrier_is_found_at_a_step_and_orders_of_the_warps_show_it() {
    let racy = TILED.replacen("__syncthreads();", "", 1);
    let judgement = judged(&racy);
    let first = &judgement.mistakes[0];
    assert!(judgement.findings > 0 && first.what.contains("race"), "{first:?}");
    assert!(first.place.is_some_and(|place| place.step > 0), "{first:?}");
    let said = searched(&version(&racy), &WorkToken::default()).expect("it races");
    assert!(said.contains("random orders of the warps spoil C"), "{said}");
    assert_eq!(searched(&version(TILED), &WorkToken::default()), None);
}

#[test]
fn a_fault_comes_first_and_an_endless_loop_ends() {
    let outside = TILED.replace("if (row < M && col < N)\n        C[row", "C[1000000 + row");
    let judgement = judged(&outside);
    assert_eq!(kinds(&judgement)[0], MistakeKind::Fault, "{:?}", judgement.mistakes);
    let endless = TILED.replace("++tile)", "tile *= 1)");
    assert_eq!(kinds(&judged(&endless))[0], MistakeKind::Fault);
}

#[test]
fn a_guard_that_is_missed_at_the_awkward_size_alone_is_seen_there() {
    let unguarded = TILED.replace("t < endA ? A[row * K + t + tx] : 0.0f", "A[row * K + t + tx]");
    let judgement = judged(&unguarded);
    let first = &judgement.mistakes[0];
    assert_eq!(first.place.map(|place| place.stage), Some(1), "{first:?}");
    let rows = table(&[Some(&judgement)]);
    assert_eq!(rows[0].cells[0].text, "right");
}

#[test]
fn a_wrong_element_is_shown_where_it_is_stored() {
    let wrong = judged(&TILED.replace("C[row * N + col] = acc", "C[row * N + col] = acc + row"));
    let first = &wrong.mistakes[0];
    assert_eq!(first.kind, MistakeKind::WrongProduct);
    assert!(first.what.contains("the first C[1][0]"), "{}", first.what);
    assert_eq!(first.line, Some(48));
    let never = judged(&TILED.replace("col < N)\n", "col < N && row > 0)\n"));
    assert!(never.mistakes[0].why.contains("No thread stores row 0"), "{:?}", never.mistakes[0]);
}

#[test]
fn what_nobody_wants_to_know_is_not_computed() {
    let token = WorkToken::default();
    token.cancel();
    assert!(Judgement::of(&version(TILED), &Order::ByPhase, &token).is_none());
}

/// As `sim` says: what was stored is right, and a block was stopped before it stored the rest.
#[test]
fn a_c_that_is_right_as_far_as_it_goes_is_incomplete_and_not_wrong() {
    let store = "C[row * N + col] = acc;";
    let stopped =
        judged(&TILED.replace(store, &format!("if (row == 40) acc = A[1 << 30]; {store}")));
    let cell = |at: usize| table(&[Some(&stopped)])[at].cells[0].clone();
    assert_eq!(cell(0).text, "INCOMPLETE", "{:?}", stopped.mistakes);
    assert!(cell(0).is_bad && !stopped.is_fine());
}

/// `--launch` without B: nothing can be a product.
#[test]
fn a_kernel_that_is_given_no_b_is_judged_as_none() {
    let copy = "// launch: <<<,16x16>>>(A,C) --size 64\n\
                __global__ void copy(const float* in, float* out) {\n\
                    int i = (blockIdx.y * 16 + threadIdx.y) * 64 + blockIdx.x * 16 + threadIdx.x;\n\
                    if (i < 52 * 60) out[i] = in[i];\n}\n";
    let judged = judged(copy);
    assert!(judged.products.is_empty(), "{:?}", judged.products);
    assert!(judged.is_fine(), "{:?}", judged.mistakes);
}
