//! Rules: how they are written as symbols, counted, scored and stored in a table.
