//! Constants that headers of the host define and kernels use, if the source defines none of that name.

use super::value::{Held, Value};
use crate::types::{Qualifiers, Scalar, Type};

pub(super) fn limit(name: &str) -> Option<Value> {
    let float = |value: f32| Value::float(value.into(), Scalar::F32);
    let double = |value| Value::float(value, Scalar::F64);
    let int = |value| Value::int(value, Scalar::I32);
    Some(match name {
        "INFINITY" | "HUGE_VALF" | "CUDART_INF_F" => float(f32::INFINITY),
        "NAN" => float(f32::from_bits(0x7fff_ffff)),
        "FLT_MAX" => float(f32::MAX),
        "FLT_MIN" => float(f32::MIN_POSITIVE),
        "FLT_EPSILON" => float(f32::EPSILON),
        "DBL_MAX" => double(f64::MAX),
        "DBL_MIN" => double(f64::MIN_POSITIVE),
        "DBL_EPSILON" => double(f64::EPSILON),
        "M_PI" => double(std::f64::consts::PI),
        "M_E" => double(std::f64::consts::E),
        "INT_MAX" | "INT32_MAX" => int(i32::MAX.into()),
        "INT_MIN" => int(i32::MIN.into()),
        "nullptr" | "NULL" => {
            let ty = Type::Void.pointer(None, Qualifiers::default());
            Value { ty, held: Held::Int(0) }
        }
        "UINT_MAX" | "UINT32_MAX" => Value::int(u32::MAX.into(), Scalar::U32),
        _ => return None,
    })
}
