//! CoNLL-X: the shared tasks of 2006 and 2007, and what parsers of that time write.
