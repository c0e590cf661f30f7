import { createRequire } from 'node:module'

/**
 * The CRC-32 of zlib. Native: that of `node:zlib` took a twenty-fifth of an ingest to disk. It is required, not imported, since
 * Node would first search all of the package's long CommonJS for names that it might export, in each thread.
 */
export const { crc32 } = createRequire(import.meta.url)('@node-rs/crc32') as typeof import('@node-rs/crc32')
