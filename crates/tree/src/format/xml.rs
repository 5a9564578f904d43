//! What the XML formats share: events with line numbers.
