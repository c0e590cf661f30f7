import type { Log } from '../base/log.js'
import { explainRefusals } from '../common/source-refusals.js'
import type { ServeConfig } from '../config/serve-config.js'
import type { Engine } from '../engine/engine.js'
import { type Arrivals, createArrivals } from '../http/query/arrivals.js'
import { createRequests } from '../ingest/body/requests.js'
import { openRejects } from '../ingest/rejects.js'
import { createIngest } from '../ingest/stream/ingest.js'
import type { ThreadOptions } from '../ingest/thread/thread.js'
import { createUnreadableTimes } from '../ingest/thread/unreadable-times.js'
import { createTranslator, TRANSLATOR_LIMITS } from '../otlp/translator.js'
import type { OpenedComponents, Shared } from './open-components.js'

/** How long ClickHouse usually takes, at most, until queries see accepted rows. */
export const VISIBLE_MS = 5_000

/** The ways by which records reach the engine. */
export type Intake = ReturnType<typeof createIntake>

/** Creates the ways by which records reach the engine: standard input, HTTP requests and OTLP. */
export function createIntake(
  config: ServeConfig,
  engine: Engine,
  { retention, masking }: Pick<OpenedComponents, 'retention' | 'masking'>,
  { clock, metrics, log }: Shared,
) {
  const { retentionUs, source, project, fieldNames } = config
  const rejects = openRejects({ dataDir: config.dataDir, log, clock })
  const unreadableTimes = config.supabase ? createUnreadableTimes({ metrics, log, clock }) : undefined
  // ClickHouse shows rows some time after the insert. Together with `emptyMs` in createHttp, ClickHouse has 10 s for
  // that.
  const arrivals = createArrivals(clock, config.clickhouse === undefined ? 0 : VISIBLE_MS)
  const noteRefusedSource = logRefusedSources(log)
  const parts = { metrics, rejects, unreadableTimes, clock, retentionUs, retention, masking, noteRefusedSource }
  const shared = { ...parts, engine: withArrivals(engine, arrivals) }
  return {
    rejects,
    unreadableTimes,
    arrivals,
    ingest: createIngest({ ...shared, defaults: { source, project, fieldNames } }),
    requests: createRequests(shared),
    otlp: createTranslator(TRANSLATOR_LIMITS, config.otlpSource),
  }
}

/** Logs the first record that a limit of own sources rejects, once for all sources and once for each token. */
function logRefusedSources(log: Log): NonNullable<ThreadOptions['noteRefusedSource']> {
  const logged = new Set<string | undefined>()
  return (cause, { name, token }) => {
    const key = cause === 'token_limit' ? token : cause
    if (logged.has(key)) return
    logged.add(key)
    const by = cause === 'token_limit' ? ` that the token ${token} sends` : ''
    log(`records of the source ${name}${by} are rejected as unknown_source. ${explainRefusals([cause])}`.trim(), {
      level: 'warn',
      code: cause,
      source: name,
    })
  }
}

/** Notes in `arrivals` each batch that the engine has accepted. */
export function withArrivals(engine: Engine, arrivals: Arrivals): Pick<Engine, 'append'> {
  return {
    async append(batch) {
      await engine.append(batch)
      arrivals.note(batch.source)
    },
  }
}
