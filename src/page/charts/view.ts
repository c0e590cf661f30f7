import { type IntervalName, isInterval } from './intervals.js'

/**
 * The state of the page. It is stored in the fragment of the page's URL, so that a link shows the same; never a token.
 */
export interface View {
  /** Empty if none is chosen. */
  project: string
  interval: IntervalName
  search: string
}

const DEFAULT_INTERVAL: IntervalName = '7day'

/** Returns the view of a URL fragment; a missing or invalid field has its default. */
export function viewOf(fragment: string): View {
  const given = new URLSearchParams(fragment.replace(/^#/, ''))
  const interval = given.get('interval') ?? ''
  return {
    project: given.get('project') ?? '',
    interval: isInterval(interval) ? interval : DEFAULT_INTERVAL,
    search: given.get('search') ?? '',
  }
}

/** Returns the URL fragment of a view, with its `#`; empty if the view is. */
export function fragmentOf({ project, interval, search }: View): string {
  const shown = Object.entries({ project, interval: project && interval, search }).filter(([, value]) => value !== '')
  return shown.length === 0 ? '' : `#${new URLSearchParams(shown)}`
}
