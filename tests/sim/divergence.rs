//! Random structured programs: 32 lanes that diverge and reconverge give what each thread gives
//! alone.

use crate::kernel;
use proptest::prelude::*;
use std::fmt::Write;
use std::ops::ControlFlow;

/// The number of variables per thread.
const VARIABLES: usize = 4;

/// `variable < bound`
#[derive(Clone, Copy, Debug)]
struct Condition {
    variable: usize,
    bound: u32,
}

/// A statement of a structured program.
#[derive(Clone, Debug)]
enum Node {
    /// `to = to * 5 + from`
    Mix { to: usize, from: usize },
    /// `if (condition) { .. } else { .. }`
    If(Condition, Vec<Node>, Vec<Node>),
    /// `for (i = variable % 4; i > 0; i--) { .. }`
    Loop(usize, Vec<Node>),
    /// `if (condition) break;`, or nothing outside a loop.
    Break(Condition),
    /// `__syncthreads()`: since Volta, threads that arrive at different ones are synchronised all
    /// the same, and it blocks no thread for ever.
    Barrier,
    /// `if (condition) return;`, as a branch to the end or as a guarded `ret`.
    Return(Condition, bool),
}

fn condition() -> impl Strategy<Value = Condition> {
    (0..VARIABLES, prop::sample::select(vec![1 << 28, 1 << 30, 1 << 31, 7 << 29]))
        .prop_map(|(variable, bound)| Condition { variable, bound })
}

fn program() -> impl Strategy<Value = Vec<Node>> {
    let mix = (0..VARIABLES, 0..VARIABLES).prop_map(|(to, from)| Node::Mix { to, from });
    let leaf = prop_oneof![
        4 => mix,
        1 => condition().prop_map(Node::Break),
        1 => Just(Node::Barrier),
        1 => (condition(), any::<bool>()).prop_map(|(when, guarded)| Node::Return(when, guarded)),
    ];
    let node = leaf.prop_recursive(4, 40, 5, |inner| {
        let body = || prop::collection::vec(inner.clone(), 0..5);
        prop_oneof![
            (condition(), body(), body())
                .prop_map(|(when, then, other)| Node::If(when, then, other)),
            (0..VARIABLES, body()).prop_map(|(count, body)| Node::Loop(count, body)),
        ]
    });
    prop::collection::vec(node, 1..8)
}

/// Why a thread leaves a list of statements early.
enum Leave {
    Loop,
    Thread,
}

/// Executes one thread by itself.
fn evaluate(nodes: &[Node], x: &mut [u32; VARIABLES], looping: bool) -> ControlFlow<Leave> {
    let holds = |x: &[u32; VARIABLES], when: &Condition| x[when.variable] < when.bound;
    for node in nodes {
        match node {
            Node::Mix { to, from } => x[*to] = x[*to].wrapping_mul(5).wrapping_add(x[*from]),
            Node::If(when, then, other) => {
                evaluate(if holds(x, when) { then } else { other }, x, looping)?;
            }
            Node::Loop(count, body) => {
                for _ in 0..x[*count] % 4 {
                    match evaluate(body, x, true) {
                        ControlFlow::Break(Leave::Loop) => break,
                        left => left?,
                    }
                }
            }
            Node::Break(when) if looping && holds(x, when) => {
                return ControlFlow::Break(Leave::Loop);
            }
            Node::Return(when, _) if holds(x, when) => return ControlFlow::Break(Leave::Thread),
            Node::Break(_) | Node::Return(..) | Node::Barrier => {}
        }
    }
    ControlFlow::Continue(())
}

/// Writes the program as PTX.
#[derive(Default)]
struct Writer {
    text: String,
    labels: usize,
}

impl Writer {
    fn label(&mut self) -> usize {
        self.labels += 1;
        self.labels
    }

    fn compare(&mut self, when: Condition) {
        let _ = writeln!(self.text, "setp.lt.u32 p, %x{}, {};", when.variable, when.bound);
    }

    fn nodes(&mut self, nodes: &[Node], exit: Option<usize>) {
        for node in nodes {
            self.node(node, exit);
        }
    }

    fn node(&mut self, node: &Node, exit: Option<usize>) {
        match node {
            Node::Mix { to, from } => {
                let _ = writeln!(self.text, "mad.lo.u32 %x{to}, %x{to}, 5, %x{from};");
            }
            Node::If(when, then, other) => {
                let (otherwise, join) = (self.label(), self.label());
                self.compare(*when);
                let _ = writeln!(self.text, "@!p bra L{otherwise};");
                self.nodes(then, exit);
                let _ = writeln!(self.text, "bra.uni L{join};\nL{otherwise}:");
                self.nodes(other, exit);
                let _ = writeln!(self.text, "L{join}:");
            }
            Node::Loop(count, body) => {
                let (top, done) = (self.label(), self.label());
                let _ = writeln!(self.text, "and.b32 %i{top}, %x{count}, 3;\nL{top}:");
                let _ = writeln!(self.text, "setp.eq.u32 p, %i{top}, 0;\n@p bra L{done};");
                let _ = writeln!(self.text, "sub.u32 %i{top}, %i{top}, 1;");
                self.nodes(body, Some(done));
                let _ = writeln!(self.text, "bra L{top};\nL{done}:");
            }
            Node::Barrier => self.text.push_str("bar.sync 0;\n"),
            Node::Break(when) => {
                if let Some(exit) = exit {
                    self.compare(*when);
                    let _ = writeln!(self.text, "@p bra L{exit};");
                }
            }
            Node::Return(when, guarded) => {
                self.compare(*when);
                self.text.push_str(if *guarded { "@p ret;\n" } else { "@p bra END;\n" });
            }
        }
    }
}

/// Loads the variables, runs `nodes`, synchronises the remaining threads at a barrier, and stores.
fn ptx(nodes: &[Node]) -> String {
    let mut writer = Writer::default();
    writer.nodes(nodes, None);
    let mut body = format!(
        ".reg .pred p;\n.reg .b32 %x<{VARIABLES}>;\n.reg .b32 %i<{}>;\n\
         mad.wide.u32 %at, %tid, 16, %in;\n\
         ld.global.v4.u32 {{%x0, %x1, %x2, %x3}}, [%at];\n",
        writer.labels + 1
    );
    body += &writer.text;
    body += "bar.sync 0;\nmad.wide.u32 %at, %tid, 16, %out;\n\
            st.global.v4.u32 [%at], {%x0, %x1, %x2, %x3};\nEND:";
    kernel::text(&body)
}

/// The threads' results; zeros for those that return early.
fn expected(nodes: &[Node], input: &[u32]) -> Vec<u32> {
    let thread = |start: &[u32]| {
        let mut x = [start[0], start[1], start[2], start[3]];
        match evaluate(nodes, &mut x, false) {
            ControlFlow::Break(Leave::Thread) => [0; VARIABLES],
            _ => x,
        }
    };
    input.chunks_exact(VARIABLES).flat_map(thread).collect()
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 400,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn lanes_that_part_compute_what_each_computes_alone(
        nodes in program(),
        seed in any::<u32>(),
    ) {
        let text = ptx(&nodes);
        let threads = 50;
        let input: Vec<_> = (1..=threads * VARIABLES as u32)
            .map(|index| (index ^ seed).wrapping_mul(0x9e37_79b9))
            .collect();
        let run = kernel::run(&kernel::program(&text), threads, &input, input.len());
        let (out, _) = run.map_err(|fault| TestCaseError::fail(format!("{fault}\n{text}")))?;
        prop_assert_eq!(out, expected(&nodes, &input), "{}", text);
    }
}
