/**
 * CSV (RFC 4180). Texts are not changed, not even texts that a spreadsheet would evaluate as a formula. The service
 * and the page write the same bytes.
 */

/** Texts that are ambiguous without quotes. Some readers trim white space. */
const TO_QUOTE = /[",\r\n]|^\s|\s$/

/** Returns a text as a field. An empty text is `""`: an empty field is null. */
export const csvField = (text: string): string =>
  text === '' || TO_QUOTE.test(text) ? `"${text.replaceAll('"', '""')}"` : text

/** Returns a line of fields with its end. */
export const csvLine = (fields: readonly string[]): string => `${fields.join(',')}\r\n`
