import type { Log } from '../base/log.js'
import type { MemoryBudget } from '../base/memory/memory-budget.js'
import type { Metrics } from '../base/metrics.js'
import type { Clock } from '../base/time/clock.js'
import type { ListedView } from '../common/views-list.js'
import type { Endpoint } from '../endpoints/endpoint.js'
import type { Engine } from '../engine/engine.js'
import type { Access } from '../tokens/access.js'
import type { LogsLimits, RecordIntake } from './intake/logs.js'
import type { Translate } from './intake/otlp.js'
import type { Arrivals } from './query/arrivals.js'
import type { Deleting } from './query/deletions.js'
import type { HttpLimits } from './query/limits.js'
import type { TestRule } from './query/rule-tests.js'
import { type Dialect, OWN_DIALECT } from './reply/dialect.js'
import type { Alerting, Status } from './routes.js'
import type { SubscriptionLimits } from './subscribe/limits.js'
import type { TailLimits } from './tail/limits.js'

/** Everything that the HTTP side needs from the rest of the service. */
export interface AppOptions {
  engine: Pick<Engine, 'run' | 'columnPaths' | 'revision'> & Partial<Pick<Engine, 'follow' | 'usage'>>
  endpoints: readonly Endpoint[]
  metrics: Metrics
  clock: Clock
  /** Returns the access that the token with this SHA-256 digest grants, or undefined if there is no such token. */
  accessOf: (digest: Uint8Array) => Access | undefined
  /** Called for each request. */
  status: () => Status
  limits?: Partial<HttpLimits & LogsLimits & TailLimits & SubscriptionLimits>
  log: Log
  /** The memory limit of the process, of which queries, the cache, bodies and tails each have a share. */
  memoryLimitBytes?: number
  /** The memory of queries. If absent, a share of the limit that only these queries have. */
  memory?: MemoryBudget
  /** The time that processors have spent on this thread. If absent, the duration of an evaluation counts instead. */
  processorMs?: () => number
  /** The alerts. If absent, there are none. */
  alerting?: Alerting | undefined
  /** The views. If absent, there are none. */
  listViews?: (() => readonly ListedView[]) | undefined
  /** Deletes rows on request. If absent, the engine cannot do so. */
  deleting?: Deleting | undefined
  /** Tests rules. If absent, rules cannot be tested. */
  testRule?: TestRule | undefined
  /** When records were last accepted. If absent, empty answers are cached like any other. */
  arrivals?: Arrivals
  /** Stores the records of requests. If absent, there are no paths that accept records. */
  intake?: RecordIntake
  /** Converts OTLP bodies for the intake. If absent, there is no OTLP path. */
  translate?: Translate
  /** The project of requests and records that name none. If absent, there is no such project. */
  defaultProject?: string | undefined
  /** If absent: {@link OWN_DIALECT}. */
  dialect?: Dialect
}
