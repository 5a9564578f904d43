//! Mapped files: the container of tables, language models and vocabularies.
