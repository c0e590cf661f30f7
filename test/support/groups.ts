import { DAY_US } from '../../src/base/units.js'
import { endpoint } from '../../src/endpoints/endpoint.js'
import { text, word } from '../../src/endpoints/params.js'
import {
  atLeast,
  contains,
  count,
  countWhere,
  equals,
  max,
  mean,
  min,
  quantile,
  scan,
  share,
} from '../../src/plan/builder.js'
import type { Direction } from '../../src/plan/plan.js'

/** Queries that group rows by a text, as a user may write queries. No built-in query groups by a text. */
export const FUNCTION_COLUMNS = {
  function_id: '',
  count: '',
  error_count: '',
  error_share: '',
  min_execution_time: '',
  max_execution_time: '',
  avg_execution_time: '',
  p95_execution_time: '',
}
export const URL_COLUMNS = { url: '', requests: '', rest_share: '' }
export const DIRECTIONS: Record<Direction, ''> = { asc: '', desc: '' }
const LIMITS = { '1': '', '3': '', '1000': '' }

const base = { maxRows: 1000, cache: 'disabled', query: '' } as const
const ordered = { project: text('the project'), direction: word(DIRECTIONS, 'desc'), limit: word(LIMITS, '1000') }
const week = (nowUs: number) => ({ fromUs: nowUs - 7 * DAY_US, throughUs: nowUs })

/** The functions of a project. */
const functions = endpoint({
  ...base,
  id: '8b0c1c7e-5b57-4d0a-9a55-6f0e5a3a1e01',
  name: 'test.functions',
  params: { ...ordered, order: word(FUNCTION_COLUMNS, 'p95_execution_time') },
  plan: ({ project, order, direction, limit }, nowUs) =>
    scan('function_edge_logs', week(nowUs))
      .filter(equals('project', project))
      .group('function_id')
      .aggregate({
        count: count(),
        error_count: countWhere(atLeast('status_code', 400)),
        error_share: share(atLeast('status_code', 400)),
        min_execution_time: min('execution_time_ms'),
        max_execution_time: max('execution_time_ms'),
        avg_execution_time: mean('execution_time_ms'),
        p95_execution_time: quantile('execution_time_ms', 95),
      })
      .orderBy(order, direction)
      .limit(Number(limit)),
})

/** The URLs of a project. */
const urls = endpoint({
  ...base,
  id: '8b0c1c7e-5b57-4d0a-9a55-6f0e5a3a1e02',
  name: 'test.urls',
  params: { ...ordered, order: word(URL_COLUMNS, 'requests') },
  plan: ({ project, order, direction, limit }, nowUs) =>
    scan('edge_logs', week(nowUs))
      .filter(equals('project', project))
      .group('url')
      .aggregate({ requests: count(), rest_share: share(contains('path', '/rest')) })
      .orderBy(order, direction)
      .limit(Number(limit)),
})

/** The paths of a project. */
const paths = endpoint({
  ...base,
  id: '8b0c1c7e-5b57-4d0a-9a55-6f0e5a3a1e03',
  name: 'test.paths',
  params: { project: text('the project') },
  plan: ({ project }, nowUs) =>
    scan('edge_logs', week(nowUs))
      .filter(equals('project', project))
      .group('url_path')
      .aggregate({ requests: count(), error_share: share(atLeast('status_code', 400)) })
      .orderBy('requests', 'desc')
      .limit(1000),
})

export const GROUP_ENDPOINTS = [functions, urls, paths]
