//! From text files to a bundle: stages, cache, recipes, reports.
