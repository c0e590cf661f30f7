/** The projects whose records are taken: all, or those that the host has said. */
import { areEqual } from '../base/copy'
import { isText } from '../scan/table'
import { reserve } from './regions'
import { hasDefaultProject, locate, locateDefaultProject, textEnd, textStart } from './texts'

/** Room for the names, each behind its length in four bytes. A host that puts more there writes over its own columns. */
const MAX_BYTES: usize = 65536
let names: usize = 0
/** Where the names end; 0 while the records of all projects are taken. */
let namesEnd: usize = 0
/** The name found last: streams are mostly runs of one project. */
let last: usize = 0

export function reserveProjects(): void {
  names = reserve(MAX_BYTES)
}

/** Where the host puts the names. */
export function projectsAddress(): usize {
  return names
}

/** From now on the records of these projects only are taken, whose names are so many bytes; of all if that is negative. */
export function bindProjects(bytes: i32): void {
  namesEnd = bytes < 0 ? 0 : names + bytes
  last = names
}

/** Whether a line may be taken whose project this field holds: one without a project and a default only where those of all are. */
export function isOfTakenProject(row: usize, project: u32): bool {
  if (namesEnd == 0) return true
  if (isText(row, project)) locate(row, project)
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

/** Whether the text located last is this name. */
// @ts-ignore: decorator
@inline
function isName(name: usize): bool {
  const length: usize = load<u32>(name)
  return textEnd - textStart == length && areEqual(name + 4, textStart, length)
}
