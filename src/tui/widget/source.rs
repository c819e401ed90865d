//! A listing with its current line highlighted: the CUDA source, or the PTX compiled from it.

use super::pen::{Pen, fitting};
use crate::tui::theme::{Depth, Look, Role};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::widgets::Widget;

/// The language of a listing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Language {
    /// CUDA C++.
    #[default]
    Cuda,
    /// PTX.
    Ptx,
}

impl Language {
    /// The other language.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::Cuda => Self::Ptx,
            Self::Ptx => Self::Cuda,
        }
    }
}

/// Lines of a text, the current one highlighted and kept in view, with a strip for the other
/// language.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// The whole text.
    pub text: &'a str,
    /// Its language.
    pub language: Language,
    /// The line of the current step, from 1; 0 for none.
    pub current: u32,
    /// The lines at which the other warps are.
    pub others: &'a [u32],
    /// The lines by which the user has scrolled away from the current line.
    pub scroll: i32,
    /// The current step in the other language, below a rule; empty for none.
    pub strip: &'a str,
    /// The SASS that the current step becomes, the longest wording first.
    pub becomes: &'a [String],
    /// The PTX lines that are vectorised with it.
    pub joined: &'a [u32],
    /// How it is drawn.
    pub look: Look,
}

/// One line of source on a bar, for screens without room for a listing.
#[derive(Clone, Copy, Debug)]
pub struct Line<'a> {
    /// Its number, from 1; 0 for none.
    pub number: u32,
    /// Its text.
    pub text: &'a str,
    /// The current step in PTX, right-aligned if it fits.
    pub ptx: &'a str,
    /// The SASS that it becomes, the longest wording first.
    pub becomes: &'a [String],
    /// How it is drawn.
    pub look: Look,
}

/// Columns of the mark, the number and the blank after it.
const HEAD: u16 = 5;

impl Source<'_> {
    /// The number of rows of the listing, without the strip.
    fn rows(&self, height: u16) -> u16 {
        if self.strip.is_empty() || height < 4 { height } else { height - 1 }
    }

    /// The first line in view, from 0.
    fn first(&self, rows: u16) -> usize {
        let count = self.text.lines().count();
        let rows = usize::from(rows);
        // A third of the window is above the current line: what comes next matters more.
        let wanted = (self.current as usize).saturating_sub(1 + rows / 3);
        wanted.saturating_add_signed(self.scroll as isize).min(count.saturating_sub(rows))
    }

    /// Returns the number of columns omitted at the left, where all lines in view are blank, so
    /// that the ends of long lines are visible.
    fn margin(&self, first: usize, rows: u16, room: u16) -> usize {
        let lines = self.text.lines().skip(first).take(usize::from(rows)).map(expand);
        let code = lines.filter(|line| !line.trim().is_empty());
        let (indents, widths): (Vec<_>, Vec<_>) = code
            .map(|line| (line.len() - line.trim_start().len(), super::pen::width(&line)))
            .unzip();
        let overflows = widths.into_iter().any(|width| width > room);
        indents.into_iter().min().filter(|_| overflows).unwrap_or(0)
    }

    fn line(&self, pen: &mut Pen<'_>, y: u16, number: u32, text: &str) {
        let current = number == self.current;
        let marked = current || self.others.contains(&number);
        if current {
            pen.wash(0, y, pen.width(), self.look.bar());
        }
        if marked {
            let mark = if current { self.look.pick("►", ">") } else { self.look.pick("·", ".") };
            let class = if current { lit(self.look, Class::Here) } else { self.look.dim() };
            pen.text(0, y, mark, class);
        }
        let style = if current { lit(self.look, Class::Here) } else { self.look.dim() };
        pen.right(HEAD - 1, y, &number.to_string(), style);
        let end = self.code(pen, y, text, current);
        if self.language == Language::Ptx && self.joined.contains(&number) {
            let room = pen.width().saturating_sub(end + 3);
            let style = if current { lit(self.look, Class::Here) } else { self.look.text() };
            pen.right(pen.width() - 1, y, fitting(self.becomes, room), style);
        }
    }

    /// Draws the code of a line; returns the column after it.
    fn code(&self, pen: &mut Pen<'_>, y: u16, text: &str, current: bool) -> u16 {
        let mut x = HEAD;
        for (token, class) in tokens(text, self.language) {
            let style = if current { lit(self.look, class) } else { class.style(self.look) };
            x = pen.text(x, y, token, style);
        }
        x
    }
}

