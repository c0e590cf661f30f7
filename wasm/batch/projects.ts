/** The projects that records are accepted for: all, or a set that the host writes. */
import { areEqual } from '../base/copy'
import { isText } from '../scan/table'
import { reserve } from './regions'
import { hasDefaultProject, locateDefaultProject, locateText, textEnd, textStart } from './texts'

/**
 * Memory for the names, each after its length in four bytes. The host must not write more: it would overwrite its
 * columns.
 */
const MAX_BYTES: usize = 65536
let names: usize = 0
/** Address after the last name; 0 if all projects are allowed. */
let namesEnd: usize = 0
/** The last name that matched, checked first: most streams have runs of one project. */
let last: usize = 0

/** Reserves the memory for the names. */
export function reserveProjects(): void {
  names = reserve(MAX_BYTES)
}

/** Returns the address where the host writes the names. */
export function projectsAddress(): usize {
  return names
}

/**
 * Accepts records of the projects written at `projectsAddress()` only, `bytes` long in total; of all projects if
 * `bytes` is negative.
 */
export function setAllowedProjects(bytes: i32): void {
  namesEnd = bytes < 0 ? 0 : names + bytes
  last = names
}

/**
 * Returns whether the project in this field is allowed. A line without a project has the default one; if there is none,
 * it is allowed only if all projects are.
 */
export function isProjectAllowed(row: usize, project: u32): bool {
  if (namesEnd == 0) return true
  if (isText(row, project)) locateText(row, project)
  else if (hasDefaultProject) locateDefaultProject()
  else return false
  if (last < namesEnd && isName(last)) return true
  for (let name = names; name < namesEnd; name += 4 + load<u32>(name)) {
    if (!isName(name)) continue
    last = name
    return true
  }
  return false
}

/** Returns whether the located text equals this name. */
// @ts-ignore: decorator
@inline
function isName(name: usize): bool {
  const length: usize = load<u32>(name)
  return textEnd - textStart == length && areEqual(name + 4, textStart, length)
}
