import { dayName, parseDayName } from '../../engine/store/files/file-names.js'

/**
 * The folder of a data directory with the groups of views:
 *
 *   views/catalog.json                 see `Manifest`
 *   views/<identity>/<day>-<number>    groups of a view and a UTC day, see `StateFacts`
 *
 * Two files never have the same number, whatever becomes of the files.
 */
export const VIEWS = 'views'
/** The list of the views. */
export const MANIFEST = `${VIEWS}/catalog.json`
/** The list that is being written. */
export const NEW_MANIFEST = `${MANIFEST}.new`

const DIGITS = 8

/** The facts in the path of a file of groups. */
export interface StatePlace {
  identity: string
  /** The UTC day, in days since the epoch. */
  day: number
  number: number
}

/** Returns the folder of a view. */
export const viewPath = (identity: string): string => `${VIEWS}/${identity}`

/** Returns the path of a file of groups. */
export const statePath = ({ identity, day, number }: StatePlace): string =>
  `${viewPath(identity)}/${dayName(day)}-${String(number).padStart(DIGITS, '0')}`

/** Whether a name has the form of a view's folder. */
export const isIdentity = (name: string): boolean => /^[0-9a-f]{64}$/.test(name)

/** Returns the facts in a path. Undefined if the path is not that of a file of groups. */
export function parseStatePath(path: string): StatePlace | undefined {
  const [, identity, dayText, number] = /^views\/([0-9a-f]{64})\/([+-]?\d+-\d\d-\d\d)-(\d+)$/.exec(path) ?? []
  const day = parseDayName(dayText ?? '')
  if (identity === undefined || day === undefined) return undefined
  const place = { identity, day, number: Number(number) }
  return statePath(place) === path ? place : undefined
}
