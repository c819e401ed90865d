//! A, B and C in the L-shaped layout of the product: B above C, A left of C, tile by tile.

use super::canvas::Canvas;
use super::pen::{Pen, fitting, width};
use crate::kernel::Tile;
use crate::launch::Dim3;
use crate::matrix::{Operand, Size};
use crate::trace::Extent;
use crate::tui::theme::{Look, Role, Tone, role};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Modifier;
use ratatui::widgets::Widget;

mod hit;
mod lit;
mod plan;

pub use crate::matrix::Element;
pub use hit::hit;
pub use lit::Lit;
pub use plan::Detail;
use plan::{Grid, Plan};

/// The part of the three matrices on which the block works.
///
/// ```text
///            B ..##      the block's column of tiles of B, the current one solid
/// C = A x B    ..::
///   A ....   C ....
///     ##::     ..##      its row of tiles of A; its tile of C
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Matrices<'a> {
    /// The sizes of the matrices, in elements.
    pub size: Size,
    /// The tile that a block works on at a time, or the squares of the chequered background.
    pub tile: Tile,
    /// The block's index in the grid.
    pub block: Dim3,
    /// The grid of blocks.
    pub grid: Dim3,
    /// The tile of C that the block computes: (row, column) of tiles.
    pub place: (u32, u32),
    /// The known part of the block's work.
    pub work: Work<'a>,
    /// The elements that the current step touches.
    pub touched: &'a [Element],
    /// Whether to show tiles in their surroundings, or single elements of the current tiles.
    pub detail: Detail,
    /// How it is drawn.
    pub look: Look,
}

