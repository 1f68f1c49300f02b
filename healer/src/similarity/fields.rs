//! Which found member is which expected field, inside the objects that `objects` has decided.

pub(crate) mod compatible;
pub(crate) mod decide;
pub(crate) mod described;
pub(crate) mod doubt;
pub(crate) mod explain;
