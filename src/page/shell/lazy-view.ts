import type { State } from '../explore/model/state.js'
import type { View } from './view.js'

/** A view that is created at the first `show`. */
export interface LazyView extends View {
  /** Discards the view with its data, since another user may sign in. The next `show` creates the view again. */
  forget(): void
}

/**
 * Returns a view that loads its modules at the first `show`. `onFailure` is called if loading fails while the view is
 * shown. The next `show` tries again.
 */
export function createLazyView(load: () => Promise<View>, onFailure: () => void): LazyView {
  let loading: Promise<View> | undefined
  let view: View | undefined
  /** The state to show when the modules are there. Undefined if another view is shown. */
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
