/** Lines for a shell that send the page's requests. */

/** Returns a word of a POSIX shell that is exactly this text. */
export const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/**
 * Returns the line that sends a GET request. The token is the variable of the shell that examples use: never the token
 * itself, so that the line can be shared.
 */
export const curlLine = (url: string): string => `curl -H "X-API-KEY: $LOGWEIR_TOKEN" ${quoted(url)}`

/** Returns the URL at which the page reaches a path of the service, given from the service's root. */
export function urlOf(path: string, params: Readonly<Record<string, string>>, base: string): string {
  const query = String(new URLSearchParams(params))
  return new URL(`${path.replace(/^\//, '')}${query === '' ? '' : `?${query}`}`, base).href
}
