//! File < environment < arguments → one validated `Config`.
