import { KIB } from '../units.js'

/** Parameters of a compression, by zstd's names. An engine that knows no more than levels takes the nearest level. */
export interface ZstdParameters {
  compressionLevel: number
  /** log2 of the entries in the table of matches. A smaller table is faster and finds less. */
  hashLog?: number
  /** The same for the chains of earlier matches, which levels from 6 on follow. */
  chainLog?: number
  /** The shortest match that is searched for, in bytes. */
  minMatch?: number
}

/** Compression with fixed parameters. All frames have the length of their content, and no checksum. */
export interface ZstdCompressor {
  /**
   * Compresses `content` to a frame at the start of `target`, which has room for {@link compressBound} bytes. Returns
   * the bytes of the frame.
   */
  compress(target: Buffer, content: Uint8Array): number
  /**
   * Does the same in steps of `stepBytes`, and awaits `afterStep` after each. Several calls may run at the same time.
   * Rejects if `afterStep` does.
   */
  compressInSteps(
    target: Buffer,
    content: Uint8Array,
    stepBytes: number,
    afterStep: () => Promise<void> | undefined,
  ): Promise<number>
}

/** Code that compresses and decompresses zstd frames. Each engine reads the frames of all others. */
export interface ZstdEngine {
  name: 'zstd-napi' | 'node:zlib' | '@hpcc-js/wasm-zstd'
  createCompressor(parameters: ZstdParameters): ZstdCompressor
  /**
   * Decompresses a frame to the start of `target`. Returns the bytes of the content. Throws if the frame is damaged, if
   * it is followed by other bytes than frames, or if the content is longer than `target`.
   */
  decompress(target: Buffer, frame: Buffer): number
  /**
   * Fills `target` with the first bytes of a frame's content. Costs little more than decompressing these. Throws if
   * that part of the frame is damaged or not there.
   */
  decompressStart(target: Buffer, frame: Buffer): void
}

/** The most that zstd decompresses at once: RFC 8878, section 3.1.1.2.4. */
export const BLOCK_BYTES = 128 * KIB

/** Returns the largest size of a frame with that many bytes of content: ZSTD_COMPRESSBOUND in zstd.h. */
export function compressBound(bytes: number): number {
  const small = bytes < BLOCK_BYTES ? Math.floor((BLOCK_BYTES - bytes) / 2048) : 0
  return bytes + Math.floor(bytes / 256) + small
}

/** Returns the error for a frame of which a part is missing. */
export const endsTooEarly = (): Error => new Error('A compressed buffer ends too early')
