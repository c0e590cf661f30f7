/**
 * Returns the name that a text of the field `source` means: capitals of ASCII are lowered, and each run of characters
 * that no name has becomes `_`. The result need not be a name.
 */
export const lowered = (text: string): string =>
  text.replace(/[A-Z]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) + 32)).replace(/[^a-z0-9_]+/gu, '_')
