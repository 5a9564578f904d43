//! What all pages have in common (reports, the viewer of aligned trees, the server's page): one style sheet and one set of
//! drawings. Both are plain text that a page embeds or a server sends.

/// The style sheet.
pub const STYLE: &str = include_str!("../page/style.css");

/// The drawings, as a script: trees, links, derivations, matrices and bars from plain data.
pub const DRAWINGS: &str = include_str!("../page/drawings.js");
