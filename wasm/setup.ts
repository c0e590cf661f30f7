/**
 * Entry point: sizes, batch builders, names and rules, set once by the host; defaults and projects, set again at any
 * time.
 */
import { BYTES } from './base/input'
import { addBuilder, addColumn, clearBuilder } from './batch/batch-builder'
import { setNewestHidden } from './batch/limits'
import { reserveMemberNames } from './batch/member-names'
import { projectsAddress, reserveProjects, setAllowedProjects } from './batch/projects'
import { replacementAddress, reservedEnd, setBatchLimits, setSizes } from './batch/regions'
import { reserveScratch, setDefaultProject } from './batch/texts'
import { acceptUnreadableTimes, setDefaultBuilder, setRetention } from './batch/validate'
import { addArea } from './fields/areas'
import { addOwnName, addSourceName, clearOwnNames, ownNameAddress, setOwnBuilder } from './fields/sources'
import { addPathKey } from './scan/paths'
import { addMessageName, addTimeName, clearFieldNames } from './scan/time-and-message'

export {
  acceptUnreadableTimes,
  addArea,
  addColumn,
  addBuilder,
  addMessageName,
  addOwnName,
  addPathKey,
  addSourceName,
  addTimeName,
  setAllowedProjects,
  clearFieldNames,
  clearBuilder,
  clearOwnNames,
  ownNameAddress,
  projectsAddress,
  replacementAddress,
  reserveMemberNames,
  reserveProjects,
  reserveScratch,
  reservedEnd,
  setBatchLimits,
  setDefaultBuilder,
  setNewestHidden,
  setOwnBuilder,
  setRetention,
  setSizes,
}

/**
 * Sets the defaults of the next lines: the index of the builder for records without a known source, or UNKNOWN or NEW,
 * and the length of the project for records without one, which the host has written to the input, or -1 for none.
 */
export function setDefaults(builder: i32, projectLength: i32): void {
  setDefaultBuilder(builder)
  setDefaultProject(BYTES, projectLength)
}

/** Returns the address where the host writes the input: bytes to scan, or names to register. */
export function bytesAddress(): usize {
  return BYTES
}
