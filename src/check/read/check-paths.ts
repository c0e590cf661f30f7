import type { Files } from '../../engine/disk/files/files.js'
import { isDamage } from '../../engine/execute/columns/damage.js'
import { faultIn } from '../../engine/store/files/damage.js'
import type { SegmentOnDisk } from '../../engine/store/files/facts.js'
import { checkPathFile } from '../../engine/store/files/path-file.js'
import { type Finding, fault, NO_ROW } from '../findings/finding.js'

/** Reads the path columns of a segment, if the segment has any: all checksums, and the segment that they belong to. */
export async function checkPaths(files: Files, path: string, facts: SegmentOnDisk): Promise<Finding[]> {
  if (facts.pathFileBytes === 0) return []
  try {
    await checkPathFile(files, path, facts)
    return []
  } catch (error) {
    if (!isDamage(error)) throw error
    const what = `${faultIn(error)}; queries read the metadata instead`
    return [fault('damaged_path_columns', path, what, { cost: NO_ROW })]
  }
}
