//! To come: the room `stats` of the plan.
