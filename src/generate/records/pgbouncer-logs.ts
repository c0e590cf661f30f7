import { pick, type Random } from '../values/random.js'
import type { RecordContext } from '../values/record-context.js'
import type { TemplateWriter } from '../values/template-writer.js'
import { hex8Text } from '../values/text.js'

const ROLES = ['postgres', 'authenticator', 'supabase_storage_admin', 'supabase_auth_admin']

const connection = (random: Random) =>
  `-0xaaab${hex8Text(random)}: postgres/${pick(random, ROLES)}@127.0.0.1:${30_000 + random.below(30_000)}`

const MESSAGES: readonly ((random: Random) => string)[] = [
  (random) => `S${connection(random)} new connection to server (from 127.0.0.1:${30_000 + random.below(30_000)})`,
  (random) => `C${connection(random)} login attempt: db=postgres user=${pick(random, ROLES)} tls=no`,
  (random) => `C${connection(random)} closing because: client close request (age=${random.below(4_000)}s)`,
  (random) =>
    `stats: ${random.below(900)} xacts/s, ${random.below(900)} queries/s, in ${random.below(90_000)} B/s, wait \
${random.below(99)} us`,
]

/** Writes a line of the connection pooler. */
export function pgbouncerLog(out: TemplateWriter, { project, open, close }: RecordContext): void {
  const { random } = out
  out.put`"project":"${project.ref}","event_message":"${pick(random, MESSAGES)(random)}",\
"metadata":${open}"host":"db-${project.ref}"${close}`
}
