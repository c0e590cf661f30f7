import type { Environment } from '../config/environment.js'
import { flagNameOf, type ListedEndpoint, listEndpoints } from './endpoints.js'
import { readQuery } from './run-query.js'
import { connectService } from './service.js'

/** How long a shell that completes a word waits for the service. */
const ANSWER_MS = 1_000
/** A text in quotes, such as the text of `--sql`, is a single word. */
const QUOTED = /'[^']*'|"[^"]*"/g
/** Words that shells do not expand. */
const PLAIN = /^[\w.-]+$/

/**
 * Returns words that a shell can offer at the end of `line`, a call of `logweir query`, and that only the running
 * service knows: names of user endpoints, or flags of the user endpoint in the line. `builtIn` are the names in the
 * scripts. Returns no words if the service does not answer.
 */
export async function completeQuery(
  line: string,
  environment: Environment,
  builtIn: readonly string[],
): Promise<readonly string[]> {
  const words = line.replaceAll(QUOTED, 'quoted').split(/\s+/)
  const typed = words.slice(words.indexOf('query') + 1, -1)
  try {
    const config = readQuery(typed, environment, () => {})
    const listed = await listEndpoints(connectService(config), AbortSignal.timeout(ANSWER_MS))
    // The scripts offer the flags of a built-in endpoint only behind the endpoint's name.
    const isInScript = (name: string) => config.sql === undefined && builtIn.includes(name)
    return wordsOf(
      listed.filter(({ name }) => !isInScript(name)),
      config.endpoint,
    ).filter((word) => PLAIN.test(word))
  } catch {
    return []
  }
}

function wordsOf(listed: readonly ListedEndpoint[], endpoint: string | undefined): string[] {
  if (endpoint === undefined) return listed.map(({ name }) => name)
  const named = listed.find(({ name }) => name === endpoint)
  return (named?.parameters ?? []).map(({ name }) => `--${flagNameOf(name)}`)
}
