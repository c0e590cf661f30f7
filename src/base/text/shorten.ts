/** Returns a text for a message: at most `maxCharacters` UTF-16 code units and an ellipsis, without lone surrogates. */
export const shorten = (text: string, maxCharacters: number): string =>
  (text.length > maxCharacters ? `${text.slice(0, maxCharacters)}…` : text).toWellFormed()
