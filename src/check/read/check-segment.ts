import { isSystemError } from '../../engine/disk/files/file-errors.js'
import type { Files } from '../../engine/disk/files/files.js'
import { faultIn } from '../../engine/store/files/damage.js'
import type { SegmentOnDisk } from '../../engine/store/files/facts.js'
import { type HeadId, UNFINISHED_SUFFIX } from '../../engine/store/files/file-names.js'
import { readFacts as readHotFacts } from '../../engine/store/files/hot-load.js'
import { readSegmentChecks } from '../../engine/store/files/segment-file.js'
import { type Finding, fault, note } from '../findings/finding.js'
import { type Report, reportOf } from '../findings/report.js'
import { SALVAGE_FILE } from '../findings/set-aside.js'
import { type ColdReport, checkCold } from './check-cold.js'
import { checkHot, type HotReport } from './check-hot.js'
import { checkPaths } from './check-paths.js'

/** A segment, and the UTC day in the path. The day is undefined if the path has no date. */
export interface DatedPlace extends HeadId {
  part: number
  path: string
  day: number | undefined
}

/**
 * Reads the files of a segment: all checksums, the numbers of rows, and the order of the rows. Takes the memory of one
 * column, or of one batch. Rejects with the system's error, or with `newer_format`.
 */
export async function checkSegment(files: Files, place: DatedPlace): Promise<Report> {
  const { path } = place
  const names = await files.list(path)
  const others = names.flatMap((name) => findOther(`${path}/${name}`, name))
  const facts = await readFacts(files, path)
  if (!('version' in facts)) {
    const cost = { source: place.source }
    const what = `${facts.what}, so the rows of the segment cannot be found`
    const repair = { kind: 'set_aside', path } as const
    return {
      ...reportOf([fault('damaged_segment', facts.path, what, { cost }), ...others], repair),
      files: names.length,
    }
  }
  const identity = Buffer.from(await readSegmentChecks(files, path)).toString('base64')
  const hot = await checkHot(files, `${path}/hot.arrow`, facts)
  const cold = await checkCold(files, `${path}/cold.arrow`, facts, hot.times)
  const paths = await checkPaths(files, pathsPath(path), facts)
  const misplaced = findMisplaced(place, facts)
  const findings = [...misplaced, ...hot.findings, ...cold.findings, ...paths, ...others]
  return {
    findings,
    rows: hot.canLackDamaged ? cold.ranges.reduce((sum, { from, to }) => sum + to - from, 0) : 0,
    files: names.length,
    bytes: facts.fileBytes,
    repair: repairOf(place, facts, { hot, cold, paths }),
    identity: `segment ${identity}`,
    source: facts.source,
  }
}

const pathsPath = (path: string) => `${path}/paths.arrow`

/** Returns the facts, or the fault of the hot file, which has the facts. The cold file may be missing. */
async function readFacts(files: Files, path: string): Promise<SegmentOnDisk | { what: string; path: string }> {
  const hotPath = `${path}/hot.arrow`
  try {
    const { facts } = await readHotFacts(files, hotPath)
    return {
      ...facts,
      fileBytes: await files.bytesBelow(path),
      pathFileBytes: await files.bytesBelow(pathsPath(path)),
    }
  } catch (error) {
    if (isSystemError(error) || (error as { code?: unknown }).code === 'newer_format') throw error
    return { what: faultIn(error as Error), path: hotPath }
  }
}

const SEGMENT_FILES = ['hot.arrow', 'cold.arrow', 'paths.arrow']

function findOther(path: string, name: string): Finding[] {
  if (SEGMENT_FILES.includes(name)) return []
  const isLeftover = name.endsWith(UNFINISHED_SUFFIX) || name === SALVAGE_FILE
  if (isLeftover) return [note('leftover', path, 'it was being written when its process ended, and is not read')]
  return [note('unknown_file', path, 'no file of a segment has this name, and it is not read')]
}

function findMisplaced({ path, source, day }: DatedPlace, facts: SegmentOnDisk): Finding[] {
  if (facts.source === source && facts.day === day) return []
  const { rows, minUs, maxUs } = facts
  const what = `it has rows of ${facts.source} and of another day or source than its path`
  const cost = { source: facts.source, rows, fromUs: minUs, throughUs: maxUs }
  return [fault('wrong_place', path, what, { cost })]
}

function repairOf(
  { path, source, number, part, day }: DatedPlace,
  facts: SegmentOnDisk,
  { hot, cold, paths }: { hot: HotReport; cold: ColdReport; paths: readonly Finding[] },
): Report['repair'] {
  const id = { source: facts.source, number }
  if (hot.findings.length + cold.findings.length === 0) {
    const isInPlace = facts.source === source && facts.day === day
    if (!isInPlace) return { kind: 'move_segment', path, id: { ...id, part, day: facts.day } }
    return paths.length === 0 ? undefined : { kind: 'set_aside', path: pathsPath(path) }
  }
  if (!hot.canLackDamaged || cold.ranges.length === 0) return { kind: 'set_aside', path }
  return { kind: 'salvage_segment', path, id, salvage: { ranges: cold.ranges, columns: hot.columns } }
}
