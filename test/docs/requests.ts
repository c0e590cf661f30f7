import { testRule } from '../../src/alerts/backtest/test-rule.js'
import { systemClock } from '../../src/base/time/clock.js'
import { findSource } from '../../src/common/sources.js'
import { countRows } from '../../src/deletions/count.js'
import { endpointsOf } from '../../src/endpoints/index.js'
import { openApi } from '../../src/http/openapi/document.js'
import { createBodyParser } from '../../src/ingest/body/body.js'
import type { BodyForm, Defaults } from '../../src/ingest/thread/messages.js'
import { tryPlan } from '../../src/service/try-plan.js'
import { SCOPES } from '../../src/tokens/access.js'
import { openDeletions } from '../deletions/support.js'
import { createTestApp, TOKEN } from '../http/support.js'
import { openEngine } from '../support/engine.js'
import { EXAMPLES } from '../user-endpoints/examples.js'

/** A time at which the records in the pages are not too old. */
const NOW_US = Date.parse('2026-11-21T00:00:00Z') * 1000
const RETENTION_US = 90 * 86_400e6

/** A request in a page. */
export interface ShownRequest {
  url: string
  method: string
  headers: Readonly<Record<string, string>>
  body?: string
}

/** Parses a body and returns the numbers of accepted and rejected records. */
export async function recordsIn(body: string, form: BodyForm, defaults: Defaults) {
  const parser = createBodyParser({ retentionUs: RETENTION_US }, { batch() {}, reject() {} })
  return parser.parse({ bytes: Buffer.from(body), form, defaults }, NOW_US)
}

interface Operation {
  parameters?: { in?: string; name?: string }[]
}
const withSql = endpointsOf({ loadCompiler: () => import('../../src/sql/read-sql.js') })
const SERVED = [...withSql, ...EXAMPLES.map(({ endpoint }) => endpoint)]
const { paths }: { paths: Record<string, Record<string, Operation>> } = JSON.parse(openApi(SERVED, '1.2.3', 0))
const HEADERS = ['X-API-KEY', 'Content-Type', 'Accept']

/** Throws if the path lacks this method or a query parameter of the URL, or if a source is unknown. */
export function checkAddress(url: string, method: string): void {
  const { pathname, searchParams } = new URL(url)
  const operation = paths[pathname]?.[method.toLowerCase()]
  if (operation === undefined) throw new Error(`the service has no ${method} ${pathname}`)
  const known = (operation.parameters ?? []).filter((one) => one.in === 'query').map(({ name }) => name)
  for (const [name, value] of searchParams) {
    if (!known.includes(name)) throw new Error(`${pathname} has no parameter ${name}`)
    if (/^source(_name)?$/.test(name) && findSource(value) === undefined) throw new Error(`no source ${value}`)
  }
}

/** Sends the request of a page to the app. Throws if the response is an error or has rejected records. */
export async function checkRequest({ url, method, headers, body }: ShownRequest): Promise<void> {
  checkAddress(url, method)
  const strange = Object.keys(headers).filter((name) => !HEADERS.includes(name))
  if (strange.length > 0) throw new Error(`nobody reads the header ${strange.join(', ')}`)
  const { pathname, search } = new URL(url)
  const engine = openEngine()
  const asked = { source: undefined, startUs: undefined, endUs: undefined, where: undefined }
  const { deletions } = openDeletions({ engine: engine.deleting })
  const deleting = { ...deletions, count: () => countRows({ ...asked, project: 'a' }, engine, {}) }
  const take = (bytes: Uint8Array, form: BodyForm, defaults: Defaults) =>
    recordsIn(Buffer.from(bytes).toString(), form, defaults)
  const { app } = createTestApp({
    engine,
    deleting,
    tokens: [{ token: TOKEN, scopes: new Set(SCOPES) }],
    endpoints: SERVED,
    intake: { writeFailure: () => undefined, prepare() {}, take },
    testRule: (asked, options) => testRule(asked, { engine, clock: systemClock, tryPlan }, options),
  })
  // The live tail never ends, so only the headers are requested.
  const requestMethod = pathname === '/api/tail' ? 'HEAD' : method
  const answer = await app.fetch(
    new Request(`http://localhost${pathname}${search}`, { method: requestMethod, headers: { ...headers }, body }),
  )
  const isStream = headers.Accept === 'text/event-stream'
  const told = `${answer.status} ${isStream ? await beginningOf(answer) : await answer.text()}`
  app.close()
  await engine.close()
  if (!answer.ok || told.includes('"rejected"')) throw new Error(`${url} is answered with ${told}`)
}

/** The first chunk of a stream that does not end. */
async function beginningOf(answer: Response): Promise<string> {
  const reader = answer.body!.getReader()
  const { value } = await reader.read()
  await reader.cancel()
  return Buffer.from(value!).toString()
}

/** Replaces `$LOGWEIR_TOKEN` with the token of the app of {@link checkRequest}. */
export const withToken = (text: string): string => text.replaceAll('$LOGWEIR_TOKEN', TOKEN)
