import { DIRECTORY as UNCONFIRMED } from '../../engine/clickhouse/delivery/group-journals.js'
import { checkFormat, FORMAT_FILE, noDataDirectory } from '../../engine/disk/directory/format.js'
import type { Files } from '../../engine/disk/files/files.js'
import { JOURNALS, SEGMENTS } from '../../engine/store/files/file-names.js'
import { fault, NO_ROW } from '../findings/finding.js'
import { type Report, reportOf } from '../findings/report.js'

/** The directories that have rows. */
const OF_ROWS = [JOURNALS, SEGMENTS, UNCONFIRMED]

/**
 * Reads the format file. Throws `failed` if the directory has neither a format file nor a directory of rows, and
 * `newer_format` if a newer version has written the format file. `directory` is the path of the directory, for
 * messages.
 */
export async function checkFormatFile(files: Files, directory: string): Promise<Report> {
  const names = await files.list('')
  const repair = { kind: 'write_format', path: FORMAT_FILE } as const
  if (!names.includes(FORMAT_FILE)) {
    if (!names.some((name) => OF_ROWS.includes(name))) throw noDataDirectory(directory)
    return reportOf([fault('damaged_format', FORMAT_FILE, 'it is missing', { cost: NO_ROW })], repair)
  }
  try {
    await checkFormat(files, directory)
    return { ...reportOf([]), files: 1 }
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'damaged_format') throw error
    const cost = { instead: 'the next start, which is refused' }
    return reportOf([fault('damaged_format', FORMAT_FILE, 'it does not say a format', { cost })], repair)
  }
}
