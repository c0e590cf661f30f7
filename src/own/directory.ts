import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { usageError } from '../base/settings.js'
import { stampOf } from '../base/stamp.js'

/** Files that are looked at. */
const MOST_FILES = 200

/** What changes with each file, by its name, in the order of names: modules, and helpers, which begin with `_`. */
export type Stamps = ReadonlyMap<string, string>

export const isHelper = (name: string): boolean => name.startsWith('_')

/** The modules of a directory and their helpers. Throws `usage`. */
export function readStamps(directory: string): Stamps {
  const names = namesIn(directory).filter((name) => /\.m?js$/.test(name) && !name.startsWith('.'))
  if (names.length > MOST_FILES) throw usageError(`--endpoints ${directory} has over ${MOST_FILES} modules.`)
  return new Map(names.sort().map((name) => [name, stampOf(join(directory, name)) ?? 'gone']))
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory)
  } catch (error) {
    throw usageError(`--endpoints ${directory} cannot be read: ${(error as Error).message}.`)
  }
}

const MAY_OTHERS_WRITE = 0o022

/** The first of the directory and its files that others may write to; undefined where there is none. */
export function writableByOthers(directory: string, stamps: Stamps): string | undefined {
  const paths = [directory, ...[...stamps.keys()].map((name) => join(directory, name))]
  return paths.find((path) => ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & MAY_OTHERS_WRITE) !== 0)
}
