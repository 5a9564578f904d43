//! CCG derivations, `AUTO`: CCGbank, C&C and EasyCCG.
