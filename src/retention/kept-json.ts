import { LogweirError } from '../base/errors.js'
import type { FormerTimes, KeptRetention } from './history.js'
import type { ProjectTimes, Rules } from './rules.js'

/**
 * A retention with its former times as JSON: for the file `retention.json` in a data directory, and for threads. Names
 * of projects are grouped by their times.
 */

const FORMAT = 'logweir retention'
const VERSION = 1

type Grouped = [times: ProjectTimes | null, names: string[]][]
type RulesJson = { default: Rules['default']; tiers: [string, object][]; sources: [string, object][] }

/** The JSON of {@link KeptRetention}. */
interface KeptJson {
  format: typeof FORMAT
  version: typeof VERSION
  load: number
  rules: RulesJson
  projects: Grouped
  formerRules: { load: number; endedAtUs: number; rules: RulesJson }[]
  formerProjects: { load: number; endedAtUs: number; projects: Grouped }[]
}

/** Returns the JSON of a retention with its former times. */
export function keptToJson({ current, load, formerRules, formerProjects }: KeptRetention): string {
  const json: KeptJson = {
    format: FORMAT,
    version: VERSION,
    load,
    rules: rulesToJson(current.rules),
    projects: grouped(current.projects),
    formerRules: formerRules.map(({ rules, ...end }) => ({ ...end, rules: rulesToJson(rules) })),
    formerProjects: [...byLoad(formerProjects).values()].map(({ load: of, endedAtUs, times }) => {
      return { load: of, endedAtUs, projects: grouped(times) }
    }),
  }
  return JSON.stringify(json)
}

const rulesToJson = ({ default: others, tiers, sources }: Rules): RulesJson => {
  return { default: others, tiers: [...tiers], sources: [...sources] }
}

function grouped(projects: ReadonlyMap<string, ProjectTimes | undefined>): Grouped {
  const groups = new Map<string, [ProjectTimes | null, string[]]>()
  for (const [name, times] of projects) {
    const key = times === undefined ? '' : `${times.tier}/${times.rowsUs}/${times.viewsUs}`
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [times ?? null, [name]])
    else group[1].push(name)
  }
  return [...groups.values()]
}

/** Returns former times of projects by the load that ended them. */
function byLoad(formerProjects: KeptRetention['formerProjects']) {
  const loads = new Map<number, { load: number; endedAtUs: number; times: Map<string, ProjectTimes | undefined> }>()
  for (const [name, list] of formerProjects) {
    for (const { load, endedAtUs, times } of list) {
      const one = loads.get(load) ?? { load, endedAtUs, times: new Map() }
      loads.set(load, one)
      one.times.set(name, times)
    }
  }
  return loads
}

/** Reads the JSON. Throws `newer_format` for a later version, and a TypeError or SyntaxError if the JSON is damaged. */
export function keptOfJson(text: string): KeptRetention {
  const json = JSON.parse(text) as Partial<KeptJson> | null
  if (json?.format !== FORMAT || !Number.isSafeInteger(json.version)) throw new TypeError('not the times of rows')
  if (json.version !== VERSION) {
    throw new LogweirError(
      'newer_format',
      'retention.json was written by a newer version of logweir. Use that version.',
    )
  }
  const { load, rules, projects, formerRules, formerProjects } = json as KeptJson
  if (!Number.isSafeInteger(load)) throw new TypeError('the number of the load is missing')
  return {
    load,
    current: { rules: rulesOfJson(rules), projects: new Map(ungrouped(projects) as [string, ProjectTimes][]) },
    formerRules: formerRules.map(({ rules: of, ...end }) => ({ ...end, rules: rulesOfJson(of) })),
    formerProjects: formerTimesOf(formerProjects),
  }
}

const rulesOfJson = ({ default: others, tiers, sources }: RulesJson): Rules =>
  ({ default: others, tiers: new Map(tiers), sources: new Map(sources) }) as Rules

const ungrouped = (groups: Grouped): [string, ProjectTimes | undefined][] =>
  groups.flatMap(([times, names]) =>
    names.map((name): [string, ProjectTimes | undefined] => [name, times ?? undefined]),
  )

function formerTimesOf(loads: KeptJson['formerProjects']): Map<string, FormerTimes[]> {
  const former = new Map<string, FormerTimes[]>()
  for (const { load, endedAtUs, projects } of [...loads].sort((a, b) => a.load - b.load)) {
    for (const [name, times] of ungrouped(projects)) {
      const list = former.get(name) ?? []
      former.set(name, list)
      list.push({ load, endedAtUs, times })
    }
  }
  return former
}

/** Copies JSON to memory that threads share. */
export function inSharedMemory(text: string): SharedArrayBuffer {
  const bytes = Buffer.from(text)
  const shared = new SharedArrayBuffer(bytes.length)
  new Uint8Array(shared).set(bytes)
  return shared
}
