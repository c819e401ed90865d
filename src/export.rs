//! To come: the room `export` of the plan.
