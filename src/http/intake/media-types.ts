/** What a request says that its body is. */
export interface MediaType {
  /** In lower case, without parameters. */
  name: string
  /** In lower case; undefined if it is not named. */
  charset: string | undefined
}

/** The parts between commas; a comma in quotes is no end. */
const PARTS = /(?:[^,"]|"(?:[^"\\]|\\.)*"?)+/g
const CHARSET = /;\s*charset\s*=\s*"?([^\s;"]*)/i

/** The media types of a body. Some shippers add a Content-Type to the one that they send anyway: then there are several. */
export function contentTypes(headers: Headers): readonly MediaType[] {
  const parts = (headers.get('content-type') ?? '').match(PARTS) ?? []
  return parts.filter((part) => part.trim() !== '').map(mediaTypeOf)
}

const mediaTypeOf = (text: string): MediaType => ({
  name: text.split(';')[0]!.trim().toLowerCase(),
  charset: CHARSET.exec(text)?.[1]?.toLowerCase(),
})
