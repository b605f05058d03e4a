import type { Metrics } from './metrics.ts'

/**
 * Makes the metrics of one server. Give them to `createThroughline` as `metrics`, and serve their `text` where only your
 * own Prometheus can read it. They also measure the process: its memory, its CPU time and the delay of its event loop.
 */
export async function createMetrics(): Promise<Metrics> {
  // The library takes some time to load, and most servers do without it.
  const { PrometheusMetrics } = await import('./prometheus-metrics.ts')
  return new PrometheusMetrics()
}
