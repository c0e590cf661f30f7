import { AGENTS, STATUSES, statusOf } from '../values/clients.js'
import { pick } from '../values/random.js'
import type { RecordContext } from '../values/record-context.js'
import type { TemplateWriter } from '../values/template-writer.js'
import { hex16, ipv4, uuidText } from '../values/text.js'

const HOSTS = ['eu-central-1', 'us-east-1', 'ap-southeast-1']
const BUCKETS = ['avatars', 'uploads', 'public-assets', 'documents']

/** Writes a request to the storage server. */
export function storageLog(out: TemplateWriter, { project, slim, open, close }: RecordContext): void {
  const { random } = out
  const [status, ip, ray] = [statusOf('GET', pick(random, STATUSES)), ipv4(random), hex16(random)]
  const url = `/object/public/${pick(random, BUCKETS)}/${uuidText(random)}.png`
  const agent = slim ? '' : `,"userAgent":"${pick(random, AGENTS)}"`
  out.put`"event_message":"GET | ${status} | ${ip} | ${ray} | ${url}",\
"metadata":${open}"context":${open}"host":"ip-10-${random.below(256)}-${random.below(256)}-${random.below(256)}.\
${pick(random, HOSTS)}.compute.internal","pid":1${close},"level":"${status >= 500 ? 'error' : 'info'}",\
"project":"${project.ref}","rawError":null,"reqId":"${ray}-DUB","responseTime":${random.below(9_000_000) / 1e4},\
"tenantId":"${project.ref}"${agent}${close}`
}
