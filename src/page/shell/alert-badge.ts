/** The badge in the header: how many alerts fire. */
import { type Alert, fetchAlerts } from '../api/alerts.js'
import { type Failure, sessionSignal } from '../api/api.js'
import { byId } from '../shared/dom.js'

/** Time between two requests of the badge. The view of alerts requests more often. */
const POLL_MS = 60_000
/** Most names of rules in the title. */
const MAX_NAMES = 10

/** The number of alerts that fire, in the header. Hidden while no alert fires. */
export interface AlertBadge {
  /** Starts or stops to request alerts. Stops without a change of the badge. */
  poll(isPolling: boolean): void
  /** Shows alerts that were requested elsewhere. */
  show(alerts: readonly Alert[]): void
  /** Stops, and shows nothing. */
  forget(): void
}

/** Wires the badge. `onFailure`: called if a request failed. The next request may succeed. */
export function createAlertBadge(open: () => void, onFailure: (failure: Failure) => unknown): AlertBadge {
  const badge = byId('firing')
  let timer: ReturnType<typeof setInterval> | undefined
  badge.addEventListener('click', open)

  function show(alerts: readonly Alert[]): void {
    const firing = alerts.filter(({ state }) => state === 'firing')
    badge.hidden = firing.length === 0
    byId('firing-count').textContent = String(firing.length)
    badge.title = titleOf(firing)
    badge.setAttribute('aria-label', badge.title)
  }

  async function request(): Promise<void> {
    if (document.visibilityState !== 'visible') return
    const signal = sessionSignal()
    try {
      const alerts = await fetchAlerts(signal)
      // The view may have shown newer alerts since.
      if (!signal.aborted && timer !== undefined) show(alerts)
    } catch (error) {
      if (!signal.aborted) onFailure(error as Failure)
    }
  }

  function poll(isPolling: boolean): void {
    if (isPolling === (timer !== undefined)) return
    clearInterval(timer)
    timer = isPolling ? setInterval(() => void request(), POLL_MS) : undefined
    if (isPolling) void request()
  }

  return {
    poll,
    show,
    forget() {
      poll(false)
      show([])
    },
  }
}

/** Returns which rules have alerts that fire: `3 alerts fire: errors (2), slow`. */
export function titleOf(firing: readonly Pick<Alert, 'rule'>[]): string {
  const counts = new Map<string, number>()
  for (const { rule } of firing) counts.set(rule, (counts.get(rule) ?? 0) + 1)
  const names = [...counts].map(([rule, count]) => (count === 1 ? rule : `${rule} (${count})`))
  const shown = names.slice(0, MAX_NAMES).join(', ')
  const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more rules` : ''
  return `${firing.length === 1 ? '1 alert fires' : `${firing.length} alerts fire`}: ${shown}${more}`
}
