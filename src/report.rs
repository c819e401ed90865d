//! To come: the room `report` of the plan.
