import type { Environment } from '../config/environment.js'
import { folded, type Listed, listEndpoints } from './endpoints.js'
import { readQuery } from './query.js'
import { connectService } from './service.js'

/** A shell that completes a word waits no longer for a service. */
const ANSWER_MS = 1_000
/** Shells expand other characters. */
const PLAIN = /^[\w.-]+$/

/**
 * The words that a shell may offer at the end of `line`, a call of `logweir query`, and that only the running service
 * knows: names of its users' endpoints, or flags of the one that the line names. `known` are the names that scripts have already.
 * Empty if the service cannot be asked.
 */
export async function completeQuery(
  line: string,
  environment: Environment,
  known: readonly string[],
): Promise<readonly string[]> {
  const words = line.split(/\s+/)
  const typed = words.slice(words.indexOf('query') + 1, -1)
  try {
    const config = readQuery(typed, environment, () => {})
    const listed = await listEndpoints(connectService(config), AbortSignal.timeout(ANSWER_MS))
    return wordsOf(
      listed.filter(({ name }) => !known.includes(name)),
      config.endpoint,
    ).filter((word) => PLAIN.test(word))
  } catch {
    return []
  }
}

function wordsOf(listed: readonly Listed[], endpoint: string | undefined): string[] {
  if (endpoint === undefined) return listed.map(({ name }) => name)
  const named = listed.find(({ name }) => name === endpoint)
  return (named?.parameters ?? []).map(({ name }) => `--${folded(name)}`)
}
