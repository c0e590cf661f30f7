/** The view of charts over a time range: requests, invocations, and the endpoints of the service's owner. */
import { Failure } from '../api/api.js'
import { type Bounds, boundsOf } from '../shared/range.js'
import { createInvocations } from './invocations.js'
import { createOthers } from './others.js'
import type { Panel } from './panel.js'
import { createRequests } from './requests.js'
import type { ChartsView } from './view.js'

/** Time between two refreshes while the charts follow new rows. */
const LIVE_MS = 5_000

/** Callbacks of the view to the page. */
export interface ChartsHost {
  /** Shows another range, in all charts and in the list. */
  choose(range: Bounds): void
  /** Returns the address of the page with the state, with another range if given, without the token. */
  linkOf(range: Bounds | undefined): string
  /** Returns true if the page handled the failure by signing out. */
  isHandled(failure: Failure): boolean
  /** Shows a message above the view. Empty: no message. */
  notify(text: string): void
  /** Called when following new rows starts or stops. */
  onLive(isLive: boolean): void
}

/** The view. */
export interface Charts {
  /** Shows the charts of a project over a range. */
  show(shown: Pick<ChartsView, 'project' | 'range'>): void
  /** Loads the same charts again, without the cache. */
  refresh(): void
  /** Loads the same charts again, unless the charts are still loading. */
  update(): void
  /** Starts or stops following new rows. */
  toggleLive(): void
  /** Ends all requests, and following. */
  stop(): void
  /** Draws again, with the colours of the current theme. */
  redraw(): void
}

/** The panels and the state of the view. */
interface Parts {
  readonly host: ChartsHost
  readonly requests: ReturnType<typeof createRequests>
  readonly invocations: ReturnType<typeof createInvocations>
  readonly others: ReturnType<typeof createOthers>
  shown: Pick<ChartsView, 'project' | 'range'>
  loading: AbortController
  retry: ReturnType<typeof setTimeout> | undefined
  live: ReturnType<typeof setInterval> | undefined
  isLoading: boolean
}

/** Creates the view in the page's elements. */
export function createCharts(host: ChartsHost): Charts {
  const parts: Parts = {
    host,
    requests: createRequests(host.choose, host.linkOf),
    invocations: createInvocations(host.choose, host.linkOf),
    others: createOthers(host.linkOf),
    shown: { project: '', range: { preset: '1hr' } },
    loading: new AbortController(),
    retry: undefined,
    live: undefined,
    isLoading: false,
  }
  return {
    show({ project, range }) {
      parts.shown = { project, range }
      if (!isOpen(parts)) setLive(parts, false)
      void load(parts, false)
    },
    refresh: () => void load(parts, true),
    update: () => update(parts),
    toggleLive() {
      const isLive = parts.live === undefined
      // New rows have no place in a range that has an end.
      if (isLive && !isOpen(parts)) host.choose({ ...boundsOf(parts.shown.range, 0), toUs: undefined })
      setLive(parts, isLive)
    },
    stop() {
      cancel(parts)
      setLive(parts, false)
    },
    redraw() {
      for (const part of [parts.requests, parts.invocations, parts.others]) part.redraw()
    },
  }
}

/** Whether the range grows with time. */
const isOpen = ({ shown }: Parts) => boundsOf(shown.range, 0).toUs === undefined

function cancel(parts: Parts): void {
  clearTimeout(parts.retry)
  parts.loading.abort()
  parts.isLoading = false
}

function setLive(parts: Parts, isLive: boolean): void {
  if (isLive === (parts.live !== undefined)) return
  clearInterval(parts.live)
  const follow = () => document.visibilityState === 'visible' && update(parts)
  parts.live = isLive ? setInterval(follow, LIVE_MS) : undefined
  parts.host.onLive(isLive)
}

/** A slow service would never finish an answer if each update ended the previous request. */
function update(parts: Parts): void {
  if (!parts.isLoading) void load(parts, false)
}

/** Loads all panels, and aborts their previous requests. All have the same bounds. */
async function load(parts: Parts, isFresh: boolean): Promise<void> {
  cancel(parts)
  parts.loading = new AbortController()
  const { signal } = parts.loading
  const nowUs = Date.now() * 1_000
  const view = { ...parts.shown, bounds: boundsOf(parts.shown.range, nowUs), nowUs }
  parts.isLoading = true
  // The panels of `others` show their own failures. A failure of the list also occurs in the other panels.
  const others = parts.others.load(view, isFresh, signal).catch(() => {})
  const outcomes = [parts.requests, parts.invocations].map(async ({ panel, load: loadPanel }) => {
    panel.loading()
    try {
      await loadPanel(view, signal)
      return true
    } catch (error) {
      if (!signal.aborted) failed(parts, error, panel)
      return false
    }
  })
  if ((await Promise.all(outcomes)).every(Boolean)) parts.host.notify('')
  await others
  if (!signal.aborted) parts.isLoading = false
}

/** Shows a failure in its panel, and schedules a retry if that is the remedy. */
function failed(parts: Parts, error: unknown, panel: Panel): void {
  if (!(error instanceof Failure)) throw error
  if (parts.host.isHandled(error)) return
  panel.failed(error)
  if (error.retryS === undefined) return
  parts.host.notify(`${error.message} Retrying …`)
  clearTimeout(parts.retry)
  parts.retry = setTimeout(() => void load(parts, false), error.retryS * 1_000)
}
