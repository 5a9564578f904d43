//! Arrays that are either owned, just after training, or a section of a mapped model file.

use bytemuck::Pod;
use std::ops::Deref;
use treeglot_text::mapped::View;

#[derive(Debug, Clone)]
pub(crate) enum Store<T: Pod> {
    Owned(Vec<T>),
    Mapped(View<T>),
}

impl<T: Pod> Deref for Store<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        match self {
            Self::Owned(values) => values,
            Self::Mapped(view) => view,
        }
    }
}

impl<T: Pod> From<Vec<T>> for Store<T> {
    fn from(values: Vec<T>) -> Self {
        Self::Owned(values)
    }
}
