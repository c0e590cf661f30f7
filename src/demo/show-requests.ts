import { stateError } from '../base/failures.js'
import type { DemoService, Print } from './service.js'

/** Characters of a row that are printed. */
const ROW_CHARACTERS = 160

/**
 * Sends each request, and prints the first row and a call of curl. `requests`: name and parameters of an endpoint, as
 * in a URL. Throws `failed` if an answer is an error.
 */
export async function showRequests(
  { url: base, token }: DemoService,
  requests: readonly string[],
  print: Print,
): Promise<void> {
  for (const request of requests) {
    const url = `${base}/api/endpoints/query/${request}`
    const response = await fetch(url, { headers: { 'X-API-KEY': token } })
    if (!response.ok) throw stateError(`${url} answered ${response.status}`)
    const { result } = (await response.json()) as { result: unknown[] }
    const shown =
      result.length === 0
        ? '# no rows; with more records (--rows) there are some'
        : `# ${result.length} rows, the first: ${JSON.stringify(result[0]).slice(0, ROW_CHARACTERS)}`
    await print(`\n${shown}\ncurl -H 'X-API-KEY: ${token}' '${url}'\n`)
  }
}
