import { Counter, Gauge, Histogram, Registry } from 'prom-client'

const LATENCY_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

export type Metrics = ReturnType<typeof createMetrics>

/** Every metric of the process, in one list; one set per service, so that tests do not share counts. */
export function createMetrics() {
  const registers = [new Registry()]
  const name = (suffix: string) => `logweir_${suffix}`
  return {
    registry: registers[0]!,
    ingestedRows: new Counter({
      name: name('ingested_rows_total'),
      help: 'Rows taken.',
      labelNames: ['source'] as const,
      registers,
    }),
    rejectedRows: new Counter({
      name: name('rejected_rows_total'),
      help: 'Lines that could not be taken.',
      labelNames: ['reason'] as const,
      registers,
    }),
    stdinOpen: new Gauge({ name: name('stdin_open'), help: '1 while standard input is read, else 0.', registers }),
    rows: new Gauge({ name: name('rows'), help: 'Rows held.', labelNames: ['source'] as const, registers }),
    segments: new Gauge({
      name: name('segments'),
      help: 'Sealed segments held.',
      labelNames: ['source'] as const,
      registers,
    }),
    bytes: new Gauge({
      name: name('bytes'),
      help: 'Bytes held: hot and cold columns of sealed segments, and the open head.',
      labelNames: ['source', 'tier'] as const,
      registers,
    }),
    memoryLimitBytes: new Gauge({ name: name('memory_limit_bytes'), help: 'Bytes that rows may take.', registers }),
    evictedRows: new Counter({
      name: name('evicted_rows_total'),
      help: 'Rows dropped, by the limit that they met.',
      labelNames: ['source', 'limit'] as const,
      registers,
    }),
    evictedPartitions: new Counter({
      name: name('evicted_partitions_total'),
      help: 'UTC days of a source dropped, by the limit that they met.',
      labelNames: ['source', 'limit'] as const,
      registers,
    }),
    scannedRows: new Counter({ name: name('scanned_rows_total'), help: 'Rows that queries looked at.', registers }),
    requests: new Counter({
      name: name('http_requests_total'),
      help: 'HTTP requests answered.',
      labelNames: ['status'] as const,
      registers,
    }),
    queries: new Counter({
      name: name('queries_total'),
      help: 'Queries answered, by endpoint and outcome.',
      labelNames: ['endpoint', 'outcome'] as const,
      registers,
    }),
    querySeconds: new Histogram({
      name: name('query_duration_seconds'),
      help: 'Time from a query to its answer.',
      labelNames: ['endpoint', 'cache'] as const,
      buckets: LATENCY_S,
      registers,
    }),
    queriesRunning: new Gauge({ name: name('queries_running'), help: 'Queries that run now.', registers }),
    cacheHits: new Counter({
      name: name('cache_hits_total'),
      help: 'Answers served from the cache.',
      labelNames: ['endpoint'] as const,
      registers,
    }),
    cacheMisses: new Counter({
      name: name('cache_misses_total'),
      help: 'Answers computed because the cache had none.',
      labelNames: ['endpoint'] as const,
      registers,
    }),
    cacheRefreshes: new Counter({
      name: name('cache_refreshes_total'),
      help: 'Entries computed anew in the background, by outcome.',
      labelNames: ['endpoint', 'outcome'] as const,
      registers,
    }),
    cacheEntries: new Gauge({ name: name('cache_entries'), help: 'Answers in the cache.', registers }),
    cacheBytes: new Gauge({ name: name('cache_bytes'), help: 'Bytes of the answers in the cache.', registers }),
  }
}
