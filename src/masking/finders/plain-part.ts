/** Characters that JSON may write as escapes of their own, and those that are not ASCII. */
const WRITTEN_DIFFERENTLY = /[^ !#-.0-[\]-~]+/

/** Returns the longest part of a text that JSON always writes as it is, apart from `\u`; empty if there is none. */
export const plainPart = (text: string): string =>
  text.split(WRITTEN_DIFFERENTLY).reduce((longest, part) => (part.length > longest.length ? part : longest), '')

/** Returns the end of a text that JSON always writes as it is, apart from `\u`. */
export const plainEnd = (text: string): string => text.split(WRITTEN_DIFFERENTLY).at(-1)!