/// The known part of a block's work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work<'a> {
    /// The block computes the tile of C at [`Matrices::place`] and works on this tile along K, from
    /// 0.
    Tiled(u32),
    /// The extents of A, B and C that the block has touched so far.
    Touched(&'a [Option<Extent>]),
    /// A value is followed.
    Followed(&'a Lit),
}

impl Matrices<'_> {
    /// Returns the note of the frame: the sizes.
    pub fn note(&self) -> String {
        let Size { m, n, k } = self.size;
        let size = if m == n && n == k { format!("N={n}") } else { format!("{m}x{n}x{k}") };
        match self.work {
            Work::Tiled(_) => format!("{size}, tile {}", self.tile),
            Work::Touched(_) | Work::Followed(_) => size,
        }
    }

    fn plan(&self, area: Rect) -> Option<Plan> {
        Plan::new(self.size, self.tile, self.centre(), self.detail, area.as_size())
    }

    /// Returns the tile around which the matrices are shown: along M, N and K.
    fn centre(&self) -> [u32; 3] {
        match self.work {
            Work::Tiled(k_tile) => [self.place.0, self.place.1, k_tile],
            Work::Touched(extents) => {
                let of = |operand: Operand| extents.get(operand as usize).copied().flatten();
                let [a, b, c] = Operand::ALL.map(of);
                let middle = |(first, last): (u32, u32)| first.midpoint(last);
                let rows = a.or(c).map_or(0, |extent| middle(extent.rows));
                let columns = b.or(c).map_or(0, |extent| middle(extent.columns));
                let front = a.map(|a| a.columns.1).max(b.map(|b| b.rows.1)).unwrap_or(0);
                self.tile_of([rows, columns, front])
            }
            Work::Followed(lit) => self.tile_of(lit.centre),
        }
    }

    /// Returns the tile of a position along M, N and K.
    fn tile_of(&self, [row, column, k]: [u32; 3]) -> [u32; 3] {
        [row / self.tile.m, column / self.tile.n, k / self.tile.k]
    }

    /// Returns a matrix's central tile: (row, column) of tiles.
    fn current(&self, operand: Operand) -> (u32, u32) {
        let [m, n, k] = self.centre();
        match operand {
            Operand::A => (m, k),
            Operand::B => (k, n),
            Operand::C => (m, n),
        }
    }

    /// Returns the tone of an element that is not touched now.
    fn tone(&self, operand: Operand, row: u32, column: u32) -> Tone {
        let (rows, columns) = self.tile.shape(operand);
        let tile = (row / rows, column / columns);
        let ground = if (tile.0 + tile.1).is_multiple_of(2) { Tone::Faint } else { Tone::None };
        match self.work {
            Work::Tiled(_) => self.tone_of_tile(operand, tile).unwrap_or(ground),
            Work::Touched(extents) => {
                let extent = extents.get(operand as usize).copied().flatten();
                let touched = extent.is_some_and(|extent| extent.has(row, column));
                if touched { Tone::Half(role(operand)) } else { ground }
            }
            Work::Followed(_) => ground,
        }
    }

    /// Returns the tone of the block's tiles: the current one, and the others along K.
    fn tone_of_tile(&self, operand: Operand, tile: (u32, u32)) -> Option<Tone> {
        let current = self.current(operand);
        let in_band = match operand {
            Operand::A => tile.0 == current.0,
            Operand::B => tile.1 == current.1,
            Operand::C => false,
        };
        match (tile == current, in_band) {
            (true, _) => Some(Tone::Full(role(operand))),
            (false, true) => Some(Tone::Half(role(operand))),
            (false, false) => None,
        }
    }

    fn grid(&self, pen: &mut Pen<'_>, grid: &Grid) {
        let mut canvas = Canvas::new(grid.width(), grid.height());
        for (y, x) in (0..2 * grid.height()).flat_map(|y| (0..grid.width()).map(move |x| (y, x))) {
            if let Some((row, column)) = grid.element(x, y) {
                canvas.set(x, y, self.tone(grid.operand, row, column));
            }
        }
        for element in self.touched.iter().filter(|element| element.operand == grid.operand) {
            for (x, y) in grid.pixels(element.row, element.column) {
                canvas.set(x, y, Tone::Full(Role::Here));
            }
        }
        if let Work::Followed(lit) = self.work {
            for (element, tone) in lit.tones().filter(|(e, _)| e.operand == grid.operand) {
                let pixels = grid.pixels(element.row, element.column);
                pixels.for_each(|(x, y)| canvas.raise(x, y, tone));
            }
        }
        canvas.draw(pen, grid.x, grid.y);
        self.label(pen, grid);
        self.index(pen, grid);
        self.edges(pen, grid);
    }

    /// Writes the matrix's letter above its upper left corner, and its shape if there is room.
    fn label(&self, pen: &mut Pen<'_>, grid: &Grid) {
        let role = role(grid.operand);
        let end = pen.text(grid.x, grid.y - 1, grid.operand.name(), self.look.strong(role));
        let (rows, columns) = self.size.shape(grid.operand);
        let shape = format!("{rows}x{columns}");
        // An arrow to what lies above may need the space.
        if width(&shape) + 2 <= grid.width() && !grid.rows.before() {
            pen.text(end + 1, grid.y - 1, &shape, self.look.dim());
        }
    }

    /// Writes the index on the current tile or, for C, the number of tiles along K begun so far.
    fn index(&self, pen: &mut Pen<'_>, grid: &Grid) {
        let (row, column) = self.current(grid.operand);
        let corner = grid.corner(row, column).filter(|_| matches!(self.work, Work::Tiled(_)));
        let Some((x, y)) = corner else { return };
        let text = match grid.operand {
            Operand::A | Operand::B => format!("{row},{column}"),
            Operand::C => self.progress(),
        };
        let touched = |row: u16| {
            let mut pixels = self.touched.iter().filter(|element| element.operand == grid.operand);
            pixels.any(|e| grid.pixels(e.row, e.column).any(|(_, py)| grid.y + py / 2 == row))
        };
        // Touched elements matter more than the index, which goes to a row without any.
        let free = (y..y + grid.cell.1).find(|row| !touched(*row));
        let Some(row) = free.filter(|_| grid.cell.1 > 1 && width(&text) <= grid.cell.0) else {
            return;
        };
        let style = self.look.fill(role(grid.operand)).add_modifier(Modifier::BOLD);
        pen.text(x, row, &text, style);
    }

    /// Draws arrows next to the current tile where the matrix continues beyond the window.
    fn edges(&self, pen: &mut Pen<'_>, grid: &Grid) {
        let (row, column) = self.current(grid.operand);
        let Some((x, y)) = grid.corner(row, column) else { return };
        let style = self.look.text();
        if grid.columns.before() && grid.x > 0 {
            pen.text(grid.x - 1, y, self.look.pick("←", "<"), style);
        }
        if grid.columns.after() {
            pen.text(grid.x + grid.width(), y, self.look.pick("→", ">"), style);
        }
        if grid.rows.before() && grid.x < x {
            pen.text(x, grid.y - 1, self.look.pick("↑", "^"), style);
        }
        if grid.rows.after() {
            pen.text(x, grid.y + grid.height(), self.look.pick("↓", "v"), style);
        }
    }

    /// Writes the caption into the empty quarter, each line in the longest wording that fits.
    fn caption(&self, pen: &mut Pen<'_>, plan: &Plan) {
        let [a, b, _] = &plan.grids;
        let room = b.x.saturating_sub(a.x + 1);
        let bold = self.look.text().add_modifier(Modifier::BOLD);
        let dim = self.look.dim();
        let place = self.block.place_in(self.grid);
        let first = [
            (vec!["C = A x B".to_owned()], bold),
            (vec![format!("block ({place})"), format!("({place})")], dim),
        ];
        let windows = self.windows(plan).map(|words| (words, dim));
        let lines: Vec<_> = first.into_iter().chain(windows).collect();
        let rows = usize::from((a.y - 1).saturating_sub(b.y));
        let lines = lines.iter().map(|(words, style)| (fitting(words, room), *style));
        for (row, (text, style)) in
            lines.filter(|(text, _)| !text.is_empty()).take(rows).enumerate()
        {
            pen.text(a.x, b.y + row as u16, text, style);
        }
    }

    /// Returns the position of the work and the part of the matrices in view: each line with its
    /// longest wording first.
    fn windows(&self, plan: &Plan) -> [Vec<String>; 4] {
        let ([a, _, c], Size { m, n, k }) = (&plan.grids, self.size);
        let Tile { m: tall, n: wide, k: deep } = self.tile;
        match self.work {
            Work::Tiled(_) => [
                vec![format!("k-tile {}", self.progress()), format!("k {}", self.progress())],
                a.columns.range("k tiles", "k"),
                a.rows.range("rows of tiles", "rows"),
                c.columns.range("columns of tiles", "cols"),
            ],
            Work::Touched(_) => [
                ["shaded: box of all touched so far", "shaded: box touched so far", "box touched"]
                    .map(str::to_owned)
                    .to_vec(),
                a.columns.elements(deep, k).range("k", "k"),
                a.rows.elements(tall, m).range("rows", "rows"),
                c.columns.elements(wide, n).range("columns", "cols"),
            ],
            Work::Followed(lit) => [
                vec![format!("followed: {}", lit.element), lit.element.to_string()],
                a.columns.elements(deep, k).range("k", "k"),
                a.rows.elements(tall, m).range("rows", "rows"),
                c.columns.elements(wide, n).range("columns", "cols"),
            ],
        }
    }

    /// Returns the current tile along K and their number.
    fn progress(&self) -> String {
        let tiles = self.size.k.div_ceil(self.tile.k);
        match self.work {
            Work::Tiled(k_tile) => format!("{}/{tiles}", k_tile + 1),
            Work::Touched(_) | Work::Followed(_) => String::new(),
        }
    }
}

