import type { Sealer } from './sealer.js'

/**
 * Returns a sealer that refuses all work, for a store that only reads: the rows of full heads stay in memory unchanged.
 */
export function createNoSealer(): Sealer {
  const refuse = () => Promise.reject(new TypeError('A store that only reads does not seal.'))
  const nothing = { bytes: () => 0, trim() {}, async close() {} }
  return { seal: refuse, compact: refuse, makePathColumns: refuse, keepRows: refuse, ...nothing }
}
