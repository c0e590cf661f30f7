import { expect, it } from 'vitest'
import { outdatedText, sizeText } from '../../../src/page/explore/fields.js'

it('counts of fields are of the rows before Live when others have arrived', () => {
  const all = sizeText({ rows: 57, is_sample: false })
  expect(all).toBe('Counts are of all 57 rows.')
  expect(outdatedText(all)).toBe('Counts are of the 57 rows before Live.')
  expect(outdatedText(outdatedText(all))).toBe(outdatedText(all))
  expect(outdatedText(sizeText({ rows: 2_000, is_sample: true }))).toBe('Counts are of the 2,000 rows before Live.')
  expect(outdatedText('')).toBe('')
})
