/**
 * Measures the speed of the machine itself on the same lines, so that figures of a shared machine can be compared with
 * figures of another hour or another machine. The rates are the upper bound for a core that parses every line and
 * compresses every byte.
 */
import { closeSync, openSync, readSync } from 'node:fs'
import { zstd } from '../dist/base/compression/zstd.js'

const SAMPLE_BYTES = 64e6
const BLOCK_BYTES = 112 * 1024

/** Returns the MB/s of `JSON.parse` and of zstd level 1 over the first 64 MB of a file. */
export function measureMachine(path) {
  const sample = readSample(path)
  const lines = sample.toString().split('\n')
  lines.pop()
  const compressor = zstd.createCompressor({ compressionLevel: 1 })
  const target = Buffer.alloc(2 * BLOCK_BYTES)
  return {
    jsonParseMbPerSecond: rate(sample.length, () => {
      for (const line of lines) JSON.parse(line)
    }),
    zstdMbPerSecond: rate(sample.length, () => {
      for (let at = 0; at < sample.length; at += BLOCK_BYTES) {
        compressor.compress(target, sample.subarray(at, at + BLOCK_BYTES))
      }
    }),
  }
}

function readSample(path) {
  const sample = Buffer.alloc(SAMPLE_BYTES)
  const file = openSync(path, 'r')
  const length = readSync(file, sample)
  closeSync(file)
  return sample.subarray(0, length)
}

/** Returns MB/s by the best of three runs. The first run is the warm-up. */
function rate(bytes, work) {
  const times = [1, 2, 3].map(() => {
    const startMs = performance.now()
    work()
    return performance.now() - startMs
  })
  return bytes / 1e3 / Math.min(...times)
}
