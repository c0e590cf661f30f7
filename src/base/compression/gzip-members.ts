import { createGunzip } from 'node:zlib'
import { KIB, MIB } from '../units.js'

/** Decompresses the members of a gzip file, one after the other: RFC 1952. */
export interface GzipMembers {
  /**
   * Yields the content of chunks. Throws an Error if a member is damaged or cut, or if anything but zeros follows the
   * last member, and the errors of `chunks`.
   */
  read(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer, void>
  /** The number of bytes up to the end of the yielded content, about. */
  at(): number
}

/** Bytes that are decompressed together. An error loses their content, which is at most 1,032 times as long. */
const STEP_BYTES = 16 * KIB

/** Creates a reader of a file. */
export function createGzipMembers(): GzipMembers {
  const gunzip = createGunzip({ chunkSize: MIB })
  let at = 0
  let wake = () => {}

  /** Returns the number of bytes of a step that belong to members: all, or those before the padding. */
  async function decompress(step: Uint8Array): Promise<number> {
    const before = gunzip.bytesWritten
    await new Promise<void>((resolve) => {
      wake = resolve
      gunzip.write(step, () => resolve())
    })
    return gunzip.bytesWritten - before
  }

  async function feed(chunks: AsyncIterable<Uint8Array>): Promise<void> {
    let isPadding = false
    for await (const chunk of chunks)
      for (let from = 0; from < chunk.length; from += STEP_BYTES) {
        const step = chunk.subarray(from, from + STEP_BYTES)
        const used: number = isPadding ? 0 : await decompress(step)
        if (gunzip.destroyed && !gunzip.readableEnded) return
        at += used
        isPadding ||= used < step.length
        // Tapes and block devices fill their last block.
        if (step.subarray(used).some((byte) => byte !== 0)) throw new Error('no gzip member begins here')
        at += step.length - used
      }
    if (!isPadding) gunzip.end()
  }

  return {
    async *read(chunks) {
      gunzip.on('close', () => wake())
      let failure: Error | undefined
      const fed = feed(chunks).catch((error: Error) => {
        failure = error
        gunzip.destroy(error)
      })
      try {
        for await (const chunk of gunzip) yield chunk as Buffer
      } catch (error) {
        throw failure ?? (error as Error)
      }
      await fed
      if (failure !== undefined) throw failure
    },
    at: () => at,
  }
}
