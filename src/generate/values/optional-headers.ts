import { oneIn, pick } from './random.js'
import type { TemplateWriter } from './template-writer.js'
import { hex16, uuid } from './text.js'

const LANGUAGES = ['en-US,en;q=0.9', 'de-DE,de;q=0.9', 'pt-BR,pt;q=0.8', 'ja']
const CLIENTS = ['supabase-js/2.39.0', 'supabase-js/2.45.4', 'supabase-flutter/2.8.0', 'supabase-py/2.9.1']
const MODES = ['cors', 'navigate', 'no-cors']
const PREFERENCES = ['return=minimal', 'return=representation', 'count=exact']

/** Headers by the share of the records that have them, one in N. Each is drawn apart: most records differ in keys. */
const HEADERS: readonly (readonly [oneIn: number, write: (out: TemplateWriter) => void])[] = [
  [2, (out) => out.put`"accept_encoding":"gzip, deflate, br",`],
  [2, (out) => out.put`"accept_language":"${pick(out.random, LANGUAGES)}",`],
  [2, (out) => out.put`"cache_control":"no-cache",`],
  [2, (out) => out.put`"content_type":"application/json",`],
  [2, (out) => out.put`"sec_fetch_mode":"${pick(out.random, MODES)}",`],
  [2, (out) => out.put`"x_client_info":"${pick(out.random, CLIENTS)}",`],
  [10, (out) => out.put`"dnt":"1",`],
  [10, (out) => out.put`"if_none_match":"W/${hex16(out.random)}",`],
  [10, (out) => out.put`"prefer":"${pick(out.random, PREFERENCES)}",`],
  [10, (out) => out.put`"range":"0-${out.random.below(1_000)}",`],
  [10, (out) => out.put`"traceparent":"00-${hex16(out.random)}${hex16(out.random)}-${hex16(out.random)}-01",`],
  [10, (out) => out.put`"x_request_id":"${uuid}",`],
]

/** Writes members of an object, each with a comma behind: six headers in half of the records, and six in a tenth. */
export function optionalHeaders(out: TemplateWriter): void {
  for (const [share, write] of HEADERS) if (oneIn(out.random, share)) write(out)
}
