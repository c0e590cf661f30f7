/** The first door, by which the host lays everything out: sizes, lanes and their names, rules, once; the projects again and again. */
import { BYTES } from './base/input'
import { setDefaultLane, setRules } from './batch/judge'
import { addColumn, addLane, clearLane } from './batch/lanes'
import { reserveNames } from './batch/member-names'
import { bindProjects, projectsAddress, reserveProjects } from './batch/projects'
import { reservedEnd, setSizes } from './batch/regions'
import { reserveScratch, setDefaultProject } from './batch/texts'
import { addArea } from './fields/areas'
import { addName } from './fields/sources'
import { addMessageName, addTimeName, clearFieldNames } from './scan/time-and-message'

export {
  addArea,
  addColumn,
  addLane,
  addMessageName,
  addName,
  addTimeName,
  bindProjects,
  clearFieldNames,
  clearLane,
  projectsAddress,
  reserveNames,
  reserveProjects,
  reserveScratch,
  reservedEnd,
  setRules,
  setSizes,
}

/**
 * Sets what holds for the lines to come: the lane of records that name no source, or -1; the length of the project of
 * those that name none, whose text stands where the bytes to scan begin, or -1.
 */
export function setDefaults(lane: i32, projectLength: i32): void {
  setDefaultLane(lane)
  setDefaultProject(BYTES, projectLength)
}

/** Where the host puts the bytes to scan, and before that the names that it gives. */
export function bytesAddress(): usize {
  return BYTES
}
