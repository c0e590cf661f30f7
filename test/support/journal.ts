import type { Files } from '../../src/engine/disk/files/files.js'
import { type Damage, type RecoveredJournal, recoverJournal } from '../../src/engine/disk/journal/recover.js'
import type { IngestBatch } from '../../src/engine/engine.js'
import { below, type Random } from './random.js'

/** A batch that tells its number by its rows and its bytes; to the journal the payload is bytes of any kind. */
export function numberedBatch(number: number, bytes: number, random: Random): IngestBatch {
  const ipc = Uint8Array.from({ length: bytes }, () => below(random, 256))
  return { source: 'edge_logs', rows: number, ipc }
}

/** Batches in a form that is compared fast. */
export const told = (batches: readonly IngestBatch[]): string[] =>
  batches.map(({ source, rows, ipc }) => `${source} ${rows} ${Buffer.from(ipc).toString('base64')}`)

export interface Recovery extends RecoveredJournal {
  found: IngestBatch[]
  damage: Damage[]
}

/** All that a journal gives, the bytes copied. */
export async function recoverAll(files: Files, path: string, windowBytes?: number): Promise<Recovery> {
  const found: IngestBatch[] = []
  const damage: Damage[] = []
  const visitor = {
    async batch(batch: IngestBatch) {
      // The bytes are good until the promise resolves, so they must still be after a turn of the event loop.
      await new Promise((resolve) => setImmediate(resolve))
      found.push({ ...batch, ipc: Uint8Array.from(batch.ipc) })
    },
    damage: (stretch: Damage) => void damage.push(stretch),
  }
  return { ...(await recoverJournal(files, path, visitor, windowBytes)), found, damage }
}
