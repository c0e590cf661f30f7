/** Limits that the service has, and its clients keep to. */

/** Maximum of rows in an answer of `logs.explore`. */
export const MAX_EXPLORED_ROWS = 1_000
/** Maximum of rows in an answer of `logs.all`. */
export const MAX_SQL_ROWS = 1_000
/** Maximum of rows in a list of projects, which ends there. */
export const MAX_PROJECT_ROWS = 10_000
/** Characters of parameters in a URL. Clients send more as a POST: many proxies refuse a request line of 8 KiB. */
export const MAX_URL_CHARACTERS = 4_096

/** Maximum of rows in an answer of an endpoint that the owner of the service added. */
export const MAX_ENDPOINT_ROWS = 10_000
/** Maximum of rows in an answer of a view, which ends at a whole bucket. */
export const MAX_VIEW_ROWS = 100_000
/** Maximum of characters in the name of such an endpoint. */
export const MAX_ENDPOINT_NAME_CHARACTERS = 100
/** The name of such an endpoint: begins with a letter, then letters, digits and _, with dots and dashes between. */
export const ENDPOINT_NAME = /^[a-z]\w*([.-]\w+)*$/i
