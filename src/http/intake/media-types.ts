/** A media type of a Content-Type header. */
export interface MediaType {
  /** In lower case, without parameters. */
  name: string
  /** In lower case. Undefined if no charset is named. */
  charset: string | undefined
}

const UTF8_CHARSETS = new Set([undefined, 'utf-8', 'utf8', 'us-ascii'])

/** Whether a text of this type is UTF-8. True also if the type names no charset. */
export const isUtf8 = ({ charset }: MediaType): boolean => UTF8_CHARSETS.has(charset)

/** The parts between commas. A comma in quotes does not separate. */
const PARTS = /(?:[^,"]|"(?:[^"\\]|\\.)*"?)+/g
const CHARSET = /;\s*charset\s*=\s*"?([^\s;"]*)/i

/**
 * Returns the media types of a body, or an empty list if the header is absent. There are several types if a shipper
 * adds a Content-Type to the shipper's default type.
 */
export function contentTypes(headers: Headers): readonly MediaType[] {
  const parts = (headers.get('content-type') ?? '').match(PARTS) ?? []
  return parts.filter((part) => part.trim() !== '').map(mediaTypeOf)
}

const mediaTypeOf = (text: string): MediaType => ({
  name: text.split(';')[0].trim().toLowerCase(),
  charset: CHARSET.exec(text)?.[1]?.toLowerCase(),
})
