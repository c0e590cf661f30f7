/** The view of charts: requests, function invocations, and the endpoints of the service's owner. */
import { Failure } from '../api/api.js'
import { createCounts } from './counts.js'
import { intervalOf } from './intervals.js'
import { createInvocations } from './invocations.js'
import { createOthers } from './others.js'
import type { Panel } from './panel.js'
import type { ChartsState } from './state.js'

/** Callbacks of the view to the page. */
export interface ChartsHost {
  /** Returns true if the page handled the failure: it signed out. */
  isHandled(failure: Failure): boolean
  /** Shows a message above the view; empty for none. */
  notify(text: string): void
}

/** The view. */
export interface Charts {
  /** Shows the charts of a project over the smallest interval that has `windowS` seconds. */
  show(project: string, windowS: number): void
  /** Loads the same charts again; `isFresh`: without the cache. */
  refresh(isFresh: boolean): void
  stop(): void
  /** Draws again, with the colours of the current theme. */
  redraw(): void
}

/** Creates the view in the page's elements. */
export function createCharts(host: ChartsHost): Charts {
  const [counts, invocations, others] = [createCounts(), createInvocations(), createOthers()]
  let state: ChartsState = { project: '', interval: '7day' }
  let loading = new AbortController()
  let retry: ReturnType<typeof setTimeout> | undefined

  function stop(): void {
    clearTimeout(retry)
    loading.abort()
  }

  /** Shows a failure in its panel, and schedules a retry if that is the remedy. */
  function failed(error: unknown, panel: Panel): void {
    if (!(error instanceof Failure)) throw error
    if (host.isHandled(error)) return
    panel.failed(error)
    if (error.retryS === undefined) return
    host.notify(`${error.message} Retrying …`)
    clearTimeout(retry)
    retry = setTimeout(() => void load(false), error.retryS * 1_000)
  }

  /** Loads all panels, and aborts their previous requests. */
  async function load(isFresh: boolean): Promise<void> {
    stop()
    loading = new AbortController()
    const { signal } = loading
    // These panels show their own failures; a failure of the list also occurs in the others.
    void others.load(state, isFresh, signal).catch(() => {})
    const outcomes = [counts, invocations].map(async ({ panel, load: loadPanel }) => {
      panel.loading()
      try {
        await loadPanel(state, isFresh, signal)
        return true
      } catch (error) {
        if (!signal.aborted) failed(error, panel)
        return false
      }
    })
    if ((await Promise.all(outcomes)).every(Boolean)) host.notify('')
  }

  return {
    show(project, windowS) {
      state = { project, interval: intervalOf(windowS) }
      void load(false)
    },
    refresh: (isFresh) => void load(isFresh),
    stop,
    redraw() {
      for (const part of [counts, invocations, others]) part.redraw()
    },
  }
}
