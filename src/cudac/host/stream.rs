//! Streams and events: what the host puts in order.

use super::interpreter::{Eval, Interpreter};
use super::value::HostValue;
use super::{HostStep, HostTransfer, StreamOrder};
use crate::ast::Expr;
use crate::types::Scalar;

impl<'m> Interpreter<'m> {
    /// Makes, waits for and orders streams and events; whether it is such a function.
    pub(super) fn orders_streams(&mut self, name: &str, given: &'m [Expr]) -> Eval<bool> {
        match (name, given) {
            ("cudaDeviceSynchronize" | "cudaThreadSynchronize" | "cudaDeviceReset", _) => {
                self.did(HostStep::Order(StreamOrder::Device));
            }
            ("cudaStreamSynchronize", [stream]) => {
                let stream = self.number(stream)?;
                self.orders(stream.map(StreamOrder::Stream));
            }
            ("cudaEventSynchronize", [event]) => {
                let event = self.number(event)?;
                self.orders(event.map(StreamOrder::Event));
            }
            ("cudaEventRecord" | "cudaEventRecordWithFlags", [event, rest @ ..]) => {
                let event = self.number(event)?;
                let stream = rest.first().map_or(Ok(Some(0)), |stream| self.number(stream))?;
                let both = event.zip(stream);
                self.orders(both.map(|(event, stream)| StreamOrder::Record { event, stream }));
            }
            ("cudaStreamWaitEvent", [stream, event, ..]) => {
                let (stream, event) = (self.number(stream)?, self.number(event)?);
                let both = stream.zip(event);
                self.orders(both.map(|(stream, event)| StreamOrder::Wait { stream, event }));
            }
            (
                "cudaStreamCreate"
                | "cudaStreamCreateWithFlags"
                | "cudaStreamCreateWithPriority"
                | "cudaEventCreate"
                | "cudaEventCreateWithFlags",
                [to, rest @ ..],
            ) => {
                self.streams += 1;
                let value = HostValue::Int(self.streams as i64, Scalar::U64);
                self.give(to, value)?;
                let flags = rest.first().map_or(Ok(Some(0)), |flags| self.number(flags))?;
                if name.starts_with("cudaStream") && flags == Some(1) {
                    self.did(HostStep::Order(StreamOrder::Apart(self.streams)));
                }
            }
            ("cudaFree", [of]) => {
                let of = self.eval(of)?;
                if let HostValue::Pointer(at, _) = of
                    && let Some(place) = self.device_place(at)
                {
                    let (buffer, line) = (place.buffer, self.line);
                    self.did(HostStep::Free { buffer, line });
                }
                // It waits for all that may use what is freed.
                self.did(HostStep::Order(StreamOrder::Device));
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Notes what a call has moved in a stream: the steps and results since those before it. Nothing, if
    /// it is not known how much that is.
    pub(super) fn transfers(
        &mut self,
        call: &str,
        (stream, counts): (Option<&'m Expr>, &'m [Expr]),
        (steps, results): (usize, usize),
    ) -> Eval<()> {
        for count in counts {
            if self.number(count)?.is_none() {
                return Ok(());
            }
        }
        let Some(stream) = stream.map_or(Ok(Some(0)), |stream| self.number(stream))? else {
            return Ok(());
        };
        let back = self.copied.last().filter(|_| self.run.results.len() > results);
        let mut touched: Vec<_> =
            back.map(|((_, bytes), from)| (*from, *bytes, false)).into_iter().collect();
        let moved = &self.run.steps[steps..];
        // A copy between buffers hands over first what the host has written to others.
        let is_copy = moved.iter().any(|step| matches!(step, HostStep::Copy { .. }));
        for step in moved {
            match step {
                HostStep::Write { to, data, .. } if !is_copy => {
                    touched.push((*to, data.bytes(), true));
                }
                HostStep::Copy { from, to, bytes } => {
                    touched.extend([(*from, *bytes, false), (*to, *bytes, true)]);
                }
                _ => {}
            }
        }
        if !touched.is_empty() {
            let (call, line) = (call.to_owned(), self.line);
            self.did(HostStep::Transfer(HostTransfer { call, line, stream, touched }));
        }
        Ok(())
    }

    /// A stream or an event by its number; the default stream of a thread is that of the program.
    fn number(&mut self, of: &'m Expr) -> Eval<Option<u64>> {
        Ok(self.eval(of)?.whole().map(|number| number as u64))
    }

    /// Puts in order what is known to be; what is not may be anything.
    fn orders(&mut self, order: Option<StreamOrder>) {
        self.did(HostStep::Order(order.unwrap_or(StreamOrder::Device)));
    }
}
