import { expect, it } from 'vitest'
import { timestamp } from '../../../src/page/shared/times.js'
import { rangeTexts } from '../../../src/page/shell/range-control.js'

const US = Date.UTC(2026, 10, 21, 5) * 1_000

it('a range that ends now has no texts, so that those of another do not stay', () => {
  expect(rangeTexts({ preset: '7day' })).toEqual(['', ''])
  expect(rangeTexts({ fromUs: US, toUs: undefined })).toEqual([timestamp(US), ''])
  expect(rangeTexts({ fromUs: US, toUs: US + 60e6 })).toEqual([timestamp(US), timestamp(US + 60e6)])
})
