/** The signals that end requests together. */
import type { Scope } from '../model/message.js'

/** The running requests of each scope. */
export interface Scopes {
  /** Ends the requests of a scope, and returns the signal of the next requests. */
  begin(scope: Scope): AbortSignal
  /** Returns the signal of the requests that began last. */
  signalOf(scope: Scope): AbortSignal
}

/** Creates the scopes, none of which has requests. */
export function createScopes(): Scopes {
  const controllers: Record<Scope, AbortController> = {
    load: new AbortController(),
    record: new AbortController(),
    live: new AbortController(),
  }
  return {
    begin(scope) {
      controllers[scope].abort()
      controllers[scope] = new AbortController()
      return controllers[scope].signal
    },
    signalOf: (scope) => controllers[scope].signal,
  }
}
