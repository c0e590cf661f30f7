import { Counter, Gauge, Histogram, Registry } from 'prom-client'

/** The upper bounds of the buckets of latencies, in seconds. */
const LATENCY_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

/** Labels of the program's version, the version of Node, and the engines in use. */
const BUILD_LABELS = ['version', 'node', 'pattern', 'zstd', 'crc32']

/** The metrics of a service. */
export type Metrics = ReturnType<typeof createMetrics>

/** A gauge that changes in steps of 1, with a value that can be read synchronously. */
class CountGauge extends Gauge {
  #count = 0

  /** The current value. */
  get count(): number {
    return this.#count
  }

  override inc(): void {
    this.#count++
    super.inc()
  }

  override dec(): void {
    this.#count--
    super.dec()
  }
}

/** Functions that register metrics in one registry. */
type MetricFactory = ReturnType<typeof metricFactory>

/** Returns functions that register a counter, a gauge or a histogram of latencies, with the prefix `logweir_`. */
function metricFactory(registry: Registry) {
  const spec = <Label extends string>(name: string, help: string, labelNames: Label[]) => ({
    name: `logweir_${name}`,
    help,
    labelNames,
    registers: [registry],
  })
  return {
    counter: <Label extends string>(name: string, help: string, ...labels: Label[]) =>
      new Counter<Label>(spec(name, help, labels)),
    gauge: <Label extends string>(name: string, help: string, ...labels: Label[]) =>
      new Gauge<Label>(spec(name, help, labels)),
    countGauge: (name: string, help: string) => new CountGauge(spec(name, help, [])),
    latency: <Label extends string>(name: string, help: string, ...labels: Label[]) =>
      new Histogram<Label>({ ...spec(name, help, labels), buckets: LATENCY_S }),
  }
}

/** Returns the metrics of rows that arrive. */
function ingestMetrics(counter: MetricFactory['counter']) {
  return {
    ingestedRows: counter('ingested_rows_total', 'Rows accepted.', 'source'),
    rejectedRows: counter('rejected_rows_total', 'Rejected lines.', 'reason'),
    maskedValues: counter('masked_values_total', 'Values masked on arrival, by rule of --mask.', 'rule'),
    unreadableTimes: counter(
      'unreadable_times_total',
      'Rows stored with the time of receipt because theirs could not be read.',
      'source',
    ),
  }
}

/** Returns the metrics of the process and its state. */
function stateMetrics(gauge: MetricFactory['gauge']) {
  return {
    buildInfo: gauge('build_info', 'Always 1. The labels say what the program runs on.', ...BUILD_LABELS),
    degraded: gauge('degraded', '1 while rows cannot be stored, or after standard input has failed, else 0.'),
    stdinOpen: gauge('stdin_open', '1 while standard input is read, else 0.'),
  }
}

/** Returns the metrics of stored rows: how many, their bytes, and how many were deleted. */
function storageMetrics({ counter, gauge }: MetricFactory) {
  return {
    rows: gauge('rows', 'Stored rows.', 'source'),
    segments: gauge('segments', 'Sealed segments.', 'source'),
    waitingSegments: gauge('waiting_segments', 'Segments that wait for work while the service is idle.', 'work'),
    bytes: gauge(
      'bytes',
      'Bytes of stored rows: hot and cold columns of sealed segments, and open heads.',
      'source',
      'tier',
    ),
    viewBytes: gauge('view_bytes', 'Bytes of the files of a view.', 'view'),
    rowsLimitBytes: gauge('rows_limit_bytes', 'Bytes of memory that rows may take.'),
    evictedRows: counter('evicted_rows_total', 'Rows deleted, by the limit that they exceeded.', 'source', 'limit'),
    evictedPartitions: counter(
      'evicted_partitions_total',
      'Partitions deleted (one UTC day of a source), by limit.',
      'source',
      'limit',
    ),
  }
}

/** Returns the metrics of deletions on request. `by` is the id and the name of a token. */
function deletionMetrics({ counter, gauge }: MetricFactory) {
  return {
    deletions: counter('deletions_total', 'Deletions that were accepted, and that were erased.', 'state', 'by'),
    deletionsOpen: gauge('deletions_open', 'Deletions that are not erased yet.'),
    deletedRows: counter('deleted_rows_total', 'Rows that deletions removed from the files.'),
  }
}

/** Returns the metrics of damaged files. */
function damageMetrics(counter: MetricFactory['counter']) {
  return {
    damagedBytes: counter('journal_damaged_bytes_total', 'Bytes of the journal that recovery had to skip.'),
    damagedSegments: counter('damaged_segments_total', 'Sealed segments that recovery or a query could not read.'),
    unreadableJournals: counter(
      'unreadable_journals_total',
      'Journals, or parts of them, that the system cannot read.',
    ),
    misplacedFiles: counter('misplaced_files_total', 'Files of rows that are missing, copies, or unknown.', 'kind'),
  }
}

