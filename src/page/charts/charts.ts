/** The view of charts over a time range: requests, invocations, and the endpoints of the service's owner. */
import { Failure } from '../api/api.js'
import { type Bounds, boundsOf } from '../shared/range.js'
import { createInvocations } from './invocations.js'
import { createOthers } from './others.js'
import type { Panel } from './panel.js'
import { createRequests } from './requests.js'
import type { ChartsView } from './view.js'

/** Time between two refreshes while the charts follow new rows. */
const LIVE_MS = 2_000

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
interface ChartPanels {
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
  const charts: ChartPanels = {
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
      charts.shown = { project, range }
      if (!isOpen(charts)) setLive(charts, false)
      void load(charts, false)
    },
    refresh: () => void load(charts, true),
    update: () => update(charts),
    toggleLive() {
      const isLive = charts.live === undefined
      // New rows have no place in a range that has an end.
      if (isLive && !isOpen(charts)) host.choose({ ...boundsOf(charts.shown.range, 0), toUs: undefined })
      setLive(charts, isLive)
    },
    stop() {
      cancel(charts)
      setLive(charts, false)
    },
    redraw() {
      for (const part of [charts.requests, charts.invocations, charts.others]) part.redraw()
    },
  }
}

/** Whether the range grows with time. */
const isOpen = ({ shown }: ChartPanels) => boundsOf(shown.range, 0).toUs === undefined

function cancel(charts: ChartPanels): void {
  clearTimeout(charts.retry)
  charts.loading.abort()
  charts.isLoading = false
}

function setLive(charts: ChartPanels, isLive: boolean): void {
  if (isLive === (charts.live !== undefined)) return
  clearInterval(charts.live)
  const follow = () => document.visibilityState === 'visible' && update(charts)
  charts.live = isLive ? setInterval(follow, LIVE_MS) : undefined
  charts.host.onLive(isLive)
}

/** A slow service would never finish an answer if each update ended the previous request. */
function update(charts: ChartPanels): void {
  if (!charts.isLoading) void load(charts, false)
}

/** Loads all panels, and aborts their previous requests. All have the same bounds. */
async function load(charts: ChartPanels, isFresh: boolean): Promise<void> {
  cancel(charts)
  charts.loading = new AbortController()
  const { signal } = charts.loading
  const nowUs = Date.now() * 1_000
  const view = { ...charts.shown, bounds: boundsOf(charts.shown.range, nowUs), nowUs }
  charts.isLoading = true
  // The panels of `others` show their own failures. A failure of the list also occurs in the other panels.
  const others = charts.others.load(view, isFresh, signal).catch(() => {})
  const outcomes = [charts.requests, charts.invocations].map(async ({ panel, load: loadPanel }) => {
    panel.loading()
    try {
      await loadPanel(view, signal)
      return true
    } catch (error) {
      if (!signal.aborted) failed(charts, error, panel)
      return false
    }
  })
  if ((await Promise.all(outcomes)).every(Boolean)) charts.host.notify('')
  await others
  if (!signal.aborted) charts.isLoading = false
}

/** Shows a failure in its panel, and schedules a retry if that is the remedy. */
function failed(charts: ChartPanels, error: unknown, panel: Panel): void {
  if (!(error instanceof Failure)) throw error
  if (charts.host.isHandled(error)) return
  panel.failed(error)
  if (error.retryS === undefined) return
  charts.host.notify(`${error.message} Retrying …`)
  clearTimeout(charts.retry)
  charts.retry = setTimeout(() => void load(charts, false), error.retryS * 1_000)
}
