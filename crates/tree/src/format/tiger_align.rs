//! Alignment files of parallel treebanks (Stockholm TreeAligner): SMULTRON, SQUOIA.
