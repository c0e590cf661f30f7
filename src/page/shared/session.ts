/** The session of the page: its token, and the permissions of the token. */
import { Failure, get, signInWith } from '../api/api.js'
import { storedIn } from './stored.js'

/** The permissions of a token. */
export interface Session {
  /** Empty if the token is missing or wrong. */
  scopes: readonly ('query' | 'ingest' | 'delete')[]
  /** The projects that the token is bound to. Null: all projects. */
  projects: readonly string[] | null
  /** The project of requests that name none, or null if each request has to name a project. */
  default_project: string | null
}

/** The outcome of an attempt to sign in. `problem` is for the user. `retryS`: seconds after which to try again. */
type Outcome = { session: Session } | { problem: string; retryS?: number | undefined }

/** Message if the token is no longer accepted. */
export const TOKEN_EXPIRED = 'The token is no longer valid: it has expired or was revoked. Sign in with another one.'

const UNKNOWN = 'The service does not know this token. Check that it was copied completely.'
const CANNOT_QUERY = 'This token only permits sending records. Sign in with one that permits queries.'

/** The token, if the user chose to stay signed in: for this tab only, until the tab is closed or the user signs out. */
export const keptToken = storedIn('sessionStorage', 'logweir-token')

/** Attempts to sign in, of which only the newest counts: an older attempt may be answered later. */
export interface Attempts {
  /** Tries a token, or none. Resolves to undefined if a newer attempt began, or all were cancelled. */
  begin(token: string | undefined): Promise<Outcome | undefined>
  /** Forgets the token, and cancels a pending attempt. */
  cancel(): void
}

/** Creates a series of attempts. */
export function createAttempts(): Attempts {
  let newest = 0
  return {
    async begin(token) {
      const number = ++newest
      signInWith(token)
      const outcome = await requestSession()
      return number === newest ? outcome : undefined
    },
    cancel() {
      newest++
      signInWith(undefined)
    },
  }
}

/**
 * Requests the permissions of the current token. The answer to a wrong token is a success too: a request that fails
 * would be an error in the browser's console.
 */
async function requestSession(): Promise<Outcome> {
  try {
    const session = (await (await get('api/session', {})).json()) as Session
    if (session.scopes.includes('query')) return { session }
    return { problem: session.scopes.length > 0 ? CANNOT_QUERY : UNKNOWN }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return { problem: error.message, retryS: error.retryS }
  }
}
