import { usageError } from '../base/failures.js'
import { didYouMean } from '../base/text/nearest.js'
import { shorten } from '../base/text/shorten.js'
import { MIB } from '../base/units.js'
import { isSourceName } from '../common/own-source-names.js'
import { nameOfSource, type SourceName } from '../common/sources.js'
import { readTomlFile } from '../config/toml-file.js'
import { type Entry, fault, isTable, type ParseContext, readMembers, readRowsTime, readTime } from './entry.js'
import { placeIn } from './place-in.js'
import type { ProjectTimes, Retention, Rules, SourceTime, Times } from './rules.js'

/** The most projects that a retention file names. */
export const MAX_PROJECTS = 200_000
/** The most tiers, and the most sources, of a retention file. */
export const MAX_TIERS = 1_000
/** The longest retention file, in bytes. */
export const MAX_FILE_BYTES = 32 * MIB

const NAMES = { content: 'the times of rows', file: 'a retention file', maxBytes: MAX_FILE_BYTES }
const SECTIONS = ['default', 'views', 'tiers', 'projects', 'sources']
/** The most tiers that an error message names. */
const MAX_NAMED = 20

/**
 * Reads a retention file. No row is kept longer than `mostUs`, the retention of the service. Throws `usage` with one
 * line that names the file, the line and the remedy, and `failed` if the file cannot be read.
 */
export function readRetentionFile(path: string, mostUs: number): Retention {
  const { table, source } = readTomlFile(path, NAMES)
  return parseRetention(table, { mostUs, placeOf: (section, name) => placeIn(path, source, section, name) })
}

/** Checks the table of a retention file. Throws the errors of {@link readRetentionFile} about the content. */
export function parseRetention(table: Readonly<Record<string, unknown>>, context: ParseContext): Retention {
  for (const name of Object.keys(table)) {
    if (!SECTIONS.includes(name)) throw fault({ name }, `is unknown. ${didYouMean(name, SECTIONS)}`, context)
  }
  const entriesOf = (section: string, most: number) => readEntries(table[section], section, most, context)
  const tiers = new Map(entriesOf('tiers', MAX_TIERS).map((entry) => [entry.name, readTier(entry, context)]))
  const sources = new Map(entriesOf('sources', MAX_TIERS).map((entry) => readSource(entry, context)))
  return {
    rules: { default: readDefault(table, context), tiers, sources },
    projects: readProjects(entriesOf('projects', MAX_PROJECTS), tiers, context),
  }
}

function readEntries(section: unknown, name: string, most: number, context: ParseContext): Entry[] {
  if (section === undefined) return []
  if (!isTable(section)) throw fault({ name }, `is not a section. Write [${name}] on a line by itself.`, context)
  const all = Object.entries(section)
  if (all.length <= most) return all.map(([one, value]) => ({ section: name, name: one, value }))
  throw usageError(`${context.placeOf(undefined, name)}: [${name}] has over ${most.toLocaleString('en-US')} entries.`)
}

function readDefault({ default: rows, views }: Readonly<Record<string, unknown>>, context: ParseContext) {
  return {
    rowsUs: rows === undefined ? context.mostUs : readRowsTime({ name: 'default' }, rows, context),
    ...(views !== undefined && { viewsUs: readTime({ name: 'views' }, views, context) }),
  } satisfies Rules['default']
}

function readTier(tier: Entry, context: ParseContext): Times {
  if (/^\d/.test(tier.name)) throw fault(tier, 'starts with a digit, as times do. Give the tier another name.', context)
  if (typeof tier.value === 'string') return { rowsUs: readRowsTime(tier, tier.value, context) }
  const { rows, views } = readMembers(tier, ['rows', 'views'], context)
  return {
    ...(rows !== undefined && { rowsUs: readRowsTime(tier, rows, context) }),
    ...(views !== undefined && { viewsUs: readTime(tier, views, context) }),
  }
}

/** Returns the times of projects. Projects with the same tier or time share an object. */
function readProjects(entries: readonly Entry[], tiers: Rules['tiers'], context: ParseContext) {
  const byText = new Map<unknown, ProjectTimes>()
  const projects = new Map<string, ProjectTimes>()
  for (const entry of entries) {
    const times = byText.get(entry.value) ?? readProject(entry, tiers, context)
    if (typeof entry.value === 'string') byText.set(entry.value, times)
    projects.set(entry.name, times)
  }
  return projects
}

function readProject(project: Entry, tiers: Rules['tiers'], context: ParseContext): ProjectTimes {
  if (!isTable(project.value)) return readTierOrTime(project, project.value, tiers, context)
  const { rows, views } = readMembers(project, ['rows', 'views'], context)
  return {
    ...(rows !== undefined && readTierOrTime(project, rows, tiers, context)),
    ...(views !== undefined && { viewsUs: readTime(project, views, context) }),
  }
}

function readTierOrTime(project: Entry, value: unknown, tiers: Rules['tiers'], context: ParseContext): ProjectTimes {
  if (typeof value === 'string' && tiers.has(value)) return { tier: value }
  if (typeof value !== 'string' || /^\d/.test(value)) return { rowsUs: readRowsTime(project, value, context) }
  const shown = JSON.stringify(shorten(value, 64))
  const remedy = tiers.size === 0 ? 'Add it to [tiers].' : didYouMean(value, [...tiers.keys()].slice(0, MAX_NAMED))
  throw fault(project, `has the tier ${shown}, which is not in [tiers]. ${remedy}`, context)
}

function readSource(source: Entry, context: ParseContext): [SourceName, SourceTime] {
  const name = nameOfSource(source.name)
  if (!isSourceName(name)) throw fault(source, 'cannot be the name of a source.', context)
  if (typeof source.value === 'string') {
    return [name, { us: readRowsTime(source, source.value, context), isLeast: false }]
  }
  const { time, at_least: isLeast = false } = readMembers(source, ['time', 'at_least'], context)
  if (typeof isLeast === 'boolean') return [name, { us: readRowsTime(source, time, context), isLeast }]
  throw fault(source, 'has an at_least that is neither true nor false.', context)
}
