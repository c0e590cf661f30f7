import { type CALL_SETTINGS, QUERY_SETTINGS, WATCH_SETTINGS } from '../config/client-settings.js'
import type { Environment } from '../config/environment.js'
import { readSettings } from '../config/read-settings.js'
import { readEndpointCall } from './endpoint-call.js'
import { flagNameOf, type ListedEndpoint, listEndpoints } from './endpoints.js'
import { connectService } from './service.js'

/** How long a shell that completes a word waits for the service. */
const ANSWER_MS = 1_000
/** A text in quotes, such as the text of `--sql`, is a single word. */
const QUOTED = /'[^']*'|"[^"]*"/g
/** Words that shells do not expand. */
const PLAIN = /^[\w.-]+$/
/** The commands that name an endpoint. */
const COMMANDS = new Map<string, typeof CALL_SETTINGS>([
  ['query', QUERY_SETTINGS],
  ['watch', WATCH_SETTINGS],
])

/**
 * Returns words that a shell can offer at the end of `line`, a call of `logweir query` or `logweir watch`, and that
 * only the running service knows: names of user endpoints, or flags of the user endpoint in the line. `builtIn` are the
 * names in the scripts. Returns no words if the service does not answer.
 */
export async function completeEndpoint(
  line: string,
  environment: Environment,
  builtIn: readonly string[],
): Promise<readonly string[]> {
  const words = line.replaceAll(QUOTED, 'quoted').split(/\s+/)
  const at = words.findIndex((word, i) => i > 0 && COMMANDS.has(word))
  const settings = COMMANDS.get(words[at])
  if (settings === undefined) return []
  try {
    const result = readSettings(settings, words.slice(at + 1, -1), environment, { allowsExtras: true })
    const { endpoint, sql, tokenFrom } = readEndpointCall(words[at], result)
    const service = connectService({ ...result.values, tokenFrom })
    const listed = await listEndpoints(service, AbortSignal.timeout(ANSWER_MS))
    // The scripts offer the flags of a built-in endpoint only behind the endpoint's name.
    const isInScript = (name: string) => sql === undefined && builtIn.includes(name)
    return wordsOf(
      listed.filter(({ name }) => !isInScript(name)),
      endpoint,
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
