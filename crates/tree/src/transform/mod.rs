//! Transforms of trees.

pub mod binarize;
pub mod continuous;
pub mod heads;
pub mod inorder;
pub mod join;
pub mod lift;
pub mod pas;
pub mod split;
pub mod strip;