impl Widget for Matrices<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        let mut pen = Pen::new(area, buf, self.look);
        let Some(plan) = self.plan(pen.area()) else {
            let place = self.block.place_in(self.grid);
            let tile = match self.work {
                Work::Tiled(_) => format!("  k-tile {}", self.progress()),
                Work::Touched(_) | Work::Followed(_) => String::new(),
            };
            pen.text(0, 0, &format!("block ({place}){tile}"), self.look.text());
            return;
        };
        for grid in &plan.grids {
            self.grid(&mut pen, grid);
        }
        self.caption(&mut pen, &plan);
    }
}

#[cfg(test)]
mod tests {
    use super::super::picture::{self, ASCII, MONO, RICH};
    use super::*;
    use insta::assert_snapshot;

    /// The default picture: block (2,1) of a 64 x 64 product, second tile along K.
    fn small(look: Look) -> Matrices<'static> {
        let touched = &[Element { operand: Operand::A, row: 16, column: 16 }];
        Matrices {
            size: Size::square(64),
            tile: Tile::square(16),
            block: Dim3::at(2, 1),
            grid: Dim3::flat(4, 4),
            place: (1, 2),
            work: Work::Tiled(1),
            touched,
            detail: Detail::Tiles,
            look,
        }
    }

    #[test]
    fn the_whole_of_a_small_problem_stands_in_an_l() {
        assert_snapshot!(picture::text(small(ASCII), 35, 19), @"
                          B 64x64
        C = A x B         ....    ::::
        block (2,1)       ....    ::::
        k-tile 2/4            ....1,2b....
                              ....bbbb....
                          ....    ::::
                          ....    ::::
                              ....::::....
                              ....::::....
        A 64x64           C 64x64
        ....    ....      ....    ....
        ....    ....      ....    ....
        ::::@aaa::::::::      ....2/4c....
        ::::1,1a::::::::      ....cccc....
        ....    ....      ....    ....
        ....    ....      ....    ....
            ....    ....      ....    ....
            ....    ....      ....    ....
        ");
        assert_snapshot!(picture::text(small(MONO), 20, 10), @"
                  B 64x64
        C = A x B ··  ▒▒
        (2,1)       ··bb··
        k 2/4     ··  ▒▒
                    ··▒▒··
        A 64x64   C 64x64
        ··  ··    ··  ··
        ▒▒█a▒▒▒▒    ··cc··
        ··  ··    ··  ··
          ··  ··    ··  ··
        ");
    }

    #[test]
    fn colours_say_which_matrix() {
        let look = RICH;
        let names = [
            (look.pixel(Role::A), "A"),
            (look.half(Role::A), "a"),
            (look.pixel(Role::B), "B"),
            (look.half(Role::B), "b"),
            (look.pixel(Role::C), "C"),
            (look.pixel(Role::Here), "@"),
            (look.faint(), "."),
        ];
        let buf = picture::buffer(small(look), 20, 10);
        assert_snapshot!(picture::grounds(&buf, &names), @"

                  ..  bb
                    ..BB..
                  ..  bb
                    ..bb..

        ..  ..    ..  ..
        aaAAaaaa    ..CC..
        ..  ..    ..  ..
          ..  ..    ..  ..
        ");
    }

    #[test]
    fn a_large_problem_shows_a_window_and_says_so() {
        let large = Matrices {
            size: Size { m: 1024, n: 1024, k: 1024 },
            block: Dim3::at(30, 0),
            grid: Dim3::flat(4, 4),
            place: (0, 30),
            work: Work::Tiled(63),
            touched: &[],
            ..small(ASCII)
        };
        assert_snapshot!(picture::text(large, 35, 19), @"
                           B       ^
         C = A x B         ....    ::::
         block (30,0)      ....    ::::
         k-tile 64/64          ....::::....
         k 60-63 of 64         ....::::....
         rows 0-3 of 64    ....    ::::
         cols 28-31 of 64  ....    ::::
                          <    ....bbbb....
                               ....bbbb....
         A 1024x1024       C 1024x1024
        <::::::::::::0,63 <....    cccc
         ::::::::::::aaaa  ....    cccc
             ....    ....      ....    ....
             ....    ....      ....    ....
         ....    ....      ....    ....
         ....    ....      ....    ....
             ....    ....      ....    ....
             ....    ....      ....    ....
                     v             v
        ");
        assert_snapshot!(picture::text(large, 20, 10), @"
                  B   ^
        C = A x B ..  ::  ..
        (30,0)      ..::..
        k 64/64   ..  ::  ..
        k 60-63  <  ..bb..
        A         C
        ::::::aa <..  cc  ..
          ..  ..    ..  ..
        ..  ..    ..  ..  ..
          ..  ..    ..  ..
        ");
    }

    #[test]
    fn ragged_edges_are_narrower() {
        let ragged = Matrices {
            size: Size { m: 10, n: 20, k: 12 },
            tile: Tile::square(8),
            block: Dim3::at(1, 1),
            grid: Dim3::flat(4, 4),
            place: (1, 1),
            ..small(ASCII)
        };
        assert_snapshot!(picture::text(ragged, 44, 18), @"
                          B 12x20
        C = A x B         ........::::::::....
        block (1,1)       ........::::::::....
        k-tile 2/2        ........::::::::....
                          ........::::::::....
                                  1,1bbbbb
                                  bbbbbbbb


        A 10x12           C 10x20
        ........          ........        ....
        ........          ........        ....
        ........          ........        ....
        ........          ........        ....
        ::::::::1,1a              2/2ccccc
        ");
    }

    #[test]
    fn zoomed_each_touched_element_shows() {
        let row = [0, 1, 2, 3].map(|column| Element { operand: Operand::B, row: 4, column });
        let zoomed = Matrices {
            size: Size::square(8),
            tile: Tile::square(4),
            block: Dim3::at(0, 0),
            grid: Dim3::flat(4, 4),
            place: (0, 0),
            work: Work::Tiled(1),
            touched: &row,
            detail: Detail::Elements,
            look: ASCII,
        };
        assert_snapshot!(picture::text(zoomed, 70, 34), @"
                                          B 8x8
        C = A x B                         ::::::::::::::::
        block (0,0)                       ::::::::::::::::
        k-tile 2/2                        ::::::::::::::::
                                          ::::::::::::::::
                                          ::::::::::::::::
                                          ::::::::::::::::
                                          ::::::::::::::::
                                          ::::::::::::::::
                                          @@@@@@@@@@@@@@@@................
                                          @@@@@@@@@@@@@@@@................
                                          1,0bbbbbbbbbbbbb................
                                          bbbbbbbbbbbbbbbb................
                                          bbbbbbbbbbbbbbbb................
                                          bbbbbbbbbbbbbbbb................
                                          bbbbbbbbbbbbbbbb................
                                          bbbbbbbbbbbbbbbb................
        A 8x8                             C 8x8
        ::::::::::::::::0,1aaaaaaaaaaaaa  2/2ccccccccccccc
        ::::::::::::::::aaaaaaaaaaaaaaaa  cccccccccccccccc
        ::::::::::::::::aaaaaaaaaaaaaaaa  cccccccccccccccc
        ::::::::::::::::aaaaaaaaaaaaaaaa  cccccccccccccccc
        ::::::::::::::::aaaaaaaaaaaaaaaa  cccccccccccccccc
        ::::::::::::::::aaaaaaaaaaaaaaaa  cccccccccccccccc
        ::::::::::::::::aaaaaaaaaaaaaaaa  cccccccccccccccc
        ::::::::::::::::aaaaaaaaaaaaaaaa  cccccccccccccccc
                        ................                  ................
                        ................                  ................
                        ................                  ................
                        ................                  ................
                        ................                  ................
                        ................                  ................
                        ................                  ................
                        ................                  ................
        ");
    }

    #[test]
    fn what_fed_a_value_is_lit_and_the_rest_is_quiet() {
        let part = |(operand, row, column), done| (Element { operand, row, column }, done);
        let parts =
            (0..4).flat_map(|k| [part((Operand::A, 2, k), k < 2), part((Operand::B, k, 1), k < 2)]);
        let element = Element { operand: Operand::C, row: 2, column: 1 };
        let pointed = Some(Element { operand: Operand::A, row: 2, column: 3 });
        let lit = Lit { element, centre: [2, 1, 3], parts: parts.collect(), pointed };
        let followed = |look| Matrices {
            size: Size::square(4),
            tile: Tile::square(4),
            work: Work::Followed(&lit),
            touched: &[],
            detail: Detail::Elements,
            ..small(look)
        };
        assert_snapshot!(picture::text(followed(ASCII), 36, 19), @"
                          B 4x4
        C = A x B         ....bbbb........
        block (2,1)       ....bbbb........
        followed: C[2][1] ....bbbb........
                          ....bbbb........
                          ....::::........
                          ....::::........
                          ....::::........
                          ....::::........
        A 4x4             C 4x4
        ................  ................
        ................  ................
        ................  ................
        ................  ................
        aaaaaaaa::::@@@@  ....@@@@........
        aaaaaaaa::::@@@@  ....@@@@........
        ................  ................
        ................  ................
        ");
        picture::survives(followed);
    }

    #[test]
    fn a_click_finds_the_element_and_nothing_between_the_matrices() {
        let area = Rect::new(3, 2, 35, 19);
        let at = |x, y| hit(&small(ASCII), area, x, y);
        let found: Vec<_> = (0..40)
            .flat_map(|x| (0..24).map(move |y| (x, y)))
            .filter_map(|(x, y)| at(x, y))
            .collect();
        for operand in Operand::ALL {
            let mine = found.iter().filter(|element| element.operand == operand);
            assert_eq!(mine.clone().count(), 16 * 8, "16 tiles of 4 x 2 cells");
            assert!(mine.clone().any(|element| (element.row, element.column) == (0, 0)));
            assert!(mine.clone().any(|element| element.row >= 48 && element.column >= 48));
        }
        assert_eq!(at(0, 0), None);
    }

    #[test]
    fn every_size_survives() {
        picture::survives(small);
        picture::survives(|look| Matrices { detail: Detail::Elements, ..small(look) });
        let ragged = Size { m: 100, n: 36, k: 257 };
        picture::survives(|look| Matrices { size: ragged, work: Work::Tiled(16), ..small(look) });
    }
}
