import { ask, reasonOf, ServiceError } from './service.js'

/** The container's health check gives up after 5 s, without saying why. */
const ANSWER_MS = 4_000

/** Asks whether the service at `url` is ready; needs no token. Rejects with a {@link ServiceError} if it is not. */
export async function checkHealth(url: string): Promise<void> {
  const answer = await askReady(url)
  // The rest of the answer must not hold the program.
  answer.destroy()
  if (answer.statusCode === 200) return
  throw new ServiceError(`the service at ${url} is not ready: it answers with status ${answer.statusCode}.`)
}

async function askReady(url: string) {
  const signal = AbortSignal.timeout(ANSWER_MS)
  try {
    return await ask(`${url}/ready`, { signal })
  } catch (error) {
    if (signal.aborted) throw new ServiceError(`${url} does not answer within ${ANSWER_MS / 1000} s.`)
    throw new ServiceError(`cannot reach a service at ${url}: ${reasonOf(error)}. Start one with logweir serve.`)
  }
}
