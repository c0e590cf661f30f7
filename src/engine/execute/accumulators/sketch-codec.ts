import type { SketchState } from './distinct.js'
import type { StateCodec } from './state-codec.js'

/** The first byte: the values are known by their hashes, or are too many for that. */
const [HASHES, REGISTERS] = [0, 1]

/** The hashes as ascending numbers, which take fewer bytes as differences, or the registers as they are. */
export const sketchCodec: StateCodec<SketchState> = {
  name: 'sketch 1',
  write({ hashes, registers }, out) {
    if (registers !== undefined) {
      out.addByte(REGISTERS)
      out.addSized(registers)
      return
    }
    out.addByte(HASHES)
    const sorted = Float64Array.from(hashes!).sort()
    out.addCount(sorted.length)
    for (let i = 0, before = 0; i < sorted.length; before = sorted[i++]) out.addCount(sorted[i] - before)
  },
  read(bytes) {
    if (bytes.readByte() === REGISTERS) return { hashes: undefined, registers: Uint8Array.from(bytes.readSized()) }
    const hashes = new Set<number>()
    for (let rest = bytes.readCount(), hash = 0; rest > 0; rest--) hashes.add((hash += bytes.readCount()))
    return { hashes, registers: undefined }
  },
}
