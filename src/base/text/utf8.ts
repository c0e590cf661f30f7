const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/**
 * Decodes UTF-8. Takes plain arrays, and so do callers that read a buffer that grows in place: each Buffer over such
 * memory has a separate hidden class, which takes ten times as long to create and slows down all code that sees the
 * class.
 */
export const decodeUtf8 = (bytes: Uint8Array): string => decoder.decode(bytes)
