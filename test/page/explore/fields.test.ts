import { describe, expect, it } from 'vitest'
import { sizeText } from '../../../src/page/explore/view/fields.js'

it('counts of fields are of the rows before Live when others have arrived', () => {
  expect(sizeText([{ rows: 57, is_sample: false }], false)).toBe('Counts are of all 57 rows.')
  expect(sizeText([{ rows: 2_000, is_sample: true }], false)).toBe('Counts are of the newest 2,000 rows.')
  expect(sizeText([{ rows: 57, is_sample: false }], true)).toBe('Counts are of the 57 rows before Live.')
  expect(sizeText([{ rows: 2_000, is_sample: true }], true)).toBe('Counts are of the 2,000 rows before Live.')
  const counted = { rows: 90_000, is_sample: false }
  const sampled = { rows: 2_000, is_sample: true }
  expect(sizeText([counted, sampled, sampled], false)).toBe(
    'Counts are of all 90,000 rows; 2 fields of the newest 2,000.',
  )
  expect(sizeText([sampled, counted], false)).toBe('Counts are of all 90,000 rows; a field of the newest 2,000.')
  expect(sizeText([], true)).toBe('')
})

describe('counts of some fields over the whole range', () => {
  const sample = { rows: 2_000, is_sample: true }
  const whole = (...fields: [string, number][]) => new Map(fields)

  it.each([
    ['newest', sample, false, 'the newest 2,000 rows; path of all 20,000'],
    ['newest, before Live', sample, true, 'the 2,000 rows before Live; path of all 20,000'],
    ['all, before Live', { rows: 57, is_sample: false }, true, 'the 57 rows before Live; path of all 20,000'],
  ] as const)('are named beside those of the others: %s', (_, size, isOutdated, text) => {
    expect(sizeText([size], isOutdated, whole(['path', 20_000]))).toBe(`Counts are of ${text}.`)
  })

  it('are named each with its rows', () => {
    const text = 'Counts are of the newest 2,000 rows; path of all 20,000, status of all 20,010.'
    expect(sizeText([sample], false, whole(['path', 20_000], ['status', 20_010]))).toBe(text)
  })

  it('are not named if they are of the same rows', () => {
    expect(sizeText([{ rows: 57, is_sample: false }], false, whole(['path', 57]))).toBe('Counts are of all 57 rows.')
    expect(sizeText([], false, whole(['path', 57]))).toBe('')
  })
})
