import { LogweirError } from '../../../src/base/errors.js'
import { endpointsOf } from '../../../src/endpoints/index.js'
import { column } from '../../../src/plan/expression.js'
import type { Operator, Plan } from '../../../src/plan/plan.js'
import { createTestApp, LOGS_ALL } from '../support.js'

const ALWAYS = { fromUs: Number.NEGATIVE_INFINITY, throughUs: Number.POSITIVE_INFINITY }

const ids: Operator = { op: 'select', columns: [{ name: 'id', value: column('id') }] }
const byId: Operator = { op: 'orderBy', keys: [{ by: column('id'), direction: 'asc', nulls: 'first' }] }
const of = (source: 'edge_logs' | 'auth_logs'): Plan => [{ op: 'scan', sources: [source], ...ALWAYS }, ids]

/** The plans of the SQL that the tests send. */
const PLANS: Readonly<Record<string, Plan>> = {
  'select id from edge_logs order by id': [...of('edge_logs'), byId],
  'select id from edge_logs union all select id from auth_logs order by id': [
    { op: 'union', plans: [of('edge_logs'), of('auth_logs')] },
    byId,
  ],
  'select count(*) as n from edge_logs': [
    of('edge_logs')[0]!,
    { op: 'group', keys: [], aggregates: [{ name: 'n', value: { fn: 'count', args: [] } }] },
  ],
}

export const [IDS, BOTH, COUNT] = Object.keys(PLANS) as [string, string, string]

/** A compiler of the texts above, without parameters. Any other text is wrong. */
export function readSql(text: string) {
  const plan = PLANS[text]
  if (plan === undefined) throw new LogweirError('invalid_sql', 'This is no SQL (line 1, column 2)')
  return { refuseParameters() {}, plan: () => plan }
}

/** An app that answers SQL at logs.all. `loads` counts how often the compiler was loaded. */
export function createSqlApp(parts: Parameters<typeof createTestApp>[0] = {}) {
  const loads = { count: 0 }
  const endpoints = endpointsOf({
    async loadCompiler() {
      loads.count += 1
      return { readSql }
    },
  })
  return { ...createTestApp({ endpoints, ...parts }), loads }
}

/** The path of a query in SQL, of project `a` unless `more` says otherwise. */
export const sqlPath = (sql: string, more = 'project=a', path = LOGS_ALL) =>
  `${path}?${more}${more === '' ? '' : '&'}sql=${encodeURIComponent(sql)}`

/** Returns the body of an error response to SQL. */
export const nested = (message: string, code: string) => JSON.stringify({ error: { message, code } })
