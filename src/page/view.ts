import { type IntervalName, isInterval } from './intervals.js'

/** What the page shows; it stands in the fragment of its address, so that a link shows the same. Never a token. */
export interface View {
  /** Empty: none is chosen. */
  project: string
  interval: IntervalName
  search: string
}

const USUAL: IntervalName = '7day'

export function viewOf(fragment: string): View {
  const given = new URLSearchParams(fragment.replace(/^#/, ''))
  const interval = given.get('interval') ?? ''
  return {
    project: given.get('project') ?? '',
    interval: isInterval(interval) ? interval : USUAL,
    search: given.get('search') ?? '',
  }
}

export function fragmentOf({ project, interval, search }: View): string {
  const shown = Object.entries({ project, interval: project && interval, search }).filter(([, value]) => value !== '')
  return shown.length === 0 ? '' : `#${new URLSearchParams(shown)}`
}
