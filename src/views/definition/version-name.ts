/** The name of an old version of a view: for the grouping up to a day. */
export interface VersionName {
  view: string
  /** The UTC day of the change, `2026-11-28`. */
  day: string
  /** From 1: the place among the changes of that day. */
  number: number
}

const VERSION = /^(.+)@(\d{4}-\d{2}-\d{2})(?:\.([2-9]|[1-9]\d{1,8}))?$/s

/** Parses the name of an old version. Returns undefined for the name of a view, which has no `@`. */
export function readVersionName(name: string): VersionName | undefined {
  const [, view, day, number = '1'] = VERSION.exec(name) ?? []
  return view === undefined ? undefined : { view, day: day!, number: Number(number) }
}

/** Returns `edge.requests@2026-11-28`, or `edge.requests@2026-11-28.2` for a second change on the day. */
export const writeVersionName = ({ view, day, number }: VersionName): string =>
  `${view}@${day}${number === 1 ? '' : `.${number}`}`

/** Returns the name that the old version of a view gets on a UTC day, given the names of all old versions. */
export function nextVersionName(view: string, day: string, names: Iterable<string>): string {
  const numbers = [...names].flatMap((name) => {
    const version = readVersionName(name)
    return version?.view === view && version.day === day ? [version.number] : []
  })
  return writeVersionName({ view, day, number: Math.max(0, ...numbers) + 1 })
}
