const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/**
 * Decodes UTF-8. It takes plain arrays, and so do callers that read a buffer that grows in place: each Buffer over such
 * memory has a hidden class of its own, which takes ten times as long to create and slows down all code that sees it.
 */
export const decodeUtf8 = (bytes: Uint8Array): string => decoder.decode(bytes)
