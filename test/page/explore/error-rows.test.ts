import { expect, it } from 'vitest'
import { SOURCE_NAMES, type SourceName } from '../../../src/common/sources.js'
import { sourceNamed } from '../../../src/page/explore/model/sources.js'
import { appendAll, ask, openEngine } from '../../support/engine.js'
import { edge } from '../../support/records.js'

/** Records as the servers write records, by the message. `yes`: records that count as errors. */
const RECORDS: Readonly<Record<string, { yes: Record<string, object>; no: Record<string, object> }>> = {
  edge_logs: {
    yes: { 'GET | 500': { response: { status_code: 500 } }, 'GET | 400': [{ response: [{ status_code: 400 }] }] },
    no: { 'GET | 304': { response: { status_code: 304 } }, 'no response': {} },
  },
  function_edge_logs: {
    yes: { 'POST | 503': { response: { status_code: 503 } } },
    no: { 'POST | 200': { response: { status_code: 200 } } },
  },
  auth_logs: {
    yes: {
      '400: Invalid login credentials': { level: 'info', status: 400, msg: 'request completed' },
      'Unhandled server error': { level: 'error', error: 'dial tcp: connection refused' },
      'cannot start': { level: 'fatal' },
    },
    no: {
      'request started': { level: 'info', status: 'some status', error: 'some error' },
      'request completed': { level: 'info', status: 200 },
      'slow request': { level: 'warning' },
    },
  },
  postgres_logs: {
    yes: { 'no such table': { parsed: { error_severity: 'ERROR' } }, bye: { parsed: { error_severity: 'PANIC' } } },
    no: { 'PgBouncer auth request: postgres': { parsed: { error_severity: 'WARNING' } }, 'an error': {} },
  },
  function_logs: {
    yes: { 'TypeError: x is undefined': { level: 'error', event_type: 'Log' } },
    no: { 'booted (time: 10ms)': { level: 'info' }, 'no error': { level: 'warning' } },
  },
  realtime_logs: { yes: { 'Subscribing failed': { level: 'error' } }, no: { started: { level: 'info' } } },
  storage_logs: { yes: { 'no bucket': { level: 'Error' } }, no: { 'content-type is text/plain': { level: 'info' } } },
  postgrest_logs: {
    yes: {
      'Failed to query database settings: {"code":"PGRST002"}': { host: 'default' },
      '{"code":"PGRST000","details":"connection to server at … failed: timeout expired\\n"}': { host: 'default' },
      'as a level': { level: 'ERROR' },
    },
    no: {
      'Attempting to connect to the database...': { host: 'default' },
      'Schema cache loaded 10 Relations': { host: 'default' },
      'Connection retried after a timeout, no error': { level: 'info' },
      'the listener failed over': { level: 'warn' },
      '0 refused': { level: 'INFO' },
    },
  },
  pgbouncer_logs: {
    yes: { 'closing because: server login failed: FATAL password authentication': { host: 'db' } },
    no: {
      'S-0xaaab05948260: postgres/postgres@127.0.0.1:5432 new connection to server': { host: 'db' },
      'client_login_timeout is 60 s; timeout disabled': { level: 'info' },
      'closing because: query timeout (age=3s)': { level: 'LOG' },
      'server_check_query failed 0 times': { level: 'debug' },
    },
  },
}

it.each(
  SOURCE_NAMES.map((name) => [name, sourceNamed(name).errors.filters] as const),
)('are those of %s that tell of a failure', async (name, filters) => {
  const { yes, no } = RECORDS[name]!
  const engine = openEngine()
  const records = Object.entries({ ...yes, ...no }).map(([event_message, metadata]) => ({
    ...edge({ event_message, metadata }),
    source: name as SourceName,
  }))
  await appendAll(engine, records)
  const given = { project: 'a', source: name, start: '1970-01-01', filter: JSON.stringify(filters) }
  const rows = await ask(engine, 'logs.explore', given, 0)
  expect(rows.map(({ event_message }) => event_message).sort()).toEqual(Object.keys(yes).sort())
  await engine.close()
})
