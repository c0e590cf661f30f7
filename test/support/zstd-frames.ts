import { Zstd } from '@hpcc-js/wasm-zstd'

const zstd = await Zstd.load()

/**
 * Returns the content of a zstd frame, for readers of other people's that have no zstd. Shares no code with the
 * program, and needs no native package.
 */
export const decompressFrame = (frame: Uint8Array): Uint8Array => zstd.decompress(frame)

/** Returns a zstd frame with that content. */
export const compressFrame = (content: Uint8Array): Uint8Array => zstd.compress(content)