/** Returns the metrics of the engine's scans and caches. */
function scanMetrics({ counter, gauge }: MetricFactory) {
  return {
    scannedRows: counter('scanned_rows_total', 'Rows that passed the filters of queries.'),
    engineCachedBytes: gauge('engine_cached_bytes', 'Bytes that the engine has cached for later queries.', 'kind'),
    engineCacheLookups: counter(
      'engine_cache_lookups_total',
      'Lookups in the caches of the engine.',
      'kind',
      'outcome',
    ),
  }
}

/** Returns the metrics of queries, from the request to the last byte of the answer. */
function queryMetrics({ counter, gauge, countGauge, latency }: MetricFactory) {
  return {
    queries: counter('queries_total', 'Queries answered, by endpoint and outcome.', 'endpoint', 'outcome'),
    querySeconds: latency('query_duration_seconds', 'Time from a query to its answer.', 'endpoint', 'cache'),
    queriesRunning: countGauge('queries_running', 'Queries that run now.'),
    queryBytes: gauge('query_bytes', 'Bytes of memory of queries, and of answers that wait for clients.'),
    answersCut: counter('answers_cut_total', 'Answers that were cut because their clients read them too slowly.'),
  }
}

/** Returns the metrics of queries that clients follow. */
function subscriptionMetrics({ counter, gauge, latency }: MetricFactory) {
  return {
    subscriptionsOpen: gauge('subscriptions_open', 'Clients that follow a query.'),
    subscribedQueries: gauge('subscribed_queries', 'Different queries that are followed, or were until recently.'),
    subscriptionBytes: gauge('subscription_bytes', 'Bytes of the last results of followed queries, and their events.'),
    subscriptionEvaluations: counter(
      'subscription_evaluations_total',
      'Evaluations of followed queries: changed, unchanged or failed.',
      'result',
    ),
    subscriptionLagSeconds: latency(
      'subscription_lag_seconds',
      'Time from rows that became visible to the change of an answer.',
    ),
    subscriptionsDropped: counter('subscriptions_dropped_total', 'Streams that the service ended, by code.', 'code'),
  }
}

/** Returns the metrics of the cache of answers. */
function answerCacheMetrics({ counter, gauge }: MetricFactory) {
  return {
    cacheHits: counter('cache_hits_total', 'Answers served from the cache.', 'endpoint'),
    cacheMisses: counter('cache_misses_total', 'Answers computed because the cache had none.', 'endpoint'),
    cacheRefreshes: counter('cache_refreshes_total', 'Entries recomputed in the background.', 'endpoint', 'outcome'),
    cacheEntries: gauge('cache_entries', 'Answers in the cache.'),
    cacheBytes: gauge('cache_bytes', 'Bytes of the answers in the cache.'),
  }
}

/** Returns the metrics of alerts. The names of rules and receivers are those of the operator's files. */
function alertMetrics({ counter, gauge, latency }: MetricFactory) {
  return {
    alertEvaluations: counter(
      'alert_evaluations_total',
      'Evaluations of alert rules, and instants that were skipped.',
      'rule',
      'result',
    ),
    alertEvaluationSeconds: latency('alert_evaluation_seconds', 'Time from the query of a rule to its last row.'),
    alerts: gauge('alerts', 'Alerts that are pending or fire.', 'rule', 'state'),
    notifications: counter(
      'notifications_total',
      'Tries to notify a receiver of alerts, and notifications that were given up.',
      'receiver',
      'result',
    ),
    notificationOldestSeconds: gauge(
      'notification_oldest_seconds',
      'Age of the oldest notification that was not delivered, 0 if there is none.',
      'receiver',
    ),
  }
}

/** Returns all metrics of a service, in a registry of their own, so that tests do not share counts. */
export function createMetrics() {
  const registry = new Registry()
  const factory = metricFactory(registry)
  const { counter, gauge } = factory
  return {
    registry,
    ...ingestMetrics(counter),
    ...stateMetrics(gauge),
    ...storageMetrics(factory),
    ...deletionMetrics(factory),
    ...damageMetrics(counter),
    ...scanMetrics(factory),
    requests: counter('http_requests_total', 'HTTP requests answered.', 'status'),
    unauthorized: counter('unauthorized_total', 'Requests without a valid access token, by reason.', 'reason'),
    ...queryMetrics(factory),
    unreadParameters: counter(
      'unread_parameters_total',
      'Requests with a parameter that the endpoint does not read.',
      'parameter',
    ),
    tailsOpen: gauge('tails_open', 'Live tails that are open.'),
    tailsDropped: counter('tails_dropped_total', 'Live tails that were ended because they were read too slowly.'),
    ...subscriptionMetrics(factory),
    ...answerCacheMetrics(factory),
    ...alertMetrics(factory),
  }
}
