//! Runs what `deploy/` ships for Prometheus and Grafana on a real Prometheus, which scrapes a real Envoy under traffic.

pub mod alone;
pub mod dashboard;
pub mod deployed;
pub mod picture;
pub mod prometheus;
pub mod stand;
pub mod traffic;
