/** Returns the message of a call with a wrong number of arguments, or undefined if the number is right. */
export function wrongCount(name: string, least: number, most: number, count: number): string | undefined {
  if (count >= least && count <= most) return undefined
  const range = most === Number.POSITIVE_INFINITY ? `at least ${least}` : least === most ? least : `${least} to ${most}`
  const one = least === 1 && (most === 1 || most === Number.POSITIVE_INFINITY)
  return `${name} takes ${range} argument${one ? '' : 's'}, and got ${count}.`
}
