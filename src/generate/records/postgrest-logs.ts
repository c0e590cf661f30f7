import { pick, type Random } from '../values/random.js'
import type { RecordContext } from '../values/record-context.js'
import type { TemplateWriter } from '../values/template-writer.js'

// Escaped for JSON.
const MESSAGES: readonly ((random: Random) => string)[] = [
  () => 'Attempting to connect to the database...',
  () => 'Connection successful',
  (random) =>
    `Schema cache loaded ${100 + random.below(400)} Relations, ${random.below(90)} Relationships, \
${random.below(120)} Functions`,
  (random) =>
    `Failed to query database settings: {\\"code\\":\\"PGRST00${random.below(4)}\\",\\"details\\":\\"timeout after \
${random.below(60)} s\\\\n\\"}`,
  (random) => `Listening on port ${3000 + random.below(10)}`,
]

/** Writes a line of the REST server. */
export function postgrestLog(out: TemplateWriter, { project, open, close }: RecordContext): void {
  const { random } = out
  out.put`"project":"${project.ref}","event_message":"${pick(random, MESSAGES)(random)}",\
"metadata":${open}"host":"${project.ref}"${close}`
}
