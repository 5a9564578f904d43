//! Files that belong together line by line (source, target, and what annotates them), read in step.
