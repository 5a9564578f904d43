//! Translation over HTTP, and the page that shows it.
