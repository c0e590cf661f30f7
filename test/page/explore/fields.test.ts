import { expect, it } from 'vitest'
import { sizeText } from '../../../src/page/explore/fields.js'

it('counts of fields are of the rows before Live when others have arrived', () => {
  expect(sizeText({ rows: 57, is_sample: false }, false)).toBe('Counts are of all 57 rows.')
  expect(sizeText({ rows: 2_000, is_sample: true }, false)).toBe('Counts are of the newest 2,000 rows.')
  expect(sizeText({ rows: 57, is_sample: false }, true)).toBe('Counts are of the 57 rows before Live.')
  expect(sizeText({ rows: 2_000, is_sample: true }, true)).toBe('Counts are of the 2,000 rows before Live.')
  expect(sizeText(undefined, true)).toBe('')
})
