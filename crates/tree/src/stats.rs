//! Statistics of treebanks: lengths, depth, branching, projectivity.
