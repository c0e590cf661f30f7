import { describe, expect, it } from 'vitest'
import { LogweirError } from '../../src/base/errors.js'
import { ENDPOINTS } from '../../src/endpoints/index.js'

const call = (endpoint: string, query: string) =>
  ENDPOINTS.find(({ name }) => name === endpoint)!.call(new URLSearchParams(query))

/** Returns the code and the message of the LogweirError that a call throws. */
function refusal(endpoint: string, query: string): [code: string, message: string] {
  try {
    call(endpoint, query)
  } catch (error) {
    expect(error).toBeInstanceOf(LogweirError)
    return [(error as LogweirError).code, (error as LogweirError).message]
  }
  throw new Error(`taken: ${query}`)
}

const plans = (endpoint: string, query: string) => call(endpoint, query).plan(1_795_132_800_000_000)

describe('a parameter', () => {
  it.each(ENDPOINTS)('project of $name is missing or empty', ({ name }) => {
    for (const query of ['', 'project=', 'Project=a', 'projects=a', 'project%5B%5D=a']) {
      expect(refusal(name, query)).toEqual([
        'missing_parameter',
        'The parameter "project" is missing or empty. Give it a value: ?project=…',
      ])
    }
  })

  it.each(ENDPOINTS)('of $name is given twice', ({ name, params }) => {
    for (const param of Object.keys(params)) {
      expect(refusal(name, `project=a&source=edge_logs&${param}=b&${param}=b`)).toEqual([
        'duplicate_parameter',
        expect.stringMatching(new RegExp(`^The parameter "${param}" is given \\d times\\. Give it once\\.$`)),
      ])
    }
  })

  it.each(ENDPOINTS)('that $name does not read may be given as often as one likes', ({ name }) => {
    const given = 'project=a&source=edge_logs&field=status'
    const { key } = call(name, `${given}&x=1&x=2&__proto__=1&__proto__=2&constructor=3&=4&=5`)
    expect(key).toBe(call(name, given).key)
  })

  it('is given twice, once empty', () => {
    expect(refusal('logs.all', 'project=a&project=')[0]).toBe('duplicate_parameter')
    expect(refusal('logs.all', 'project=a&project_tier=&project_tier=')[0]).toBe('duplicate_parameter')
  })

  const NOT_TIMES = [
    'yesterday',
    '2026-13-01',
    '2026-11-20T24:00:00Z',
    '1795132800',
    ' 2026-11-20',
    '2026-11-20T10:00:00+0',
    '\0',
  ]
  it.each(NOT_TIMES)('iso_timestamp_* %j is no time', (text) => {
    for (const name of ['iso_timestamp_start', 'iso_timestamp_end']) {
      const given = new URLSearchParams({ project: 'a', [name]: text })
      expect(refusal('logs.all', given.toString())).toEqual([
        'invalid_timestamp',
        `The parameter "${name}" is not an ISO 8601 time. ` +
          'Write it as 2026-11-20T10:00:00Z, with a "+" of an offset encoded as %2B.',
      ])
    }
  })

  it('iso_timestamp_* with a "+" that the URL made a space is no time', () => {
    expect(refusal('logs.all', 'project=a&iso_timestamp_end=2026-11-20T10:00:00+02:00')[0]).toBe('invalid_timestamp')
    call('logs.all', 'project=a&iso_timestamp_end=2026-11-20T10:00:00%2B02:00')
  })

  const NOT_PATTERNS = ['(', '[a', 'a**', '\\u0041', '\\cA', '(?=a)', '(a)\\1', 'a'.repeat(1001), '😀'.repeat(1001)]
  it.each(NOT_PATTERNS)('project %j is no pattern', (project) => {
    const [code, message] = refusal('usage.api-counts', new URLSearchParams({ project }).toString())
    expect(code).toBe('invalid_pattern')
    expect(message).toMatch(/^The pattern is not valid RE2: .+\.$/s)
  })

  it('project is a pattern of usage.api-counts alone', () => {
    for (const project of NOT_PATTERNS) {
      const query = new URLSearchParams({ project }).toString()
      call('logs.all', query)
      call('functions.invocation-stats', query)
    }
  })

  it('project of 1,000 code points is a pattern, astral ones counting once', () => {
    for (const project of ['a'.repeat(1000), '😀'.repeat(1000)]) {
      call('usage.api-counts', new URLSearchParams({ project }).toString())
    }
  })
})

describe('the key of a call', () => {
  /** Equivalent queries of an endpoint. */
  const ALIKE: readonly (readonly [endpoint: string, queries: readonly string[]])[] = [
    [
      'logs.all',
      [
        'project=a',
        'project=a&x=1',
        'project=a&project_tier=FREE',
        'project=a&project_tier=',
        'project_tier=x&project=a',
        'project=a&iso_timestamp_start=&iso_timestamp_end=',
      ],
    ],
    [
      'logs.all',
      [
        'project=a&iso_timestamp_end=2026-11-20T10:00:00Z',
        'iso_timestamp_end=2026-11-20%2010:00&project=a',
        'project=a&iso_timestamp_end=2026-11-20T12:00:00.0000009%2B02',
      ],
    ],
    [
      'functions.invocation-stats',
      [
        'project=a',
        'project=a&function_id=',
        'project=a&interval=1day',
        'project=a&interval=',
        'project=a&interval=x',
        'interval=__proto__&project=a',
        'project=a&interval=minutely',
        'project=a&interval=constructor',
      ],
    ],
    [
      'functions.invocation-stats',
      ['project=a&function_id=f&interval=5min', 'interval=5min&function_id=f&y=1&project=a'],
    ],
    [
      'usage.api-counts',
      [
        'project=a',
        'project=a&interval=',
        'project=a&interval=x',
        'project=a&interval=__proto__',
        'interval=5min&project=a',
        'project=a&project_tier=PRO',
      ],
    ],
  ]

  it.each(ALIKE)('of %s is one for all that mean the same: %j', (endpoint, queries) => {
    expect(new Set(queries.map((query) => call(endpoint, query).key)).size).toBe(1)
    expect(new Set(queries.map((query) => JSON.stringify(plans(endpoint, query)))).size).toBe(1)
  })

  it('is another for all that mean something else', () => {
    const different = [
      ...[
        'project=a',
        'project=A',
        'project=a%00',
        'project=a&project_tier=PRO',
        'project=a&iso_timestamp_start=2026-11-20',
        'project=a&iso_timestamp_end=2026-11-20',
        'project=%22',
      ].map((query) => call('logs.all', query).key),
      ...[
        'project=a',
        'project=b',
        'project=a&function_id=f',
        'project=a&function_id=null',
        'project=a&interval=5min',
        'project=a&interval=7day',
        'project=f&function_id=a',
      ].map((query) => call('functions.invocation-stats', query).key),
      ...['project=a', 'project=a&interval=daily', 'project=a&interval=hourly', 'project=a%22,%22daily'].map(
        (query) => call('usage.api-counts', query).key,
      ),
    ]
    expect(new Set(different).size).toBe(different.length)
  })

  it('does not depend on when it is asked', () => {
    const one = call('functions.invocation-stats', 'project=a')
    one.plan(1)
    one.plan(2)
    expect(one.key).toBe(call('functions.invocation-stats', 'project=a').key)
    expect(one.plan(0)).not.toEqual(one.plan(86_400_000_000))
  })
})
