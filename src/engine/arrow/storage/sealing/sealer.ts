import { createYielder } from '../../../../base/time-slices.js'
import { createInterner } from '../../columns/dictionary.js'
import type { Head } from '../head/head.js'
import { createColdTexts } from '../head/texts.js'
import type { SealedRows } from '../segment/segment.js'
import { type CancellationFlag, effortOf } from './cancellation.js'
import { compactCold, type UncompactedCold } from './compact.js'
import { internIn } from './intern.js'
import { seal } from './seal.js'

/** Makes heads that take no more rows into sealed ones, one head after the other. */
export interface Sealer {
  /** The head may be read meanwhile. With cancellation its cold columns are made smaller, on a thread where nobody waits for that. */
  seal(head: Head, cancellation?: CancellationFlag): Promise<SealedRows[]>
  /** A smaller file for a cold one, whose memory is the sealer's from then on. Undefined once cancellation has ended. */
  compact(cold: UncompactedCold, cancellation: CancellationFlag): Promise<Buffer | undefined>
  /** Bytes of memory that it keeps for the next head. */
  bytes(): number
  /** Lets go of these: of all, or of what has not been used since the last call. */
  trim(what: 'idle' | 'all'): void
  close(): Promise<void>
}

/** Seals on this thread, in slices. */
export function createSealerHere(): Sealer {
  let distinct = createInterner()
  return {
    seal: (head) => seal(head, internIn(distinct), createYielder()),
    compact: (cold, cancellation) =>
      compactCold(cold, createColdTexts(), () => effortOf(cancellation) === 'high', createYielder()),
    bytes: () => distinct.byteLength,
    trim(what) {
      if (what === 'all') distinct = createInterner()
    },
    async close() {},
  }
}
