/**
 * The suites of records and batches, with an own source besides the nine. The own source is configured before the
 * suites are loaded.
 */
import '../support/know-own-source.js'
import { describe, it } from 'vitest'

const { expectAsReference } = await import('./stream/as-reference.js')
await import('./bound.test.js')
await import('./wasm/batch-builder.test.js')

describe('the parser does what the reference does', () => {
  it('with records in all forms, also of an own source in any spelling', expectAsReference)
})
