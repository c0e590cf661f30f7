import { pick, type Random } from '../values/random.js'
import type { RecordContext } from '../values/record-context.js'
import type { TemplateWriter } from '../values/template-writer.js'
import { hex8Text } from '../values/text.js'

interface Message {
  text: (random: Random) => string
  severity: string
  state: string
  tag: string
}

// Escaped for JSON.
const MESSAGES: readonly Message[] = [
  { text: () => 'PgBouncer auth request: postgres', severity: 'WARNING', state: '01000', tag: 'SELECT' },
  {
    text: (r) => `connection received: host=127.0.0.1 port=${30_000 + r.below(30_000)}`,
    severity: 'LOG',
    state: '00000',
    tag: '',
  },
  {
    text: (r) => `duplicate key value violates unique constraint \\"users_email_key_${r.below(40)}\\"`,
    severity: 'ERROR',
    state: '23505',
    tag: 'INSERT',
  },
  {
    text: (r) => `relation \\"public.t_${hex8Text(r)}\\" does not exist at character ${r.below(300)}`,
    severity: 'ERROR',
    state: '42P01',
    tag: 'SELECT',
  },
  {
    text: (r) => `checkpoint complete: wrote ${r.below(2_000)} buffers (${r.below(100) / 10}%)`,
    severity: 'LOG',
    state: '00000',
    tag: '',
  },
  {
    text: (r) =>
      `duration: ${(r.below(9_000_000) / 1000).toFixed(3)} ms  statement:\\n\\tselect *\\n\\tfrom events\\n\\twhere \
id = ${r.below(1e6)}`,
    severity: 'LOG',
    state: '00000',
    tag: 'SELECT',
  },
]
const USERS = ['pgbouncer', 'authenticator', 'supabase_admin', 'postgres']

/** Writes a line of the database's log, with the parsed fields. */
export function postgresLog(out: TemplateWriter, { project, timestampUs, time, open, close }: RecordContext): void {
  const { random } = out
  const { text, severity, state, tag } = pick(random, MESSAGES)
  const pid = 300 + random.below(60_000)
  const at = time.iso(timestampUs)
  out.put`"project":"${project.ref}","event_message":"${text(random)}","metadata":${open}"host":"db-${project.ref}",\
"parsed":${open}"backend_type":"client backend","command_tag":"${tag}",\
"connection_from":"127.0.0.1:${30_000 + random.below(30_000)}","database_name":"postgres",\
"error_severity":"${severity}","leader_pid":0,"process_id":${pid},\
"query_id":${queryId(random)},"session_id":"${hex8Text(random)}.${pid.toString(16)}",\
"session_line_num":${1 + random.below(9_000)},"sql_state_code":"${state}",\
"timestamp":"${at.slice(0, 10)} ${at.slice(11, 23)} UTC","transaction_id":0,"user_name":"${pick(random, USERS)}",\
"virtual_transaction_id":"${random.below(60)}/${random.below(9_999_999)}"${close}${close}`
}

/** Returns the digits of a number beyond 2^53. */
function queryId(random: Random): string {
  // A number in JSON has no zero in front.
  const first = Math.max(1, random.below(2 ** 21))
  return `${first}${1e9 + random.below(1e9)}`
}
