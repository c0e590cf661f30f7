import { stateError } from '../base/failures.js'
import { LARGEST_PROJECT } from './feed.js'
import type { DemoService, Print } from './service.js'

/** A request to each endpoint that every service has. */
const REQUESTS = [
  `logs.all?project=${LARGEST_PROJECT}&project_tier=PRO`,
  `functions.invocation-stats?project=${LARGEST_PROJECT}&interval=7day`,
  `usage.api-counts?project=${LARGEST_PROJECT}&interval=daily`,
]

/** Characters of a row that are printed. */
const ROW_CHARACTERS = 160

/** Queries each endpoint, and prints the first row and a call of curl. Throws `failed` if an answer is an error. */
export async function showRequests({ url: base, token }: DemoService, print: Print): Promise<void> {
  for (const request of REQUESTS) {
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
