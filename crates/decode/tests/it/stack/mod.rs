//! Stack search from outside: against brute force on small inputs, and against what Moses found on real ones.

mod brute;
mod moses;
mod phrase_list;
mod robust;
