import { errorReason, ServiceError, sendRequest } from './service.js'

/** Shorter than the 5 s after which the container's health check times out without a message. */
const ANSWER_MS = 4_000

/** Resolves if the service at `url` is ready, else rejects with a {@link ServiceError}. Needs no token. */
export async function checkHealth(url: string): Promise<void> {
  const answer = await requestReady(url)
  // The remainder of the answer must not keep the process alive.
  answer.destroy()
  if (answer.statusCode === 200) return
  throw new ServiceError(`the service at ${url} is not ready: it answers with status ${answer.statusCode}.`)
}

async function requestReady(url: string) {
  const signal = AbortSignal.timeout(ANSWER_MS)
  try {
    return await sendRequest(`${url}/ready`, { signal })
  } catch (error) {
    if (signal.aborted) throw new ServiceError(`${url} does not answer within ${ANSWER_MS / 1000} s.`)
    throw new ServiceError(`cannot reach a service at ${url}: ${errorReason(error)}. Start one with logweir serve.`)
  }
}
