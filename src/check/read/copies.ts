import type { SourceName } from '../../common/sources.js'
import { fault, hasFault, NO_ROW } from '../findings/finding.js'
import type { Repair } from '../findings/repair.js'
import { type Report, reportOf } from '../findings/report.js'

/** The facts about a journal or segment that the search for copies needs. */
interface Seen {
  path: string
  source: SourceName | undefined
  isIntact: boolean
  rows: number
  /** Whether the service reads the file. If the service reads a copy, the rows of the copy are doubled. */
  isRead: boolean
}

/** Finds copies of journals and segments by their identities. */
export interface Copies {
  /** Notes something that was read. */
  see(path: string, report: Report, isRead: boolean): void
  /** Returns a report about each copy. An intact file counts as the original. */
  reports(): Report[]
}

/** Creates an empty search. Takes some hundred bytes for each journal and segment. */
export function createCopies(): Copies {
  const seen = new Map<string, Seen[]>()
  return {
    see(path, { identity, findings, rows, source }, isRead) {
      if (identity === undefined) return
      const one = { path, source, isIntact: !hasFault(findings), rows, isRead }
      const others = seen.get(identity)
      if (others === undefined) seen.set(identity, [one])
      else others.push(one)
    },
    reports: () => [...seen].flatMap(([identity, group]) => (group.length > 1 ? describe(identity, group) : [])),
  }
}

function describe(identity: string, group: readonly Seen[]): Report[] {
  const [original, ...copies] = group.toSorted(byWorth) as [Seen, ...Seen[]]
  return copies.map((copy) => {
    const { path, rows, isRead } = copy
    const what = `it is a copy of ${original.path}${isRead ? ', so its rows are there twice' : ''}`
    const cost = isRead ? { instead: `${rows.toLocaleString('en-US')} rows that are doubled` } : NO_ROW
    return reportOf([fault('copy', path, what, { cost })], repairOf(identity, copy, original.path))
  })
}

function byWorth(a: Seen, b: Seen): number {
  return Number(b.isIntact) - Number(a.isIntact) || Number(b.isRead) - Number(a.isRead) || b.rows - a.rows
}

function repairOf(identity: string, { path, source }: Seen, original: string): Repair {
  const isJournal = identity.startsWith('journal') && source !== undefined
  return isJournal ? { kind: 'reduce_copy', path, original, source } : { kind: 'set_aside', path }
}
