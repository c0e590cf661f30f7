import { LogweirError } from '../../base/errors.js'
import { MIB } from '../../base/units.js'
import type { Files } from '../../engine/disk/files/files.js'
import { parseStored } from '../../retention/stored-retention.js'
import { readWhole } from '../files/read-whole.js'
import { fault } from '../findings/finding.js'
import type { Report } from '../findings/report.js'

/** More than any file that a service writes. */
const MAX_BYTES = 256 * MIB

/** Reads the times of rows, and the former times, as the service does. */
export async function checkRetention(files: Files, path: string): Promise<Report> {
  const bytes = await readWhole(files, path, MAX_BYTES)
  const report: Report = { findings: [], rows: 0, files: 1, bytes: bytes.length }
  try {
    parseStored(bytes)
    return report
  } catch (error) {
    if (!(error instanceof LogweirError)) throw error
    const cost = { instead: 'former times: a longer time may show rows again' }
    const isNewer = error.code === 'newer_format'
    const what = isNewer ? 'it is of a newer version of logweir' : 'its checksum does not match'
    const found = fault(isNewer ? 'newer_format' : 'damaged_retention', path, what, { cost })
    return { ...report, findings: [found], ...(!isNewer && { repair: { kind: 'set_aside', path } as const }) }
  }
}
