import type { ErrorForm } from './error-form.js'

/** A protocol beyond the paths: the form of errors, the places of a token, lists that clients expect. */
export interface Dialect {
  /** The form of error bodies. Requests with SQL get `nested` in every dialect; `/v1/logs` has a form of its own. */
  errorForm: ErrorForm
  /** Whether the paths that accept records also accept a token in the URL, as `api_key`. */
  acceptsKeyInUrl: boolean
  /** Paths that answer `[]`: lists of things that this service does not have. */
  emptyLists: readonly string[]
}

/** The dialect of this service. */
export const OWN_DIALECT: Dialect = { errorForm: 'flat', acceptsKeyInUrl: false, emptyLists: [] }

/** The dialect of Logflare, which the services of a self-hosted Supabase speak. */
export const LOGFLARE_DIALECT: Dialect = {
  errorForm: 'nested',
  acceptsKeyInUrl: true,
  // Studio's server reads the log drains, and the sources and rules that they need, as arrays of objects.
  emptyLists: ['/api/backends', '/api/sources', '/api/rules'],
}
