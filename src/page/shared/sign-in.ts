/** The form with which the user signs in. */
import { byId } from './dom.js'
import { createAttempts, keptToken, type Session, TOKEN_EXPIRED } from './session.js'

/** The sign-in of the page. */
export interface SignIn {
  /** Signs in with the token kept in this tab, else without a token: a proxy may add a token to requests. */
  start(): Promise<void>
  /** Forgets the token, and asks for one. `reason`: message for the user, which may be empty. */
  end(reason: string): void
}

function say(text: string): void {
  byId('sign-in-error').textContent = text
}

/**
 * Wires the form with the id `sign-in`, its fields `token` and `keep`, and `sign-in-error`. `onSignedIn` is called when
 * the service accepts queries of the page.
 */
export function createSignIn(onSignedIn: (session: Session) => void): SignIn {
  const [tokenField, keepBox] = [byId<HTMLInputElement>('token'), byId<HTMLInputElement>('keep')]
  const attempts = createAttempts()
  let retry: ReturnType<typeof setTimeout> | undefined

  function enter(session: Session): void {
    tokenField.value = ''
    keepBox.checked = false
    say('')
    onSignedIn(session)
  }

  async function submit(): Promise<void> {
    clearTimeout(retry)
    const [token, isRemembered] = [tokenField.value.trim(), keepBox.checked]
    const outcome = await attempts.begin(token)
    if (outcome === undefined) return
    if ('problem' in outcome) {
      say(outcome.problem)
      tokenField.select()
      return
    }
    keptToken.write(isRemembered ? token : null)
    enter(outcome.session)
  }

  async function start(): Promise<void> {
    const token = keptToken.read() ?? undefined
    const outcome = await attempts.begin(token)
    if (outcome === undefined) return
    if ('session' in outcome) {
      enter(outcome.session)
    } else if (outcome.retryS !== undefined) {
      say(outcome.problem)
      retry = setTimeout(start, outcome.retryS * 1_000)
    } else if (token !== undefined) {
      keptToken.write(null)
      say(TOKEN_EXPIRED)
      await start()
    } else if (document.activeElement === document.body) tokenField.focus()
  }

  byId('sign-in').addEventListener('submit', (event) => {
    event.preventDefault()
    void submit()
  })

  function end(reason: string): void {
    clearTimeout(retry)
    attempts.cancel()
    keptToken.write(null)
    say(reason)
    tokenField.value = ''
    tokenField.focus()
  }
  return { start, end }
}
