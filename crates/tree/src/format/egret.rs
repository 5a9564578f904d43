//! Packed parse forests in Egret's form.
