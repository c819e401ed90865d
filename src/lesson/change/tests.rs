//! The shipped table is true, and what is wrong in another one is said.

use super::*;
use crate::work::WorkToken;

#[test]
fn every_change_does_what_the_table_says() {
    let table = table().expect("the shipped table can be read");
    let verified = table.verify(&WorkToken::default());
    let wrong: Vec<_> = verified
        .iter()
        .flat_map(|one| {
            one.complaints().into_iter().map(|told| format!("{}: {told}", one.change.id))
        })
        .collect();
    assert!(verified.len() >= 20 && wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn changes_are_made_in_order_and_only_where_they_fit() {
    let tiled = kernel::find("tiled").expect("a kernel").source;
    let ids = |ids: &[&str]| ids.iter().map(|&id| id.to_owned()).collect::<Vec<_>>();
    let both = applied(tiled, &ids(&["no-load-barrier", "no-compute-barrier"]));
    assert_eq!(both, applied(tiled, &ids(&["no-barriers"])));
    assert_eq!(applied(tiled, &[]).as_deref(), Ok(tiled));
    let twice = applied(tiled, &ids(&["no-load-barrier", "no-barriers"]));
    let told = twice.expect_err("the barrier is gone").to_string();
    assert!(told.contains("`no-barriers` changes 1 of this text, and the source has 0"), "{told}");
    let told = applied(tiled, &ids(&["no-barrier"])).expect_err("no such change").to_string();
    assert!(told.contains("no-load-barrier, no-compute-barrier"), "{told}");
}

#[test]
fn a_change_is_taken_for_one_with_the_same_symptoms() {
    let change = find("no-compute-barrier").expect("a change");
    let others: Vec<_> = change.lookalikes().iter().map(|other| &*other.id).take(3).collect();
    assert_eq!(others, ["no-load-barrier", "no-barriers", "barrier-after-loop"]);
}

#[test]
fn what_is_wrong_in_a_table_is_said_with_its_line() {
    let change = "[[change]]\nid = 'x'\nkernel = 'tiled'\ntitle = ''\nedit = []\n\
                  finds = []\n";
    let table = |rest: &str| format!("tile = 16\nsizes = ['64']\n{change}{rest}");
    let told = |text: &str| ChangeTable::read(text).expect_err("it is wrong").to_string();
    assert!(told(&table("right_at = ['6 4']")).contains("`6 4` is not a size"));
    assert!(told(&table("right_at = []\ntime = 2")).contains("line 10"));
    assert!(told(&table("right_at = ['60']")).contains("60 is not one of the table's sizes"));
    let twice = format!("right_at = []\n{change}right_at = []");
    assert!(told(&table(&twice)).contains("two changes are called `x`"));
}
