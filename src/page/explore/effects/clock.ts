/** Sends messages after a time. */
import type { EffectHandlers, Send } from '../model/message.js'

/** Returns the handler of waiting. A message for the visible page waits until the page is visible. */
export const createClock = (send: Send): Pick<EffectHandlers, 'wait'> => ({
  wait({ ms, message, isForVisible = false }) {
    setTimeout(() => {
      if (!isForVisible || document.visibilityState === 'visible') send(message)
      else document.addEventListener('visibilitychange', () => send(message), { once: true })
    }, ms)
  },
})
