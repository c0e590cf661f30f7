import { vi } from 'vitest'

/** Long enough on a busy machine. */
const PATIENCE_MS = 15_000

/**
 * Resolves as soon as the assertion holds. Rejects with the assertion's error if the assertion does not hold in time.
 */
export function eventually<T>(assertion: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(assertion, { timeout: PATIENCE_MS, interval: 5 })
}
