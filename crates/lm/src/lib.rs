//! Language models: n-gram and dependency; estimation, storage, queries.
