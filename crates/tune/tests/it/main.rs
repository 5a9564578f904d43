//! Laws of tuning, checked against brute force, and tuning on real lists.

mod common;
mod forests;
mod learners;
mod line_search;
mod outer_loop;
mod real_lists;
