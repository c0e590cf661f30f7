import { describe, expect, it } from 'vitest'
import { viewWarnings } from '../../src/client/view-warnings.js'

describe('viewWarnings', () => {
  it('says what the header does', () => {
    const [at, from] = ['2026-11-28T08:00:00.000Z', '2026-11-20T00:00:00.000Z']
    expect(viewWarnings(`building; from=${from}, more; before=${at}, partial`)).toEqual([
      `The view is new: it lacks rows from before ${from} that were deleted before there was the view.`,
      `There are more rows, of buckets that start before ${at}: read on with --end ${at}.`,
      'Some groups are counted together under the key "…".',
    ])
  })

  it('says nothing without the header, and of parts of a later version', () => {
    expect(viewWarnings(undefined)).toEqual([])
    expect(viewWarnings('')).toEqual([])
    expect(viewWarnings('new, more, more; before=\u001b[31m, partial; by=1')).toEqual([])
  })
})
