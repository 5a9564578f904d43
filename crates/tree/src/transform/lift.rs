//! Projectivisation by lifting arcs, with labels that allow the inverse (Nivre & Nilsson 2005).
