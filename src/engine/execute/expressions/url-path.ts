const SLASH = 0x2f
const QUESTION_MARK = 0x3f
const HASH = 0x23
const AFTER_SCHEME = Buffer.from('://')

/**
 * Returns the path of a URL, as a view: from the first slash after the host up to a `?` or `#`. Empty without a slash.
 */
export function urlPath(url: Buffer): Buffer {
  const end = endOfPath(url)
  const scheme = url.indexOf(AFTER_SCHEME)
  const host = scheme >= 0 && scheme + AFTER_SCHEME.length <= end ? scheme + AFTER_SCHEME.length : 0
  let start = host
  while (start < end && url[start] !== SLASH) start++
  return url.subarray(start, end)
}

function endOfPath(url: Buffer): number {
  let end = 0
  while (end < url.length && url[end] !== QUESTION_MARK && url[end] !== HASH) end++
  return end
}
