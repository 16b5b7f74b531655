//! The flags of `metrics`.

use std::net::SocketAddr;

use clap::Args;

use crate::clock::when::Span;

/// `metrics`
#[derive(Args)]
#[command(after_help = "\
Examples:
  delayscope metrics > /var/lib/node_exporter/delayscope.prom
  delayscope -h redis.internal metrics --listen 127.0.0.1:9127

With --listen it serves /metrics and /healthz until it is stopped. However many ask, the server is
read once a second at most. While it is away, delayscope_up is 0. Alerts for Prometheus:
assets/prometheus/rules.yaml; for Grafana: assets/grafana/dashboard.json; for redis_exporter, where
nothing else may run: assets/prometheus/redis-exporter.lua.")]
pub struct Metrics {
    /// Serve them at this address instead of printing them once
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub listen: Option<SocketAddr>,
    /// With --listen: look for queues that have come this often; one of which nothing has been left
    /// for so long has gone
    #[arg(
        long,
        value_name = "SPAN",
        default_value = "1m",
        allow_hyphen_values = true
    )]
    pub discover: Span,
    /// Queues that are told at most; the rest is counted
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub limit: u32,
}
