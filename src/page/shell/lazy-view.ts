import type { State } from '../explore/state.js'
import type { View } from './view.js'

/** A view that is created when it is shown for the first time. */
export interface LazyView extends View {
  /** Discards the view with its data, since another user may sign in. The next `show` creates it again. */
  forget(): void
}

/**
 * Returns a view that loads its modules when it is shown for the first time. `onFailure` is called if that fails while
 * the view is shown; the next `show` tries again.
 */
export function createLazyView(load: () => Promise<View>, onFailure: () => void): LazyView {
  let loading: Promise<View> | undefined
  let view: View | undefined
  /** The state to show when the modules are there; undefined if another view is shown. */
  let wanted: State | undefined

  async function start(): Promise<void> {
    const mine = (loading ??= load())
    try {
      const loaded = await mine
      if (loading !== mine) return
      view = loaded
    } catch {
      // Another user may have signed in, for whom the modules load again.
      if (loading !== mine) return
      loading = undefined
      if (wanted !== undefined) onFailure()
      return
    }
    if (wanted !== undefined) view.show(wanted)
  }

  return {
    show(state) {
      wanted = state
      if (view === undefined) void start()
      else view.show(state)
    },
    refresh: () => view?.refresh(),
    stop() {
      wanted = undefined
      view?.stop()
    },
    redraw: () => view?.redraw(),
    focus: () => view?.focus?.(),
    forget() {
      view?.stop()
      view = undefined
      loading = undefined
    },
  }
}
