import { decodeUtf8 } from '../../src/base/text/utf8.js'
import type { Finding } from '../../src/check/findings/finding.js'
import { type Checked, checkDirectory } from '../../src/check/read/check-directory.js'
import { repairInRounds } from '../../src/check/repair/repair-in-rounds.js'
import type { SourceName } from '../../src/common/sources.js'
import type { Files } from '../../src/engine/disk/files/files.js'
import { type Batch, hotColumnOf, type TextColumn, timeAt } from '../../src/engine/execute/columns/batch.js'
import { ABSENT, entryOf } from '../../src/engine/execute/columns/dictionary.js'
import { openPersistence } from '../engine/store/persistence/open-persistence.js'
import { ALL_COLUMNS, noYield } from '../engine/store/support.js'
import type { ModelFiles } from '../support/model-files.js'
import { NINE_AND_OWN } from '../support/own-source.js'
import { contentsOf, filesWith, rowText } from './sample.js'

const NOW_US = Date.UTC(2026, 10, 28, 10) * 1000
const REREADS = { times: 3, pauseMs: 0 }

/** The result of a check, and the findings. */
export interface Outcome extends Checked {
  findings: Finding[]
  faults: Finding[]
}

/** Checks a directory that no service has. */
export async function check(files: Files, isInUse = false): Promise<Outcome> {
  const findings: Finding[] = []
  const onFinding = (finding: Finding) => void findings.push(finding)
  const checked = await checkDirectory({ files, directory: 'd', isInUse, onFinding, rereads: REREADS })
  return outcomeOf(checked, findings)
}

/** Checks and repairs a directory. */
export async function repair(files: Files, nowUs = NOW_US): Promise<Outcome & { done: string[] }> {
  const findings: Finding[] = []
  const done: string[] = []
  const checked = await repairInRounds({
    files,
    directory: 'd',
    rereads: REREADS,
    nowUs,
    onFinding: (finding) => void findings.push(finding),
    onRepaired: ({ path, what }) => void done.push(`${path}: ${what}`),
  })
  return { ...outcomeOf(checked, findings), done }
}

const outcomeOf = (checked: Checked, findings: Finding[]): Outcome => ({
  ...checked,
  findings,
  faults: findings.filter(({ level }) => level === 'fault'),
})

/** Returns all rows that a service would have after a start, sorted. The files stay unchanged. */
export async function servedRows(files: ModelFiles): Promise<string[]> {
  const { store, close } = await openPersistence(filesWith(await contentsOf(files)))
  const rows: string[] = []
  for (const source of NINE_AND_OWN) {
    const { parts, release } = store.view(source)
    for (const part of parts) rows.push(...(await rowsOfBatch(await part.open(noYield, ALL_COLUMNS), source)))
    release()
  }
  await close()
  return rows.sort()
}

async function rowsOfBatch(batch: Batch, source: SourceName): Promise<string[]> {
  const read = batch.openCold()
  const projects = hotColumnOf(batch, 'project') as TextColumn
  const rows: string[] = []
  for (let row = 0; row < batch.rows; row++) {
    const { id, event_message, metadata } = await read(row)
    const code = projects.codes[row]!
    const project = code === ABSENT ? null : entryOf(projects.dictionary, code).toString()
    const texts = {
      id: decodeUtf8(id),
      event_message: decodeUtf8(event_message),
      metadata: decodeUtf8(metadata),
    }
    rows.push(rowText({ source, timestampUs: timeAt(batch.times, row), project, ...texts }))
  }
  return rows
}

/** Returns the elements of `wanted` that `given` lacks, duplicates counted. */
export function lacking(wanted: readonly string[], given: readonly string[]): string[] {
  const counts = new Map<string, number>()
  for (const one of given) counts.set(one, (counts.get(one) ?? 0) + 1)
  return wanted.filter((one) => {
    const left = counts.get(one) ?? 0
    counts.set(one, left - 1)
    return left <= 0
  })
}
