import type { IncomingMessage } from 'node:http'
import type { LogweirError } from '../../base/errors.js'

// A body with chunks that turn out to be malformed while the request is answered. Node reports the error only to the
// server.

const BROKEN = 'logweir.broken'
const errors = new WeakMap<IncomingMessage, LogweirError>()

/** Refuses a request with a malformed body. Returns whether {@link unlessBroken} rejected with the error. */
export function breakBody(incoming: IncomingMessage, error: LogweirError): boolean {
  errors.set(incoming, error)
  return incoming.emit(BROKEN, error)
}

/** Returns the error of a body that is known to be broken. */
export const brokenBodyOf = (incoming: IncomingMessage): LogweirError | undefined => errors.get(incoming)

/** Whether a request has a body that may break. A body of a given length can only end too early. */
export const mayBreak = ({ headers }: IncomingMessage): boolean => headers['transfer-encoding'] !== undefined

/** Returns an answer. Rejects with the error of {@link breakBody} if the error comes first. */
export function unlessBroken<T>(incoming: IncomingMessage, answer: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const settle = () => incoming.off(BROKEN, reject)
    incoming.once(BROKEN, reject)
    answer.finally(settle).then(resolve, reject)
  })
}
