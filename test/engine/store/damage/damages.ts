import type { ModelFiles } from '../../../support/model-files.js'
import { below, oneOf, type Random } from '../../../support/random.js'

/** Kinds of damage to a file or two files. The oracle looks at the result, not at the kind. */
export type DamageKind = 'flip' | 'cut' | 'zero' | 'append' | 'delete' | 'swap' | 'folder' | 'unreadable'

export const KINDS: readonly DamageKind[] = ['flip', 'cut', 'zero', 'append', 'delete', 'swap', 'folder', 'unreadable']

/** A file after damage: the original path of the file, and the bytes, undefined if the file cannot be read. */
export interface DamagedFile {
  origin: string
  bytes: Buffer | undefined
}

/** Damages a random file, of some paths, in the model and in `state`. Returns what was done. */
export function damageOne(
  files: ModelFiles,
  state: Map<string, DamagedFile>,
  kind: DamageKind,
  paths: readonly string[],
  random: Random,
): string {
  const readable = paths.filter((path) => state.get(path)?.bytes !== undefined)
  if (readable.length < 2) return 'nothing'
  const path = oneOf(random, readable)
  const { bytes, origin } = state.get(path) as { bytes: Buffer; origin: string }
  const put = (changed: Buffer) => {
    state.set(path, { origin, bytes: changed })
    files.put(path, changed)
  }
  if (kind === 'flip' && bytes.length > 0) put(flipped(bytes, below(random, bytes.length * 8)))
  if (kind === 'cut') put(bytes.subarray(0, below(random, bytes.length + 1)))
  if (kind === 'zero') put(zeroed(bytes, below(random, bytes.length + 1), below(random, oneOf(random, [100, 9000]))))
  if (kind === 'append') put(Buffer.concat([bytes, Buffer.from(Array.from({ length: 40 }, () => below(random, 256)))]))
  if (kind === 'swap') swap(files, state, path, oneOf(random, readable))
  if (kind === 'delete' || kind === 'folder') {
    state.set(path, { origin, bytes: undefined })
    files.replace(path, kind === 'folder')
  }
  if (kind === 'unreadable') {
    state.set(path, { origin, bytes: undefined })
    files.breakFile(path, oneOf(random, ['EIO', 'EACCES', 'ENXIO', 'EINVAL', 'ELOOP', 'EISDIR']))
  }
  return `${kind} ${path}`
}

function flipped(bytes: Buffer, bit: number): Buffer {
  const changed = Buffer.from(bytes)
  changed[bit >> 3]! ^= 1 << (bit & 7)
  return changed
}

const zeroed = (bytes: Buffer, from: number, length: number) =>
  Buffer.from(bytes).fill(0, from, Math.min(bytes.length, from + length))

function swap(files: ModelFiles, state: Map<string, DamagedFile>, a: string, b: string): void {
  const [ofA, ofB] = [state.get(a)!, state.get(b)!]
  state.set(a, ofB)
  state.set(b, ofA)
  files.put(a, ofB.bytes!)
  files.put(b, ofA.bytes!)
}
