import { vi } from 'vitest'

/** Long enough on a machine that is busy with other things. */
const PATIENCE_MS = 15_000

/** Resolves when the assertion holds, be it at once or in a while; rejects with its error where it never does. */
export function eventually<T>(assertion: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(assertion, { timeout: PATIENCE_MS, interval: 5 })
}
