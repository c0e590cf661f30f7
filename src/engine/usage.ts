import { LogweirError } from '../base/errors.js'
import type { MemoryShare } from '../base/memory/memory-budget.js'
import { MAX_USAGE_ROWS, type Usage, type UsageQuery } from '../common/usage.js'

/** Cancellation and memory of a count. */
export interface UsageRun {
  signal: AbortSignal
  memory: Pick<MemoryShare, 'add' | 'room'>
}

/** The estimated bytes of a member of a result in memory. */
const MEMBER_BYTES = 100

/** The sums of a result that is being computed. */
export interface UsageSums {
  /** Whether rows of a day are counted. */
  isWanted(day: number): boolean
  /** Adds rows, if they are to be counted. Throws `too_many_groups`. */
  add(usage: Usage): void
  /** Returns the sums by day, then source, then project. Rows without a project come first. */
  sorted(): Usage[]
}

/** Returns empty sums, of at most `maxRows` members. Counts their memory. */
export function createUsageSums(
  { fromDay, throughDay, projects }: Omit<UsageQuery, 'source'>,
  memory: Pick<MemoryShare, 'add'>,
  maxRows = MAX_USAGE_ROWS,
): UsageSums {
  const days = new Map<string, Map<string | undefined, Usage>>()
  let members = 0
  const isWanted = (day: number) => day >= fromDay && day <= throughDay
  return {
    isWanted,
    add(usage) {
      const { project, source, day, rows, bytes } = usage
      if (!isWanted(day) || (projects !== undefined && (project === undefined || !projects.has(project)))) return
      const key = `${day} ${source}`
      let sums = days.get(key)
      if (sums === undefined) days.set(key, (sums = new Map()))
      const sum = sums.get(project)
      if (sum !== undefined) {
        sum.rows += rows
        sum.bytes += bytes
        return
      }
      if (members++ === maxRows) throw tooMuchUsage(maxRows)
      sums.set(project, { ...usage })
      memory.add(MEMBER_BYTES)
    },
    sorted: () => [...days.values()].flatMap((sums) => [...sums.values()]).sort(byDay),
  }
}

const tooMuchUsage = (maxRows: number) =>
  new LogweirError(
    'too_many_groups',
    `The usage has more than ${maxRows.toLocaleString('en-US')} rows. ` +
      'Name a project, a source or a shorter time: ?project=…, ?source=…, ?start=…&end=…',
  )

const byDay = (a: Usage, b: Usage) =>
  a.day - b.day || compare(a.source, b.source) || compare(a.project ?? '', b.project ?? '')

const compare = (a: string, b: string) => Number(a > b) - Number(a < b)
