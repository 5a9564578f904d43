//! Word alignment, symmetrisation and sub-tree alignment: from pairs to links.
