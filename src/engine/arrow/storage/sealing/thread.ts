import { arrayBuffersOf, free } from '../../../../base/array-buffers.js'
import { THREAD_HEAP } from '../../../../base/heap.js'
import type { Log } from '../../../../base/log.js'
import { createRequestThread } from '../../../../base/request-thread.js'
import { MIB } from '../../../../base/units.js'
import type { Head } from '../head/head.js'
import type { Texts } from '../head/texts.js'
import type { SealedRows } from '../segment/segment.js'
import type { CancellationFlag } from './cancellation.js'
import { copyRows } from './copy.js'
import { type Answer, bufferOf, type Compacted, type Question, restoreSealedRows, type Sealed } from './messages.js'
import { createSealerHere, type Sealer } from './sealer.js'

/** Texts copied at a time: about a millisecond. */
const PIECE_BYTES = 4 * MIB

/**
 * Seals on a thread of its own, which gets a copy of the rows: of all that sealing takes, this thread does a thirtieth. It
 * starts with the first head and ends when there was none for a while. Where it dies, the head is sealed here.
 */
export function createSealingThread(log: Log, script = new URL('./worker.js', import.meta.url)): Sealer {
  const thread = createRequestThread<Question, Answer>(script, { resourceLimits: THREAD_HEAP })
  const here = createSealerHere()
  let keptBytes = 0
  let isBusy = false
  let isIdle = true

  async function sealThere(head: Head, cancellation: CancellationFlag | undefined): Promise<SealedRows[]> {
    await sendTexts(head.cold)
    const rows = copyRows(head)
    const sealed = (await thread.request({ rows, cancellation }, arrayBuffersOf(rows))) as Sealed
    keptBytes = sealed.keptBytes
    return sealed.parts.map(restoreSealedRows)
  }

  /** TextChunk by piece, in memory that goes to and fro. */
  async function sendTexts({ bytes, usedBytes: of }: Texts): Promise<void> {
    let piece = new Uint8Array(Math.min(PIECE_BYTES, of))
    for (let at = 0; at < of; at += piece.length) {
      piece.set(bytes.subarray(at, Math.min(of, at + piece.length)))
      const answer = await thread.request({ piece, at, of }, [piece.buffer])
      piece = (answer as { piece: Uint8Array<ArrayBuffer> }).piece
    }
    free([piece.buffer])
  }

  /** Keeps the thread while it works. Where it dies, all that it kept has gone with it. */
  async function busy<T>(work: () => Promise<T>): Promise<T> {
    isIdle = false
    isBusy = true
    try {
      return await work()
    } catch (error) {
      keptBytes = 0
      throw error
    } finally {
      isBusy = false
    }
  }

  return {
    async seal(head, cancellation) {
      try {
        return await busy(() => sealThere(head, cancellation))
      } catch (error) {
        log(`The sealing thread failed, and rows are sealed on the main thread: ${(error as Error).message}`, {
          level: 'warn',
          code: 'sealing_thread_failed',
        })
        return here.seal(head)
      }
    },
    compact: (cold, cancellation) =>
      busy(async () => {
        const { file, ...kept } = (await thread.request({ cold, cancellation }, arrayBuffersOf(cold))) as Compacted
        keptBytes = kept.keptBytes
        return file && bufferOf(file)
      }),
    bytes: () => here.bytes() + keptBytes,
    trim(what) {
      here.trim(what)
      if (isBusy || what === 'all') return
      if (isIdle) {
        keptBytes = 0
        void thread.terminate()
      }
      isIdle = true
    },
    close: () => thread.terminate(),
  }
}
