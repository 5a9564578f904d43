//! Stack search from outside: against brute force on small inputs, and against what Moses found on real ones.

#[cfg(test)]
mod brute;
#[cfg(test)]
mod moses;
#[cfg(test)]
mod phrase_list;
#[cfg(test)]
mod robust;
