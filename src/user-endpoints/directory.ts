import { type Dirent, readdirSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { pathError, usageError } from '../base/failures.js'
import { fileVersion } from '../base/file-version.js'

/** Files that are looked at. */
const MOST_FILES = 200

/**
 * What changes with each file of a directory: first modules and helpers by their names, in order; then helpers next to the
 * targets of links, by their paths; then linked sub-directories, by their names with a slash behind.
 */
export type Stamps = ReadonlyMap<string, string>

/** Whether a name of {@link Stamps} can be part of any module, rather than being one. */
export const isHelper = (name: string): boolean => basename(name).startsWith('_') || name.endsWith('/')

const isCode = (name: string) => /\.m?js$/.test(name) && !name.startsWith('.')

/** The modules of a directory and their helpers. Throws `usage`, or `failed` if the directory cannot be read. */
export function readStamps(directory: string): Stamps {
  const entries = entriesOf(directory)
  const names = entries.map(({ name }) => name).filter(isCode)
  if (names.length > MOST_FILES) throw usageError(`--endpoints ${directory} has over ${MOST_FILES} modules.`)
  const files = [...names.sort(), ...helpersNextToTargets(directory, names)]
  const links = entries.filter((entry) => isLinkedDirectory(directory, entry))
  return new Map([
    ...files.map((name) => [name, fileVersion(resolve(directory, name)) ?? 'gone'] as const),
    ...links.map(({ name }) => [`${name}/`, realPathOf(join(directory, name)) ?? 'gone'] as const),
  ])
}

function entriesOf(directory: string): Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true })
  } catch (error) {
    throw pathError(`--endpoints ${directory} cannot be read: ${(error as Error).message}.`, error as Error)
  }
}

/** Paths of the helpers that modules import from where they really are, outside of the directory. */
function helpersNextToTargets(directory: string, names: readonly string[]): string[] {
  const targets = names.map((name) => realPathOf(join(directory, name))).filter((path) => path !== undefined)
  const folders = new Set(targets.map((path) => dirname(path)))
  folders.delete(realPathOf(directory)!)
  return [...folders].flatMap(helpersIn).slice(0, MOST_FILES)
}

function helpersIn(folder: string): string[] {
  try {
    const names = readdirSync(folder).filter((name) => isCode(name) && isHelper(name))
    return names.sort().map((name) => join(folder, name))
  } catch {
    return []
  }
}

/** Its files change at a restart only, as those of all sub-directories do, but its target can be replaced as a whole. */
function isLinkedDirectory(directory: string, entry: Dirent): boolean {
  if (!entry.isSymbolicLink() || entry.name.startsWith('.') || isCode(entry.name)) return false
  const target = realPathOf(join(directory, entry.name))
  return target !== undefined && statSync(target, { throwIfNoEntry: false })?.isDirectory() === true
}

/** The path without links; undefined if a link in it has no target. */
function realPathOf(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}

const MAY_OTHERS_WRITE = 0o022

/** The first of the directory and its files that others may write to; undefined where there is none. */
export function writableByOthers(directory: string, stamps: Stamps): string | undefined {
  const paths = [directory, ...[...stamps.keys()].map((name) => resolve(directory, name))]
  return paths.find((path) => ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & MAY_OTHERS_WRITE) !== 0)
}
