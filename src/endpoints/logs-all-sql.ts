import { LRUCache } from 'lru-cache'
import { limited } from '../plan/limited.js'
import { ofProject } from '../plan/of-project.js'
import type { Plan } from '../plan/plan.js'
import type { Scalar } from '../plan/values/values.js'
import { withinTime } from '../plan/within-time.js'
import { type Endpoint, endpoint, type Given } from './endpoint.js'
import { LOGS_ALL_PARAMS, logsAll } from './logs-all.js'
import { optionalText } from './params.js'

/** The part of the SQL compiler that this endpoint uses. */
export interface SqlCompiler {
  /** Throws `invalid_sql` or `unsupported_sql`. `plan` also throws `invalid_pattern` and `too_much_memory`. */
  readSql(text: string): ParsedSql
}

interface ParsedSql {
  /** Throws `unsupported_sql` if the text has a `@parameter`. */
  refuseParameters(): void
  plan(args: Readonly<Record<string, Scalar>>, nowUs: number): Plan
}

/** Clients repeat a text, each time for another range of time. Limits of the kept texts, and of the characters. */
const KEPT_TEXTS = 500
const KEPT_CHARACTERS = 250_000

const SQL = {
  ...optionalText('a query in SQL over the rows of the project; its rows are the answer'),
  codes: ['invalid_sql', 'unsupported_sql', 'invalid_pattern'],
  schema: { type: 'string', contentMediaType: 'application/sql' },
}

/**
 * logs.all with SQL of clients: if `sql` is given and not empty, the rows of that query are the answer.
 *
 * Gives   at most 1000 rows with the columns of the SQL. Without `sql`, the rows of logs.all
 * Window  timestamp > iso_timestamp_start, <= iso_timestamp_end, in every source that the SQL reads; project_tier is
 *         ignored
 * Empty   whatever the SQL makes of no rows: the SQL sees only rows of the project in the window
 * Cost    the cost of the SQL
 *
 * `loadCompiler` is called when the first SQL arrives. Making a call throws the errors of logs.all. Making the plan
 * throws the errors of the SQL.
 */
export function logsAllWithSql(loadCompiler: () => Promise<SqlCompiler>): Endpoint {
  let compiler: SqlCompiler | undefined
  const queries = new LRUCache<string, ParsedSql>({
    max: KEPT_TEXTS,
    maxSize: KEPT_CHARACTERS,
    sizeCalculation: (_, text) => text.length + 1,
  })
  const read = (text: string): ParsedSql => {
    const query = queries.get(text) ?? compiler!.readSql(text)
    queries.set(text, query)
    return query
  }
  const bySqlOfClient = {
    isClientSql: true,
    checksNames: true,
    async load() {
      compiler ??= await loadCompiler()
    },
  } as const
  const bySql = endpoint({
    ...logsAll,
    params: { ...LOGS_ALL_PARAMS, sql: SQL },
    plan({ project, sql = '', iso_timestamp_start, iso_timestamp_end }, nowUs) {
      const plan = limited(planOf(read(sql), nowUs), logsAll.maxRows)
      const fromUs = iso_timestamp_start === undefined ? Number.NEGATIVE_INFINITY : iso_timestamp_start + 1
      const throughUs = iso_timestamp_end ?? Number.POSITIVE_INFINITY
      return ofProject(withinTime(plan, { fromUs, throughUs }), project)
    },
  })
  return {
    ...bySql,
    sandboxing: true,
    call: (given) => (hasSql(given) ? { ...bySql.call(given), ...bySqlOfClient } : logsAll.call(given)),
    callBound: (given) => (hasSql(given) ? { ...bySql.callBound(given), ...bySqlOfClient } : logsAll.callBound(given)),
  }
}

const hasSql = (given: Given) => given.getAll('sql').some((text) => text !== '')

function planOf(query: ParsedSql, nowUs: number): Plan {
  query.refuseParameters()
  return query.plan({}, nowUs)
}
