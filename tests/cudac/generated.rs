//! Kernels made at random, each by its seed: the same C++ for a GPU and for the host, without anything
//! that C++ leaves undefined.

use std::fmt::Write;

/// The threads of a kernel, and the words that each of them writes.
pub(crate) const THREADS: usize = 32;
pub(crate) const WORDS: usize = 8;

/// The words that a kernel reads.
pub(crate) const INPUTS: usize = 64;

/// What both compilers of a source know.
pub(crate) const COMMON: &str = "\
    struct Pair { unsigned first; short second; };\n\
    __device__ unsigned mixed(unsigned a, short b) { return b > 0 ? a * 33u + b : a ^ (unsigned)b; }\n\
    __device__ unsigned bumped(unsigned& x) { x += 3u; return x >> 1; }\n\
    __device__ float times(float a, float b) { return a * b; }\n";

/// What a kernel computes with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sort {
    /// Whole numbers of all widths.
    Whole,
    /// Floating-point numbers, of which no product meets a sum: each is rounded on its own everywhere.
    Rounded,
    /// Floating-point numbers whose products and sums a GPU's compilers fuse.
    Fused,
}

/// A kernel.
pub(crate) struct Generated {
    pub(crate) sort: Sort,
    /// Its statements, which know `t`, `in` and `out`.
    pub(crate) body: String,
}

/// A word of the input.
pub(crate) fn input(index: usize) -> u32 {
    (index as u32 + 1).wrapping_mul(2_654_435_761) ^ (index as u32) << 7
}

/// The kernel of a seed.
pub(crate) fn generated(seed: u64) -> Generated {
    let sort = match seed % 5 {
        0..=2 => Sort::Whole,
        3 => Sort::Rounded,
        _ => Sort::Fused,
    };
    let mut maker = Maker::new(seed, sort);
    maker.kernel();
    Generated { sort, body: maker.text }
}

struct Maker {
    state: u64,
    sort: Sort,
    text: String,
    /// The variables that may be changed, and those of type `unsigned` among them.
    variables: Vec<String>,
    unsigned: Vec<String>,
    /// The floating-point type, and whether sums are made, or products.
    real: &'static str,
    sums: bool,
    count: u32,
    loops: u32,
}

impl Maker {
    fn new(seed: u64, sort: Sort) -> Self {
        let mut maker = Self {
            state: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1,
            sort,
            text: String::new(),
            variables: Vec::new(),
            unsigned: Vec::new(),
            real: "float",
            sums: true,
            count: 0,
            loops: 0,
        };
        maker.below(7);
        maker.sums = maker.below(2) == 0;
        maker.real = if sort != Sort::Whole && maker.below(4) == 0 { "double" } else { "float" };
        maker
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        (self.state >> 33) % bound
    }