impl Widget for Source<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        let mut pen = Pen::new(area, buf, self.look);
        let rows = self.rows(pen.height());
        let first = self.first(rows);
        let lines = self.text.lines().enumerate().skip(first).take(usize::from(rows));
        let margin = self.margin(first, rows, pen.width().saturating_sub(HEAD));
        for (index, text) in lines {
            let text = expand(text);
            let text = text.get(margin..).unwrap_or_default();
            self.line(&mut pen, (index - first) as u16, index as u32 + 1, text);
        }
        if rows < pen.height() {
            let label = match self.language {
                Language::Cuda => "PTX  ",
                Language::Ptx => "CUDA ",
            };
            pen.wash(0, rows, pen.width(), self.look.bar());
            let x = pen.text(0, rows, label, self.look.dim());
            let strip = expand(self.strip.trim());
            let end = pen.text(x, rows, &strip, self.look.text());
            if self.language == Language::Ptx {
                return;
            }
            let room = pen.width().saturating_sub(end + 3);
            let bold = self.look.text().add_modifier(Modifier::BOLD);
            pen.right(pen.width().saturating_sub(1), rows, fitting(self.becomes, room), bold);
        }
    }
}

impl Widget for Line<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        let mut pen = Pen::new(area, buf, self.look);
        pen.wash(0, 0, pen.width(), self.look.bar());
        if self.number == 0 {
            return;
        }
        let style = lit(self.look, Class::Here);
        pen.text(1, 0, self.look.pick("►", ">"), style);
        let x = pen.text(2, 0, &self.number.to_string(), style);
        let mut x = x + 2;
        for (token, class) in tokens(&expand(self.text.trim()), Language::Cuda) {
            x = pen.text(x, 0, token, lit(self.look, class));
        }
        let ptx = expand(self.ptx.trim());
        if self.text.is_empty() {
            x = pen.text(x, 0, &ptx, self.look.text());
        }
        let both = self.becomes.last().map(|join| format!("{ptx}  {join}"));
        let both = both.into_iter().chain(self.becomes.to_vec()).chain([ptx]);
        let wordings: Vec<_> =
            if self.text.is_empty() { self.becomes.to_vec() } else { both.collect() };
        let room = pen.width().saturating_sub(x + 4);
        pen.right(pen.width().saturating_sub(1), 0, fitting(&wordings, room), self.look.text());
    }
}

/// Returns the style of a token on the current line's bar: a single ink if the bar is reversed, or
/// with 256 colours, which have no bar light enough for every ink.
fn lit(look: Look, class: Class) -> Style {
    let style = match look.depth {
        Depth::Mono | Depth::Ansi | Depth::Indexed => look.text(),
        Depth::True => class.style(look),
    };
    style.add_modifier(Modifier::BOLD)
}

/// The class of a piece of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    Plain,
    Keyword,
    Comment,
    Barrier,
    /// The name of a matrix, in its colour.
    Matrix(Role),
    /// An instruction that moves data.
    Memory,
    /// The current line's number.
    Here,
}

impl Class {
    fn style(self, look: Look) -> Style {
        match self {
            Self::Plain => look.text(),
            Self::Keyword => look.text().add_modifier(Modifier::BOLD),
            Self::Comment => look.dim(),
            Self::Barrier => look.strong(Role::Wait),
            Self::Matrix(role) => look.ink(role),
            Self::Memory => look.ink(Role::Memory),
            Self::Here => look.ink(Role::Here),
        }
    }
}

