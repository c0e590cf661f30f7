import type { LogweirError } from '../base/errors.js'
import { explainFileError } from '../base/files/file-errors.js'
import type { Log } from '../base/log.js'
import type { Clock } from '../base/time/clock.js'
import { createProgressLine, type ProgressLine } from '../base/time/progress-line.js'
import { createDiskFiles, type Files } from '../engine/disk/files/files.js'
import { readOnlyFiles } from '../engine/disk/files/read-only.js'
import { refuseHeld } from '../engine/disk/lock/held.js'
import { lockDirectory } from '../engine/disk/lock/lock.js'
import type { CheckConfig } from './check-config.js'
import type { Finding } from './findings/finding.js'
import { type LineFormat, NDJSON, type Repaired, TEXT, type Totals } from './findings/format.js'
import { type Checked, checkDirectory } from './read/check-directory.js'
import { checkFormatFile } from './read/check-format.js'
import { repairInRounds } from './repair/repair-in-rounds.js'

/** The streams and dependencies of a check. */
export interface CheckOutput {
  clock: Clock
  log: Log
  print(text: string): Promise<void>
  /** The terminal for progress, if the output is a terminal. */
  terminal?: { write(text: string): unknown } | undefined
  /** Called if the lock of the directory is lost during a repair. */
  onLost(error: LogweirError): void
}

/**
 * Checks a data directory and prints the findings. With `repair`, sets the damaged parts aside. Returns whether
 * everything is intact, after the repair. Throws `failed` if the directory is not a data directory, `newer_format`,
 * `data_dir_unusable`, and EPIPE. With `repair`, also throws `data_dir_in_use`.
 */
export async function runCheck(config: CheckConfig, output: CheckOutput): Promise<boolean> {
  const { directory } = config
  try {
    const checked = config.repair ? await checkAndRepair(config, output) : await onlyCheck(config, output)
    await output.print(formatOf(config).summary(checked.totals))
    return checked.totals.faults === 0
  } catch (error) {
    throw explainFileError('data_dir_unusable', `The data directory ${directory} cannot be checked`, directory, error)
  }
}

const formatOf = ({ format }: CheckConfig): LineFormat => (format === 'json' ? NDJSON : TEXT)

async function onlyCheck(config: CheckConfig, output: CheckOutput): Promise<Checked> {
  const { directory } = config
  const files = readOnlyFiles(createDiskFiles(directory))
  const isInUse = await isHeld(directory, output.log)
  return checkDirectory({ ...partsOf(config, output, files), isInUse })
}

async function isHeld(directory: string, log: Log): Promise<boolean> {
  try {
    await refuseHeld(directory, '', { log })
    return false
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'data_dir_in_use') throw error
    return true
  }
}

function partsOf(config: CheckConfig, { print, clock, terminal }: CheckOutput, files: Files) {
  const progress = createProgressLine(terminal, clock)
  return {
    files,
    directory: config.directory,
    onFinding(finding: Finding) {
      progress.clear()
      return print(formatOf(config).finding(finding))
    },
    onProgress: (totals: Totals) => show(progress, totals),
  }
}

const show = (progress: ProgressLine, { files, rows }: Totals) =>
  progress.show(() => `read ${files.toLocaleString('en-US')} files, ${rows.toLocaleString('en-US')} rows`)

async function checkAndRepair(config: CheckConfig, output: CheckOutput): Promise<Checked> {
  const { directory } = config
  const { log, onLost } = output
  // Before a lock is created there.
  await checkFormatFile(readOnlyFiles(createDiskFiles(directory)), directory)
  const lock = await lockDirectory(directory, { log, onLost })
  try {
    const files = lock.fence(createDiskFiles(directory))
    const onRepaired = (repaired: Repaired) => output.print(formatOf(config).finding(repaired))
    return await repairInRounds({ ...partsOf(config, output, files), nowUs: output.clock.nowUs(), onRepaired })
  } finally {
    await lock.release()
  }
}
