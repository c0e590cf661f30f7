import { pick, type Random } from '../values/random.js'
import type { RecordContext } from '../values/record-context.js'
import type { TemplateWriter } from '../values/template-writer.js'
import { hex8Text, uuid } from '../values/text.js'

const REGIONS = ['aws-eu-central-1', 'aws-us-east-1', 'aws-ap-southeast-1']

// Escaped for JSON. Some have quotes, line ends and letters beyond ASCII.
const MESSAGES: readonly ((random: Random) => string)[] = [
  (random) => `booted (time: ${10 + random.below(90)}ms)`,
  () => 'shutdown',
  (random) => `sent mail to user ${hex8Text(random)}\\n`,
  (random) =>
    `TypeError: Cannot read properties of undefined (reading \\"id\\")\\n    at handler \
(index.ts:${random.below(200)}:17)\\n`,
  (random) => `{\\"level\\":\\"warn\\",\\"msg\\":\\"retry\\",\\"attempt\\":${1 + random.below(5)}}\\n`,
  (random) => `\u2713 job ${random.below(100_000)} done \\u2014 caf\u00e9\\n`,
]

/** Writes an event of a running function. */
export function functionLog(out: TemplateWriter, { project, timestampUs, time, open, close }: RecordContext): void {
  const { random } = out
  const source = pick(random, project.functions)
  const kind = random.below(MESSAGES.length)
  const event = ['Boot', 'Shutdown'][kind] ?? 'Log'
  const level = kind === 3 ? 'error' : kind === 4 ? 'warning' : 'info'
  out.put`"event_message":"${MESSAGES[kind](random)}",\
"metadata":${open}"deployment_id":"${project.ref}_${source.id}_${source.version}","event_type":"${event}",\
"execution_id":"${uuid}","function_id":"${source.id}","level":"${level}","project_ref":"${project.ref}",\
"region":"${pick(random, REGIONS)}","timestamp":"${time.iso(timestampUs)}","version":"${source.version}"${close}`
}