/// Splits a line into pieces with their classes. Hues keep their meaning: A, B and C have the same
/// colours as elsewhere, and so has code that moves data, computes or waits.
fn tokens(line: &str, language: Language) -> Vec<(&str, Class)> {
    // A Python comment takes a whole line, a C++ comment the rest of one.
    let hash = line.find("# ").filter(|at| line[..*at].trim().is_empty());
    let (code, comment) =
        hash.or_else(|| line.find("//")).map_or((line, ""), |at| line.split_at(at));
    let mut tokens = Vec::new();
    let mut rest = code;
    while let Some(first) = rest.chars().next() {
        let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '%' | '@');
        let end = rest.find(|c| is_word(c) != is_word(first)).unwrap_or(rest.len());
        let (token, after) = rest.split_at(end);
        let class = match language {
            Language::Cuda => cuda(token),
            Language::Ptx => ptx(token),
        };
        tokens.push((token, class));
        rest = after;
    }
    if !comment.is_empty() {
        tokens.push((comment, Class::Comment));
    }
    tokens
}

fn cuda(token: &str) -> Class {
    match token {
        "A" | "sA" => Class::Matrix(Role::A),
        "B" | "sB" => Class::Matrix(Role::B),
        "C" | "acc" => Class::Matrix(Role::C),
        "__syncthreads" => Class::Barrier,
        "if" | "else" | "for" | "while" | "return" | "const" | "int" | "float" | "void"
        | "extern" | "__global__" | "__shared__" | "__align__" => Class::Keyword,
        _ => Class::Plain,
    }
}

fn ptx(token: &str) -> Class {
    let begins = |prefixes: &[&str]| prefixes.iter().any(|prefix| token.starts_with(prefix));
    if begins(&["ld.", "st."]) {
        Class::Memory
    } else if begins(&["bar."]) {
        Class::Barrier
    } else if begins(&["fma."]) {
        Class::Matrix(Role::C)
    } else if begins(&[".loc", ".file"]) {
        Class::Comment
    } else if token.starts_with('.') || matches!(token, "bra" | "ret") {
        Class::Keyword
    } else {
        Class::Plain
    }
}

/// Expands tabs to multiples of four columns, and turns other control characters into blanks.
fn expand(text: &str) -> String {
    text.chars().fold(String::with_capacity(text.len()), |mut line, c| {
        if c == '\t' {
            let blanks = 4 - line.chars().count() % 4;
            line.extend(std::iter::repeat_n(' ', blanks));
        } else {
            line.push(if c.is_control() { ' ' } else { c });
        }
        line
    })
}

#[cfg(test)]
mod tests {
    use super::super::picture::{self, ASCII, RICH};
    use super::*;
    use insta::assert_snapshot;

    const TEXT: &str = "\
// C = A x B, in part.
__syncthreads();

for (int k = 0; k < TILE; ++k)
    acc += sA[ty][k] * sB[k][tx];

// Nobody may overwrite the tiles before
__syncthreads();
C[row * N + col] = acc;
";

