//! To come: the room `gpu` of the plan.
