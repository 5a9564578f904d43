//! Moses' XML trees, `<tree label="NP"> ... </tree>`.