    fn source(look: Look) -> Source<'static> {
        let strip = "fma.rn.f32 \t%f9, %f7, %f8, %f20;";
        let language = Language::Cuda;
        Source {
            text: TEXT,
            language,
            current: 5,
            others: &[8],
            scroll: 0,
            strip,
            becomes: &[],
            joined: &[],
            look,
        }
    }

    #[test]
    fn the_current_line_is_marked_and_in_view() {
        assert_snapshot!(picture::text(source(RICH), 50, 8), @"
           3
           4 for (int k = 0; k < TILE; ++k)
        ►  5     acc += sA[ty][k] * sB[k][tx];
           6
           7 // Nobody may overwrite the tiles before
        ·  8 __syncthreads();
           9 C[row * N + col] = acc;
        PTX  fma.rn.f32  %f9, %f7, %f8, %f20;
        ");
        assert_snapshot!(picture::text(Source { scroll: -90, ..source(ASCII) }, 46, 4), @"
           1 // C = A x B, in part.
           2 __syncthreads();
           3
        PTX  fma.rn.f32  %f9, %f7, %f8, %f20;
        ");
    }

    #[test]
    fn ptx_is_listed_with_its_tabs_expanded() {
        let text = "\tmov.u32 \t%r1, %tid.x;\n\tld.global.f32 \t%f1, [%rd1+4];\n\tbar.sync \t0;";
        let listing = Source { text, language: Language::Ptx, current: 2, ..source(ASCII) };
        assert_snapshot!(picture::text(listing, 40, 4), @"
           1     mov.u32     %r1, %tid.x;
        >  2     ld.global.f32   %f1, [%rd1+4];
           3     bar.sync    0;
        CUDA fma.rn.f32  %f9, %f7, %f8, %f20;
        ");
        let classes = |line: &'static str| {
            tokens(line, Language::Ptx).into_iter().map(|(_, class)| class).collect::<Vec<_>>()
        };
        assert_eq!(classes("ld.global.f32 x")[0], Class::Memory);
        assert_eq!(classes("bar.sync 0")[0], Class::Barrier);
        assert_eq!(classes("fma.rn.f32 x")[0], Class::Matrix(Role::C));
    }

    #[test]
    fn names_of_matrices_have_their_colours() {
        let coloured: Vec<_> = tokens("acc += sA[ty][k] * sB[k][tx]; // sA", Language::Cuda)
            .into_iter()
            .filter(|(_, class)| *class != Class::Plain)
            .collect();
        assert_eq!(
            coloured,
            [
                ("acc", Class::Matrix(Role::C)),
                ("sA", Class::Matrix(Role::A)),
                ("sB", Class::Matrix(Role::B)),
                ("// sA", Class::Comment)
            ]
        );
    }

    #[test]
    fn what_becomes_one_is_marked_in_the_listing() {
        let text = "ld.shared.f32 %f1, [%r1];\nld.shared.f32 %f2, [%r1+4];\nbar.sync 0;";
        let becomes = ["2 x ld.shared.f32 -> 1 x LDS.64", "2 ld -> 1 LDS.64"].map(str::to_owned);
        let listing = Source { text, language: Language::Ptx, current: 1, ..source(ASCII) };
        let listing = Source { becomes: &becomes, joined: &[1, 2], others: &[], ..listing };
        assert_snapshot!(picture::text(listing, 56, 3), @"
        >  1 ld.shared.f32 %f1, [%r1];         2 ld -> 1 LDS.64
           2 ld.shared.f32 %f2, [%r1+4];       2 ld -> 1 LDS.64
           3 bar.sync 0;
        ");
        let cuda =
            Source { becomes: &becomes, strip: "ld.shared.f32 %f1, [%r1];", ..source(ASCII) };
        assert_snapshot!(picture::text(cuda, 56, 4), @"
           4 for (int k = 0; k < TILE; ++k)
        >  5     acc += sA[ty][k] * sB[k][tx];
           6
        PTX  ld.shared.f32 %f1, [%r1];         2 ld -> 1 LDS.64
        ");
        let line = Line {
            number: 33,
            text: "acc += sA[k];",
            ptx: "ld %f1;",
            becomes: &becomes,
            look: ASCII,
        };
        assert_snapshot!(picture::text(line, 60, 1), @" >33  acc += sA[k];               ld %f1;  2 ld -> 1 LDS.64");
        assert_snapshot!(picture::text(Line { text: "", ..line }, 60, 1), @" >33  ld %f1;               2 x ld.shared.f32 -> 1 x LDS.64");
    }

    #[test]
    fn one_line_stands_on_a_bar() {
        let line = Line {
            number: 33,
            text: "            acc += sA[ty][k] * sB[k][tx];",
            ptx: "fma.rn.f32 %f9, %f7, %f8;",
            becomes: &[],
            look: ASCII,
        };
        assert_snapshot!(picture::text(line, 80, 1), @" >33  acc += sA[ty][k] * sB[k][tx];                   fma.rn.f32 %f9, %f7, %f8;");
        assert_snapshot!(picture::text(line, 50, 1), @" >33  acc += sA[ty][k] * sB[k][tx];");
        picture::survives(|look| Line { look, ..line });
    }

    #[test]
    fn every_size_survives() {
        picture::survives(source);
        picture::survives(|look| Source { text: "", strip: "", ..source(look) });
        picture::survives(|look| Source { scroll: i32::MAX, current: u32::MAX, ..source(look) });
    }
}
