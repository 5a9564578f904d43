//! Unicode normalisation and lower-casing.