    fn one_of<'s>(&mut self, all: &[&'s str]) -> &'s str {
        all[self.below(all.len() as u64) as usize]
    }

    fn name(&mut self) -> String {
        self.count += 1;
        format!("v{}", self.count)
    }

    fn line(&mut self, text: &str) {
        let _ = writeln!(self.text, "    {text}");
    }

    fn variable(&mut self) -> String {
        let index = self.below(self.variables.len() as u64) as usize;
        self.variables[index].clone()
    }

    fn kernel(&mut self) {
        if self.sort == Sort::Whole {
            self.whole();
        } else {
            self.real_numbers();
        }
    }

    /// Declares, computes, and writes what is in the variables.
    fn whole(&mut self) {
        self.line("unsigned a[8]; short b[8];");
        self.line(
            "for (int i = 0; i < 8; ++i) { a[i] = in[(t + i) & 63]; b[i] = (short)(a[i] >> i); }",
        );
        self.line("Pair p = {in[t & 63], (short)(t * 7u)};");
        for ty in [
            "unsigned",
            "int",
            "unsigned short",
            "signed char",
            "unsigned char",
            "unsigned long long",
        ] {
            let (name, from) = (self.name(), self.below(64));
            self.line(&format!("{ty} {name} = ({ty})in[(t + {from}u) & 63];"));
            if ty == "unsigned" {
                self.unsigned.push(name.clone());
            }
            self.variables.push(name);
        }
        self.variables.push("p.first".to_owned());
        self.unsigned.push("p.first".to_owned());
        for _ in 0..4 + self.below(6) {
            self.statement(2);
        }
        for index in 0..WORDS {
            let value = if index < self.variables.len() {
                self.variables[index].clone()
            } else {
                self.value(2)
            };
            self.line(&format!(
                "out[t * 8 + {index}] = (unsigned)({value}) ^ a[{index}] ^ (unsigned)b[{index}];"
            ));
        }
    }

    fn block(&mut self, depth: u32) {
        let known = (self.variables.len(), self.unsigned.len());
        self.line("{");
        for _ in 0..=self.below(3) {
            self.statement(depth);
        }
        if self.loops > 0 && self.below(4) == 0 {
            let (asked, way) = (self.value(1), self.one_of(&["break", "continue"]));
            self.line(&format!("if ({asked}) {way};"));
        }
        self.line("}");
        self.variables.truncate(known.0);
        self.unsigned.truncate(known.1);
    }

    fn statement(&mut self, depth: u32) {
        let to = self.variable();
        match self.below(if depth > 0 { 16 } else { 9 }) {
            0 => {
                let (name, value) = (self.name(), self.value(3));
                self.line(&format!("unsigned {name} = (unsigned)({value});"));
                self.unsigned.push(name.clone());
                self.variables.push(name);
            }
            1 | 2 => {
                let value = self.value(3);
                self.line(&format!("{to} = {value};"));
            }
            3 => {
                let (operator, value) =
                    (self.one_of(&["+", "-", "*", "^", "|", "&"]), self.value(2));
                self.line(&format!("{to} {operator}= (unsigned)({value});"));
            }
            4 => {
                let (index, value) = (self.value(1), self.value(2));
                let array = self.one_of(&["a", "b"]);
                self.line(&format!("{array}[({index}) & 7] = {value};"));
            }
            // The right side is evaluated first: of `+=` too, which g++ 12 has the other way round.
            5 => {
                let which = self.one_of(&[
                    "a[{}++ & 7] = {} * 5u;",
                    "a[{}++ & 7] = {};",
                    "a[({} += 3u) & 7] = {};",
                ]);
                let name = self.unsigned_variable();
                self.line(&which.replace("{}", &name));
            }
            6 => {
                let (other, value) = (self.unsigned_variable(), self.value(2));
                self.line(&format!("{other} = a[{}] = {value};", self.count % 8));
            }
            7 => {
                // In which order arguments are evaluated is open: they may not depend on it.
                let (name, from) = (self.unsigned_variable(), self.below(64));
                self.line(&format!("{name} ^= mixed(bumped({name}), (short)in[{from}]);"));
            }
            8 => {
                let (name, by) = (self.unsigned_variable(), self.value(1));
                let operator = self.one_of(&["<<", ">>"]);
                self.line(&format!("{name} {operator}= (({by}) & 31);"));
            }
            9 | 10 => {
                let asked = self.value(2);
                self.line(&format!("if ({asked})"));
                self.block(depth - 1);
                if self.below(2) == 0 {
                    self.line("else");
                    self.block(depth - 1);
                }
            }
            11 | 12 => self.counted(depth),
            13 => self.repeated(depth),
            _ => self.chosen(depth),
        }
    }

    fn counted(&mut self, depth: u32) {
        let (name, rounds) = (self.name(), 1 + self.below(5));
        if self.below(3) == 0 {
            self.text += "#pragma unroll\n";
        }
        let head = match self.below(3) {
            0 => format!("for (int {name} = 0; {name} < {rounds}; ++{name})"),
            1 => format!("for (unsigned char {name} = 250; {name} != {rounds}; {name}++)"),
            _ => format!("for (int {name} = {rounds}; {name}--;)"),
        };
        self.line(&head);
        self.loops += 1;
        self.block(depth - 1);
        self.loops -= 1;
    }

    fn repeated(&mut self, depth: u32) {
        let (name, value) = (self.name(), self.value(1));
        self.line(&format!("unsigned {name} = ({value}) & 7;"));
        self.loops += 1;
        if self.below(2) == 0 {
            self.line(&format!("while ({name}-- > 1)"));
            self.block(depth - 1);
        } else {
            self.line("do");
            self.block(depth - 1);
            self.line(&format!("while (({name} = {name} / 2));"));
        }
        self.loops -= 1;
    }

    fn chosen(&mut self, depth: u32) {
        let of = self.value(1);
        // A `break` in it leaves the `switch`.
        let loops = std::mem::take(&mut self.loops);
        self.line(&format!("switch (({of}) & 3) {{"));
        for label in ["case 0:", "case 2:", "default:"] {
            self.line(label);
            self.block(depth - 1);
            if self.below(2) == 0 {
                self.line("break;");
            }
        }
        self.line("}");
        self.loops = loops;
    }

    fn unsigned_variable(&mut self) -> String {
        let index = self.below(self.unsigned.len() as u64) as usize;
        self.unsigned[index].clone()
    }

    /// A whole number of some type.
    fn value(&mut self, depth: u32) -> String {
        if depth == 0 || self.below(6) == 0 {
            return self.leaf();
        }
        let (x, y) = (self.value(depth - 1), self.value(depth - 1));
        match self.below(13) {
            0..=2 => {
                let operator = self.one_of(&["+", "-", "*", "&", "|", "^"]);
                format!("(({x}) {operator} (unsigned)({y}))")
            }
            // Of small numbers with a sign: no result is too large.
            3 | 4 => {
                let operator = self.one_of(&["+", "-", "*", "&", "|", "^"]);
                format!("((short)({x}) {operator} (signed char)({y}))")
            }
            5 => format!("((unsigned)({x}) {} (({y}) & 31))", self.one_of(&["<<", ">>"])),
            6 => format!("((short)({x}) >> (({y}) & 15))"),
            7 => format!("((unsigned)({x}) {} (({y}) | 1u))", self.one_of(&["/", "%"])),
            8 => format!("((short)({x}) {} ((signed char)({y}) | 1))", self.one_of(&["/", "%"])),
            9 => {
                let operator = self.one_of(&["<", ">", "<=", ">=", "==", "!=", "&&", "||"]);
                format!("(({x}) {operator} ({y}))")
            }
            10 => {
                let asked = self.value(depth - 1);
                format!("(({asked}) ? ({x}) : ({y}))")
            }
            11 => {
                let to = self.one_of(&[
                    "unsigned char",
                    "short",
                    "signed char",
                    "unsigned long long",
                    "unsigned short",
                    "int",
                ]);
                format!("({to})({x})")
            }
            _ => format!("({}({x}))", self.one_of(&["~", "!", "-(short)", "+", "-(unsigned)"])),
        }
    }

    fn leaf(&mut self) -> String {
        let known = self.below(64);
        match self.below(8) {
            0..=3 => self.variable(),
            4 => format!("in[(t + {known}u) & 63]"),
            5 => {
                self.one_of(&["a[3]", "b[5]", "p.second", "a[t & 7]", "b[(t + 2u) & 7]"]).to_owned()
            }
            6 => self.one_of(&["017", "0x7fu", "-3", "255", "1u", "'A'", "40000", "0"]).to_owned(),
            _ => "t".to_owned(),
        }
    }

    fn real_numbers(&mut self) {
        let real = self.real;
        for _ in 0..4 {
            let (name, from) = (self.name(), self.below(64));
            self.line(&format!("{real} {name} = ({real})(int)(in[(t + {from}u) & 63] % 4001u - 2000u) * {real}(0.125f);"));
            self.variables.push(name);
        }
        for _ in 0..2 + self.below(5) {
            let (name, value) = (self.name(), self.real_value(3));
            match self.below(6) {
                0 => {
                    let more = self.real_value(2);
                    self.line(&format!("{real} {name}[2] = {{{value}, {more}}};"));
                    self.variables.extend([format!("{name}[0]"), format!("{name}[1]")]);
                    continue;
                }
                1 => {
                    let to = self.variable();
                    let operator = match (self.sort, self.sums) {
                        (Sort::Fused, _) => self.one_of(&["+", "-", "*"]),
                        (_, true) => self.one_of(&["+", "-"]),
                        _ => "*",
                    };
                    self.line(&format!("{to} {operator}= {value};"));
                    continue;
                }
                2 if self.sort == Sort::Rounded => {
                    let (one, other, to) = (self.variable(), self.variable(), self.variable());
                    self.line(&format!("if ({one} < {other}) {to} = {value};"));
                    continue;
                }
                _ => self.line(&format!("{real} {name} = {value};")),
            }
            self.variables.push(name);
        }
        for index in 0..WORDS {
            let value = if index < self.variables.len() {
                self.variables[index].clone()
            } else {
                self.real_value(2)
            };
            self.line(&format!("{{ float r = (float)({value}); out[t * 8 + {index}] = r != r ? 1u : __float_as_uint(r); }}"));
        }
    }

    fn real_value(&mut self, depth: u32) -> String {
        if depth == 0 || self.below(6) == 0 {
            return match self.below(6) {
                0 if self.sums && self.sort == Sort::Rounded => format!("{}(3.1f)", self.real),
                0 => {
                    let known = self.one_of(&["0.1f", "1.25f", "3.0f"]);
                    format!("{}({known})", self.real)
                }
                _ => self.variable(),
            };
        }
        let (x, y) = (self.real_value(depth - 1), self.real_value(depth - 1));
        let sum = self.one_of(&["+", "-"]);
        match (self.below(8), self.sort) {
            // Of signs among products NVVM makes differences in ways of its own.
            (0, sort) if sort != Sort::Fused => format!("(-{x})"),
            (1, Sort::Fused) if self.real == "float" => format!("times({x}, {y})"),
            (2..=4, Sort::Fused) => format!("({x} * {y})"),
            (_, Sort::Fused) => format!("({x} {sum} {y})"),
            (1, _) => {
                let divisor = self.variable();
                format!("({x} / {divisor})")
            }
            _ if self.sums => format!("({x} {sum} {y})"),
            _ => format!("({x} * {y})"),
        }
    }
}
