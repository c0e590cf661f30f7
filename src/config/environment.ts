/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>

/**
 * For a Service of this program's name Kubernetes sets a variable like that of the port:
 * `LOGWEIR_PORT=tcp://10.96.12.7:4000`.
 */
const SERVICE_LINK = /^(tcp|udp|sctp):\/\/.+:\d+$/

/**
 * Returns the text of an environment variable, without a byte order mark and final line breaks, as of a file that the
 * variable was made from. Returns undefined if the variable is absent, empty, or a link set by Kubernetes or Docker.
 */
export function readVariable(environment: Environment, name: string): string | undefined {
  const text = environment[name]?.replace(/^\ufeff/, '').replace(/[\r\n]+$/, '')
  const isLink = name.endsWith('_PORT') && SERVICE_LINK.test(text ?? '')
  return isLink ? undefined : text || undefined
}
