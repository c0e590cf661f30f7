import { type Dirent, readdirSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { pathError, usageError } from '../base/failures.js'
import { fileVersion } from '../base/files/file-version.js'
import { isSqlFile } from './sql-file.js'

/** Maximum of modules and `.sql` files, and of helpers next to link targets, in a directory of endpoints or rules. */
export const MAX_FILES = 200

/**
 * A version text per file of a directory. The version changes when the file changes. Keys, in this order: names of
 * modules, `.sql` files and helpers, sorted, then paths of helpers next to the targets of links, then names of linked
 * sub-directories, each with a final slash. The value is `gone` if a link has no target.
 */
export type FileVersions = ReadonlyMap<string, string>

/**
 * Returns whether a key of {@link FileVersions} is a helper, which any module may import, rather than a file of
 * endpoints.
 */
export const isHelper = (name: string): boolean => basename(name).startsWith('_') || name.endsWith('/')

const isCode = (name: string) => /\.m?js$/.test(name) && !name.startsWith('.')

/** The files of users in a directory, and the name of the files in error messages. */
export interface DirectoryKind {
  /** The flag that sets the directory. */
  flag: string
  files: string
  /** Whether JavaScript modules are read besides `.sql` files. */
  hasModules: boolean
}

/** A directory of endpoints. */
export const ENDPOINT_FILES: DirectoryKind = { flag: '--endpoints', files: 'files of endpoints', hasModules: true }

/** A `.sql` file that begins with `_` is not read, and no helper either. */
const isWatchedIn =
  ({ hasModules }: DirectoryKind) =>
  (name: string) =>
    (hasModules && isCode(name)) || (isSqlFile(name) && !/^[._]/.test(name))

/**
 * Returns the versions of a directory's modules, `.sql` files and helpers. Throws `usage` if there are too many,
 * `failed` if the directory cannot be read.
 */
export function readFileVersions(directory: string, kind = ENDPOINT_FILES): FileVersions {
  const entries = entriesOf(directory, kind)
  const isWatched = isWatchedIn(kind)
  const names = entries.map(({ name }) => name).filter(isWatched)
  if (names.length > MAX_FILES) throw usageError(`${kind.flag} ${directory} has over ${MAX_FILES} ${kind.files}.`)
  const files = [...names.sort(), ...helpersNextToTargets(directory, names.filter(isCode))]
  const links = entries.filter((entry) => isLinkedDirectory(directory, entry) && !isWatched(entry.name))
  return new Map([
    ...files.map((name) => [name, fileVersion(resolve(directory, name)) ?? 'gone'] as const),
    ...links.map(({ name }) => [`${name}/`, realPathOf(join(directory, name)) ?? 'gone'] as const),
  ])
}

function entriesOf(directory: string, { flag }: DirectoryKind): Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true })
  } catch (error) {
    throw pathError(`${flag} ${directory} cannot be read: ${(error as Error).message}.`, error as Error)
  }
}

/** Returns the paths of helpers outside of the directory: the helpers next to the targets of linked modules. */
function helpersNextToTargets(directory: string, names: readonly string[]): string[] {
  const targets = names.map((name) => realPathOf(join(directory, name))).filter((path) => path !== undefined)
  const folders = new Set(targets.map((path) => dirname(path)))
  folders.delete(realPathOf(directory)!)
  return [...folders].flatMap(helpersIn).slice(0, MAX_FILES)
}

function helpersIn(folder: string): string[] {
  try {
    const names = readdirSync(folder).filter((name) => isCode(name) && isHelper(name))
    return names.sort().map((name) => join(folder, name))
  } catch {
    return []
  }
}

/**
 * A change of a file in a sub-directory takes effect at the next restart only. A change of a link's target takes effect
 * at once.
 */
function isLinkedDirectory(directory: string, entry: Dirent): boolean {
  if (!entry.isSymbolicLink() || entry.name.startsWith('.')) return false
  const target = realPathOf(join(directory, entry.name))
  return target !== undefined && statSync(target, { throwIfNoEntry: false })?.isDirectory() === true
}

/** Returns the path without links, or undefined if a link in the path has no target. */
function realPathOf(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}

/** Mode bits: writable by the group or by all. */
const WRITABLE_BY_OTHERS = 0o022

/**
 * Returns the first path, of the directory and the files, that users other than the owner may write to, or undefined if
 * there is no such path.
 */
export function writableByOthers(directory: string, versions: FileVersions): string | undefined {
  const paths = [directory, ...[...versions.keys()].map((name) => resolve(directory, name))]
  return paths.find((path) => ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & WRITABLE_BY_OTHERS) !== 0)
}
