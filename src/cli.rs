//! To come: the room `cli` of the plan.
