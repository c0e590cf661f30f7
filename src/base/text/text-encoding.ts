/**
 * Returns the encoding of a text by the byte order mark, or UTF-8 without a mark, as a name for TextDecoder.
 * TextDecoder removes the mark.
 */
export function encodingOf([first, second]: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' {
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  return 'utf-8'
}
