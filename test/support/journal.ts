import type { Files } from '../../src/engine/disk/files/files.js'
import { type Damage, type RecoveredJournal, recoverJournal } from '../../src/engine/disk/journal/recover.js'
import type { IngestBatch } from '../../src/engine/engine.js'
import { below, type Random } from './random.js'

/** A batch with `number` as its number of rows, with random bytes. The journal does not read the payload. */
export function numberedBatch(number: number, bytes: number, random: Random): IngestBatch {
  const ipc = Uint8Array.from({ length: bytes }, () => below(random, 256))
  return { source: 'edge_logs', rows: number, ipc }
}

/** Batches in a form that is quick to compare. */
export const told = (batches: readonly IngestBatch[]): string[] =>
  batches.map(({ source, rows, ipc }) => `${source} ${rows} ${Buffer.from(ipc).toString('base64')}`)

export interface Recovery extends RecoveredJournal {
  found: IngestBatch[]
  damage: Damage[]
  torn: Damage[]
}

/** Returns all batches of a journal, with copies of their bytes. */
export async function recoverAll(files: Files, path: string, windowBytes?: number): Promise<Recovery> {
  const found: IngestBatch[] = []
  const damage: Damage[] = []
  const torn: Damage[] = []
  const visitor = {
    async batch(batch: IngestBatch) {
      // The bytes are valid until the promise resolves, so the bytes must still be valid after a turn of the event
      // loop.
      await new Promise((resolve) => setImmediate(resolve))
      found.push({ ...batch, ipc: Uint8Array.from(batch.ipc) })
    },
    damage: (stretch: Damage) => void damage.push(stretch),
    torn: (stretch: Damage) => void torn.push(stretch),
  }
  return { ...(await recoverJournal(files, path, 'edge_logs', visitor, windowBytes)), found, damage, torn }
}
