import { parse } from 'smol-toml'
import { DAY_US, HOUR_US } from '../../src/base/units.js'
import { durationText } from '../../src/front-matter/duration.js'
import { forgetThrough, replaceCurrent, withoutHistory } from '../../src/retention/history.js'
import { keptOfJson, keptToJson } from '../../src/retention/kept-json.js'
import { parseRetention } from '../../src/retention/parse.js'
import { below, oneOf, type Random } from '../support/random.js'

/** Random retention files, and their meaning by obvious code. */

export const MOST_US = 90 * DAY_US
export const PROJECTS = ['a', 'b', 'c', '__proto__', 'constructor', 'x.y', undefined]
export const SOURCES = ['edge_logs', 'auth_logs', 'nginx', 'alert_events']
const TIERS = ['free', 'pro', 'team']

type Time = string
interface Member {
  rows?: string
  views?: Time
}

/** The content of a file, as written. */
export interface FileModel {
  default?: Time
  views?: Time
  tiers: Record<string, Time | Member>
  projects: [string, string | Member][]
  sources: [string, Time | { time: Time; at_least?: boolean }][]
}

const randomTime = (random: Random): Time =>
  durationText(random() < 0.5 ? (1 + below(random, 90)) * DAY_US : (1 + below(random, 200)) * HOUR_US)

export function randomFile(random: Random): FileModel {
  const some = <T>(items: readonly T[], share: number) => items.filter(() => random() < share)
  const tiers = Object.fromEntries(
    some(TIERS, 0.8).map((name) => [
      name,
      random() < 0.6
        ? randomTime(random)
        : { ...(random() < 0.8 && { rows: randomTime(random) }), ...(random() < 0.5 && { views: randomTime(random) }) },
    ]),
  )
  const rows = () =>
    random() < 0.7 && Object.keys(tiers).length > 0 ? oneOf(random, Object.keys(tiers)) : randomTime(random)
  const named = PROJECTS.filter((name) => name !== undefined)
  return {
    ...(random() < 0.7 && { default: randomTime(random) }),
    ...(random() < 0.3 && { views: randomTime(random) }),
    tiers,
    projects: some(named, 0.6).map((name) => [
      name,
      random() < 0.8
        ? rows()
        : { ...(random() < 0.7 && { rows: rows() }), ...(random() < 0.5 && { views: randomTime(random) }) },
    ]),
    sources: some(SOURCES, 0.4).map((name) => [
      name,
      random() < 0.4 ? randomTime(random) : { time: randomTime(random), at_least: random() < 0.7 },
    ]),
  }
}

/** Changes parts of a file, so that some times stay. */
export function changedFile(random: Random, file: FileModel): FileModel {
  const other = randomFile(random)
  const tiers = { ...file.tiers, ...(random() < 0.3 && other.tiers) }
  const known = (value: string | Member) => {
    const rows = typeof value === 'string' ? value : value.rows
    return rows === undefined || rows in tiers || /^\d/.test(rows)
  }
  return {
    ...(random() < 0.2 ? { default: other.default ?? '90d' } : { default: file.default ?? '90d' }),
    ...(file.views !== undefined && { views: file.views }),
    tiers,
    projects: (random() < 0.5 ? other.projects : file.projects).filter(([, value]) => known(value)),
    sources: random() < 0.2 ? other.sources : file.sources,
  }
}

const inline = (value: string | object): string =>
  typeof value === 'string'
    ? JSON.stringify(value)
    : `{ ${Object.entries(value)
        .map(([name, one]) => `${name} = ${JSON.stringify(one)}`)
        .join(', ')} }`

export function fileText({ default: others, views, tiers, projects, sources }: FileModel): string {
  const lines = (entries: readonly (readonly [string, string | object])[]) =>
    entries.map(([name, value]) => `${JSON.stringify(name)} = ${inline(value)}`)
  return [
    ...(others === undefined ? [] : [`default = "${others}"`]),
    ...(views === undefined ? [] : [`views = "${views}"`]),
    ...['[tiers]', ...lines(Object.entries(tiers))],
    ...['[projects]', ...lines(projects)],
    ...['[sources]', ...lines(sources)],
    '',
  ].join('\n')
}

/** Parses a file as the service does. */
export const parseText = (text: string, mostUs = MOST_US) =>
  parseRetention(parse(text), { mostUs, placeOf: (_, name) => `line of ${name}` })

function us(time: Time): number {
  const hours = time.endsWith('d') ? 24 : 1
  return Number(time.slice(0, -1)) * hours * HOUR_US
}

const member = (value: string | Member | undefined): Member =>
  typeof value === 'string' ? { rows: value } : (value ?? {})

/** How long rows of a project in a source are kept, as the file says. */
export function rowsTime(file: FileModel, source: string, project: string | undefined): number {
  const said = member(file.projects.find(([name]) => name === project)?.[1]).rows
  const tier = said !== undefined && Object.hasOwn(file.tiers, said)
  const written = tier ? member(file.tiers[said]).rows : said
  const ofProject = us(written ?? file.default ?? '90d')
  const ofSource = file.sources.find(([name]) => name === source)?.[1]
  if (ofSource === undefined) return ofProject
  if (typeof ofSource === 'string') return Math.min(ofProject, us(ofSource))
  return ofSource.at_least === true ? Math.max(ofProject, us(ofSource.time)) : Math.min(ofProject, us(ofSource.time))
}

/** How long groups of views of a project are kept at most. */
export function viewsTime(file: FileModel, project: string | undefined): number {
  const own = member(file.projects.find(([name]) => name === project)?.[1])
  const tier = own.rows !== undefined && Object.hasOwn(file.tiers, own.rows) ? member(file.tiers[own.rows]) : {}
  const written = own.views ?? tier.views ?? file.views
  return written === undefined ? Number.POSITIVE_INFINITY : us(written)
}

/** The settled time is at most this far behind the clock. */
export const SETTLING_US = 5 * DAY_US
const START_US = 1_800_000_000_000_000

/** A file, and until when it held. */
export interface Held {
  file: FileModel
  untilUs: number
}

/** The time through which rows are hidden: by the file that holds, or by an earlier one when it ended. */
export function hiddenThrough(held: readonly Held[], nowUs: number, timeOf: (file: FileModel) => number): number {
  return Math.max(...held.map(({ file, untilUs }) => Math.min(untilUs, nowUs) - timeOf(file)))
}

/** Loads random files one after the other. Restarts and forgetting in between change nothing. */
export function randomHistory(random: Random) {
  let nowUs = START_US
  let file = randomFile(random)
  let kept = withoutHistory(parseText(fileText(file)))
  const held: Held[] = []
  for (let changes = below(random, 8); changes > 0; changes--) {
    nowUs += random() < 0.1 ? 0 : below(random, oneOf(random, [HOUR_US, 10 * DAY_US, 60 * DAY_US]))
    held.push({ file, untilUs: nowUs })
    file = random() < 0.2 ? randomFile(random) : changedFile(random, file)
    kept = replaceCurrent(kept, parseText(fileText(file)), nowUs)
    if (random() < 0.3) kept = keptOfJson(keptToJson(kept))
    if (random() < 0.3) kept = forgetThrough(kept, nowUs - SETTLING_US - MOST_US)
  }
  return { kept, nowUs, held: [...held, { file, untilUs: Number.POSITIVE_INFINITY }] }
}
