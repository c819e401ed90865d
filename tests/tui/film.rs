//! The run as a picture that moves: what the screen shows, frame by frame.

use crate::options;
use matviz::export::Animation;
use matviz::kernel::find;
use matviz::launch::Dim3;
use matviz::matrix::Size;
use matviz::sim::Order;
use matviz::tui::film::Film;
use matviz::tui::layout::ScreenView;
use matviz::tui::{StartOptions, ground};

fn film(size: u32, to: usize) -> Film {
    let problems = vec![find("tiled").expect("a kernel").problem_for(Size::square(size))];
    let grid = problems[0].launch.grid;
    let options = options(problems, 0, Dim3::at(grid.x / 2, grid.y / 2));
    let options = StartOptions { order: Order::ByPhase, view: ScreenView::Stage, ..options };
    Film::new(options, (120, 36), 0..to, &[]).expect("the kernel runs").0
}

/// A page with a picture of one tile loads at once.
#[test]
fn one_tile_moves_in_half_a_megabyte() {
    let mut film = film(1024, 1100);
    let first = film.next().expect("a frame");
    let look = matviz::tui::theme::Look::default();
    let mut animation = Animation::new(&first.picture, ground(look));
    let (mut said, mut last) = (vec![first.said], first.since);
    while let Some(frame) = film.next_sparse(last) {
        animation.show(frame.since, &frame.picture);
        last = frame.since;
        said.push(frame.said);
    }
    said.dedup();
    assert_eq!(said.last().map(String::as_str), Some("Tile 2: the same again."));
    assert!((25.0..45.0).contains(&film.length().as_secs_f64()), "{:?}", film.length());
    let svg = animation.svg(film.length(), "tiled");
    assert!(svg.len() <= 500_000, "{} bytes", svg.len());
}
