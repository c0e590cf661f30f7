import { pick, type Random } from '../values/random.js'
import type { RecordContext } from '../values/record-context.js'
import type { TemplateWriter } from '../values/template-writer.js'
import { hex4 } from '../values/text.js'

// Escaped for JSON.
const MESSAGES: readonly (readonly [level: string, text: (random: Random) => string])[] = [
  ['info', () => 'Starting replication for Broadcast Changes'],
  [
    'info',
    (random) => `Tenant has no connected users, database connection will be terminated (${random.below(600)} s)`,
  ],
  ['warning', (random) => `ClientJoinRateLimitReached: Too many joins per second: ${100 + random.below(400)}`],
  [
    'error',
    (random) =>
      `Subscribing to PostgreSQL failed: {:error, \\"Subscription insert failed with 0 rows: %{\\\\\\"event\\\\\\" => \
\\\\\\"INSERT\\\\\\", \\\\\\"filter\\\\\\" => \\\\\\"chat=eq.${random.below(9_000)}\\\\\\"}\\"}`,
  ],
]

/** Writes an event of the realtime server. */
export function realtimeLog(out: TemplateWriter, { project, timestampUs, open, close }: RecordContext): void {
  const { random } = out
  const [level, text] = pick(random, MESSAGES)
  out.put`"event_message":"${text(random)}","metadata":${open}"context":${open}"application":"realtime",\
"domain":["elixir"],"file":"lib/realtime_web/channels/realtime_channel.ex","function":"handle_info/2",\
"gl":"<0.${random.below(9_000)}.0>","line":${1 + random.below(700)},"mfa":["Elixir.RealtimeWeb.RealtimeChannel",\
"handle_info","2"],"module":"Elixir.RealtimeWeb.RealtimeChannel",\
"pid":"<0.${random.below(90_000)}.${random.below(100)}>","time":${timestampUs},\
"vm":${open}"node":"realtime-prod@fdaa:0:cc:a7b:${hex4}:5:2795:2"${close}${close},"external_id":"${project.ref}",\
"level":"${level}","project":"${project.ref}"${close}`
}
