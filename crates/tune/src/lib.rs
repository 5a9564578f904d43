//! Weights from a development set: MERT, MIRA, PRO.
