const SLASH = 0x2f
const QUESTION_MARK = 0x3f
const HASH = 0x23
const BEHIND_SCHEME = Buffer.from('://')

/** The path in a URL, as a view: from the first slash behind the host up to a `?` or `#`; empty where there is none. */
export function urlPath(url: Buffer): Buffer {
  const end = endOfPath(url)
  const scheme = url.indexOf(BEHIND_SCHEME)
  const host = scheme >= 0 && scheme + BEHIND_SCHEME.length <= end ? scheme + BEHIND_SCHEME.length : 0
  let start = host
  while (start < end && url[start] !== SLASH) start++
  return url.subarray(start, end)
}

function endOfPath(url: Buffer): number {
  let end = 0
  while (end < url.length && url[end] !== QUESTION_MARK && url[end] !== HASH) end++
  return end
}
