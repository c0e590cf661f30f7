/**
 * The states of the alerts of a rule as the contract describes the states, apart from the code of the program: a plain
 * list of all instants at which an alert had its row, of which everything else is computed.
 */

const MINUTE_US = 60_000_000

/** The labels of a row. */
export interface ModelRow {
  project: string | undefined
  path: string
}

/** Times in microseconds. */
export interface ModelRule {
  everyUs: number
  forUs: number
  keepFiringUs: number
  repeatUs: number
  mutedUntilUs: number
  limits: { ofProject: number; ofRule: number }
}

interface Entry {
  firstUs: number
  latestUs: number
  firing: boolean
  toldUs: number | undefined
}

/** What an evaluation changes, and the active alerts behind it, each sorted. */
export interface Judged {
  events: string[]
  notices: string[]
  active: string[]
}

/** Creates the model of a rule. */
export function createModel({ everyUs, forUs, keepFiringUs, repeatUs, mutedUntilUs, limits }: ModelRule) {
  const entries = new Map<string, Entry>()
  let [lastUs, quietUntilUs, failuresInRow] = [-1, 0, 0]
  let broken: Entry | undefined

  /** The names of the alerts that have a row: names that are active first, then as many as there is room for. */
  function admitted(rows: readonly ModelRow[]): Set<string> {
    const names = [...entries.keys()].filter((name) => !name.endsWith('|too_many'))
    const taken = new Set(names)
    const present = new Set<string>()
    for (const { project = '', path } of rows) {
      const name = `${project}|${path}`
      const ofProject = [...taken].filter((one) => one.startsWith(`${project}|`)).length
      if (!taken.has(name) && project !== '' && ofProject >= limits.ofProject) present.add(`${project}|too_many`)
      else if (!taken.has(name) && taken.size >= limits.ofRule) present.add('|too_many')
      else present.add(name) && taken.add(name)
    }
    return present
  }

  function judge(name: string, isPresent: boolean, us: number, judged: Judged): void {
    const entry = entries.get(name) ?? { firstUs: us, latestUs: us, firing: false, toldUs: undefined }
    if (isPresent && !entries.has(name) && forUs > 0) judged.events.push(`${name} pending`)
    if (isPresent) entry.latestUs = us
    if (isPresent && !entry.firing && us >= entry.firstUs + forUs) {
      entry.firing = true
      judged.events.push(`${name} firing`)
    }
    entries.set(name, entry)
    const isOver = entry.firing ? us >= quietUntilUs && us >= entry.latestUs + keepFiringUs : true
    if (!isPresent && isOver) {
      entries.delete(name)
      if (entry.firing) end(name, entry, us, judged)
    } else if (entry.firing) remind(name, entry, us, judged)
  }

  function end(name: string, { toldUs }: Entry, us: number, judged: Judged): void {
    judged.events.push(`${name} resolved`)
    if (toldUs !== undefined && us >= mutedUntilUs) judged.notices.push(`${name} resolved`)
  }

  function remind(name: string, entry: Entry, us: number, judged: Judged): void {
    if (us < mutedUntilUs || (entry.toldUs !== undefined && us < entry.toldUs + repeatUs)) return
    entry.toldUs = us
    judged.notices.push(`${name} firing`)
  }

  function fail(us: number, judged: Judged): void {
    failuresInRow += 1
    if (failuresInRow < 3) return
    if (broken === undefined) judged.events.push('broken firing')
    broken ??= { firstUs: us, latestUs: us, firing: true, toldUs: undefined }
    remind('broken', broken, us, judged)
  }

  function succeed(rows: readonly ModelRow[], us: number, judged: Judged): void {
    const present = admitted(rows)
    for (const name of new Set([...entries.keys(), ...present])) judge(name, present.has(name), us, judged)
    failuresInRow = 0
    if (broken !== undefined) end('broken', broken, us, judged)
    broken = undefined
  }

  return {
    /** After a start, which forgets the jumps before, or after a jump. */
    hold(nowUs: number, isStart: boolean) {
      const untilUs = nowUs + Math.max(5 * MINUTE_US, forUs, keepFiringUs)
      quietUntilUs = isStart ? untilUs : Math.max(quietUntilUs, untilUs)
    },
    due(nowUs: number, armedUs: number): number | undefined {
      const us = nowUs - (nowUs % everyUs)
      return us >= armedUs && us > lastUs ? us : undefined
    },
    evaluate(rows: readonly ModelRow[] | undefined, us: number): Judged {
      const judged: Judged = { events: [], notices: [], active: [] }
      lastUs = us
      if (rows === undefined) fail(us, judged)
      else succeed(rows, us, judged)
      judged.active = [...entries].map(([name, { firing }]) => `${name} ${firing ? 'firing' : 'pending'}`)
      return { events: judged.events.sort(), notices: judged.notices.sort(), active: judged.active.sort() }
    },
  }
}
