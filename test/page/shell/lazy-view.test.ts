import { expect, it, vi } from 'vitest'
import type { State } from '../../../src/page/explore/model/state.js'
import { createLazyView } from '../../../src/page/shell/lazy-view.js'
import type { View } from '../../../src/page/shell/view.js'

const STATE = {} as State

it('says that a view cannot be loaded, unless it was discarded and loads again', async () => {
  const loads: { resolve(view: View): void; reject(error: Error): void }[] = []
  const onFailure = vi.fn()
  const view = createLazyView(() => new Promise((resolve, reject) => loads.push({ resolve, reject })), onFailure)
  view.show(STATE)
  view.forget()
  view.show(STATE)
  loads[0]!.reject(new Error('of the user before'))
  await new Promise((resolve) => setTimeout(resolve))
  expect(onFailure).not.toHaveBeenCalled()
  const [show, stop] = [vi.fn(), vi.fn()]
  loads[1]!.resolve({ show, stop } as unknown as View)
  await vi.waitFor(() => expect(show).toHaveBeenCalledWith(STATE))
  view.forget()
  view.show(STATE)
  loads[2]!.reject(new Error('not there'))
  await vi.waitFor(() => expect(onFailure).toHaveBeenCalledTimes(1))
})
