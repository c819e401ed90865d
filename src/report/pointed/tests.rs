//! Tests of the lines about points of a real run.
