import { describe, expect, test } from 'vitest'
import type { Parameter } from '../../../src/page/api/description.js'
import { curlLine, quoted, urlOf } from '../../../src/page/endpoints/curl.js'
import {
  defaultText,
  type Field,
  type FormContext,
  fieldOf,
  fieldOfError,
  missingIn,
  readForm,
  textOf,
  usesRange,
} from '../../../src/page/endpoints/fields.js'
import { UTC, type Zone } from '../../../src/page/shared/zone.js'

const NOW_US = Date.UTC(2026, 10, 20, 10) * 1_000
const HOUR_US = 3_600e6
const EAST: Zone = { name: 'East', offsetMs: () => HOUR_US / 1_000 }

const CONTEXT: FormContext = { project: 'mine', range: { preset: '1hr' }, zone: UTC, nowUs: NOW_US }
const CLOSED: FormContext = { ...CONTEXT, range: { fromUs: NOW_US + 1, toUs: NOW_US + HOUR_US } }

const field = (name: string, schema: Parameter['schema'] = { type: 'string' }, required = false): Field =>
  fieldOf({ name, in: 'query', description: `the ${name}`, required, schema })
const TIME = { type: 'string', examples: ['2026-11-20T10:00:00Z'], 'x-kind': 'timestamp' }
const [START, END, SEARCH] = [field('iso_timestamp_start', TIME), field('end', TIME), field('search')]

describe('a field', () => {
  test.each([
    ['project', { type: 'string' }, 'project'],
    ['source', { type: 'string', enum: ['a', 'b'] }, 'choice'],
    ['window', { type: 'string', examples: ['1day', '7day'] }, 'choice'],
    ['is_slow', { type: 'boolean' }, 'choice'],
    ['before', { type: 'string', examples: ['1.1'] }, 'text'],
    ['start', TIME, 'time'],
    ['limit', { type: 'integer', minimum: 1, maximum: 5, default: 3 }, 'number'],
    ['filter', { type: 'string', contentMediaType: 'application/json' }, 'code'],
  ])('%s with the schema %j is entered as %s', (name, schema, kind) => expect(field(name, schema).kind).toBe(kind))

  test('has the words and the default of its schema', () => {
    expect(field('by', { enum: ['a', 'b'], default: 'a' })).toMatchObject({ words: ['a', 'b'], otherwise: 'a' })
    expect(field('limit', { type: 'integer', default: 100 })).toMatchObject({ words: [], otherwise: '100' })
  })

  test('has the project and the range of the page', () => {
    const texts = (context: FormContext) =>
      [START, END, field('until', TIME, true)].map((one) => defaultText(one, context))
    expect(texts(CONTEXT)).toEqual(['1 hour ago', '', 'now'])
    expect(texts(CLOSED)).toEqual(['2026-11-20 10:00:00.000001', '2026-11-20 11:00:00', '2026-11-20 11:00:00'])
    expect(defaultText(field('project'), CONTEXT)).toBe('mine')
    expect(defaultText(field('at', TIME), CONTEXT)).toBe('')
  })

  test('shows the value of a link, but never another project', () => {
    expect(textOf(END, '2026-11-20T09:30:00.000000Z', CONTEXT)).toBe('2026-11-20 09:30:00')
    expect(textOf(END, '90m', CONTEXT)).toBe('90m')
    expect(textOf(SEARCH, ' a ', CONTEXT)).toBe(' a ')
    expect(textOf(field('project'), 'other', CONTEXT)).toBe('mine')
  })
})

describe('a form', () => {
  const fields = [field('project'), START, END, SEARCH, field('limit', { type: 'integer' })]
  const read = (texts: Record<string, string>, context = CONTEXT) =>
    readForm(
      fields,
      { project: 'mine', iso_timestamp_start: defaultText(START, context), end: defaultText(END, context), ...texts },
      context,
    )

  test('names the required fields without a text, and says whether it uses the range of the page', () => {
    const required = (name: string) => fieldOf({ name, required: true, in: 'query', description: '', schema: {} })
    const all = [required('source'), required('field'), SEARCH]
    expect(missingIn(all, { source: 'edge_logs', field: ' ' })).toEqual(['field'])
    expect(missingIn(all, {})).toEqual(['source', 'field'])
    expect([usesRange(all), usesRange(fields)]).toEqual([false, true])
  })

  test('sends what is not empty, and links what is not the default', () => {
    expect(read({ search: ' x ', limit: ' 5 ' })).toEqual({
      sent: { project: 'mine', iso_timestamp_start: '2026-11-20T09:00:00.000000Z', search: ' x ', limit: '5' },
      linked: { search: ' x ', limit: '5' },
    })
    expect(read({}, CLOSED)).toEqual({
      sent: {
        project: 'mine',
        iso_timestamp_start: '2026-11-20T10:00:00.000001Z',
        end: '2026-11-20T11:00:00.000000Z',
      },
      linked: {},
    })
  })

  test('reads times in the zone of the page, and keeps those that depend on the present', () => {
    const east = { ...CONTEXT, zone: EAST }
    expect(read({ end: '2026-11-20 10:30' }, east)).toMatchObject({
      sent: { end: '2026-11-20T09:30:00.000000Z' },
      linked: { end: '2026-11-20T09:30:00.000000Z' },
    })
    expect(read({ iso_timestamp_start: '90m', end: '10m ago' })).toMatchObject({
      sent: { iso_timestamp_start: '2026-11-20T08:30:00.000000Z', end: '2026-11-20T09:50:00.000000Z' },
      linked: { iso_timestamp_start: '90m', end: '10m ago' },
    })
    // A day that ends a range is included.
    expect(read({ end: '2026-11-20' })).toMatchObject({ sent: { end: '2026-11-21T00:00:00.000000Z' } })
    // An empty time is none, which a link has to say.
    expect(read({ iso_timestamp_start: '' })).toEqual({
      sent: { project: 'mine' },
      linked: { iso_timestamp_start: '' },
    })
  })

  test('names the field whose text is no time', () => {
    expect(read({ end: 'soon' })).toEqual({
      wrong: 'end',
      message: expect.stringMatching(/^“soon” is no time\. Enter /),
    })
  })

  test.each([
    ['The parameter "limit" is no number of rows.', 'invalid_parameter', 'limit'],
    ['The parameter "other" is wrong.', 'invalid_parameter', undefined],
    ['The parameters "end" and "limit" are both given.', 'invalid_parameter', 'end'],
    ['wrong (line 1, column 2)', 'invalid_sql', 'sql'],
    ['The pattern is not valid RE2.', 'invalid_pattern', 'text'],
    ['Full.', 'overloaded', undefined],
  ])('shows the error %j with the code %s at %s', (message, code, name) => {
    const pattern = fieldOf({ name: 'text', in: 'query', description: 'an RE2 pattern', schema: {} })
    expect(fieldOfError([...fields, field('sql'), pattern], { message, code })).toBe(name)
  })
})

describe('a line for a shell', () => {
  test('quotes all signs', () => {
    expect(quoted(`it's "$HOME" \`x\``)).toBe(`'it'\\''s "$HOME" \`x\`'`)
  })

  test('has the variable in place of the token, and the address of the page', () => {
    const url = urlOf('/api/a', { search: "a'b c" }, 'https://example.com/logs/#view=api')
    expect(url).toBe('https://example.com/logs/api/a?search=a%27b+c')
    expect(curlLine(url)).toBe(`curl -H "X-API-KEY: $LOGWEIR_TOKEN" '${url}'`)
  })
})
