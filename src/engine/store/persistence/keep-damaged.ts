import type { Files } from '../../disk/files/files.js'
import { DAMAGED_SUFFIX } from '../files/file-names.js'

/**
 * Renames a damaged file or directory to a new name, so that no start reads the file. A damaged file never replaces
 * another damaged file. Returns the name.
 */
export async function keepDamaged(files: Files, path: string): Promise<string> {
  const at = path.lastIndexOf('/')
  const taken = new Set(await files.list(path.slice(0, at)))
  const name = path.slice(at + 1)
  let kept = name + DAMAGED_SUFFIX
  for (let number = 2; taken.has(kept); number++) kept = `${name}.${number}${DAMAGED_SUFFIX}`
  const target = `${path.slice(0, at)}/${kept}`
  // An earlier call may have renamed the file and failed after the rename.
  if (taken.has(name)) await files.rename(path, target)
  return target
}
