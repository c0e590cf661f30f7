import type { ErrorForm } from './error-form.js'

/** A protocol beyond the paths: the form of errors, the places of a token, lists that clients expect. */
export interface Dialect {
  /** The form of error bodies. Requests with SQL get `nested` in every dialect. `/v1/logs` has a special form. */
  errorForm: ErrorForm
  /** Whether the paths that accept records also accept a token in the URL, as `api_key`. */
  acceptsKeyInUrl: boolean
  /** Lists of things that this service does not have, by path. A client shows these entries instead. */
  lists: Readonly<Record<string, readonly object[]>>
}

/** The dialect of this service. */
export const OWN_DIALECT: Dialect = { errorForm: 'flat', acceptsKeyInUrl: false, lists: {} }

/** The dialect of Logflare, which the services of a self-hosted Supabase speak. */
export const LOGFLARE_DIALECT: Dialect = {
  errorForm: 'nested',
  acceptsKeyInUrl: true,
  // Studio's page of log drains shows the name and the description of each entry, and no text of an error. An empty
  // list has buttons that add drains. Studio also says that a drain was made if `/api/sources` is a list, so there is
  // no list at that path.
  lists: {
    '/api/backends': [
      {
        id: 0,
        token: '00000000-0000-0000-0000-000000000000',
        name: 'logweir has no log drains',
        description:
          'None can be made: it only stores logs. To send them on, add a sink to volumes/logs/vector.yml, ' +
          'beside those for analytics.',
        type: 'none',
        config: {},
        metadata: { type: 'log-drain' },
      },
    ],
  },
}
