import { describe, expect, it } from 'vitest'
import { NOW_US } from '../ingest/parsing.js'
import { STATES, type State } from '../support/states.js'

/** A busy machine takes many times as long as usual. */
const TIMEOUT_MS = 60_000

const PROJECT = 'p'
const LONG = 'y'.repeat(65_536)

const edgeLine = (number: number, members: string) =>
  `{"source":"edge_logs","project":"${PROJECT}","timestamp":${NOW_US - number},${members}}`
const relayLine = (functionId: string, members: string) =>
  `{"source":"function_edge_logs","project":"${PROJECT}","timestamp":${NOW_US},` +
  `"metadata":{"function_id":"${functionId}"${members}}}`

/** JSON values that an answer returns with the same spelling, in metadata. */
const SPELLED = [
  '1e400',
  '-1e400',
  '1e-400',
  '-0',
  '-0.0',
  '1.0',
  '1E5',
  '12345678901234567890',
  '9007199254740993',
  '0.1000000000000000055511151231257827',
  '"\\ud800"',
  '"a\\udc00b"',
  '"\\udc00\\ud800"',
  '"\\u0000"',
  '"\u2028\u2029"',
  '"\\u2028"',
  '""',
  '"\uffff\ufffe\ufdd0"',
  '"😀"',
  `"${LONG}"`,
  `{"${LONG}":"${LONG}"}`,
]

/** Texts that an answer returns unchanged, as id and as message. */
const TEXTS = ['', '\0', '\u2028\u2029', '"\\/\b\f\n\r\t', '\u007f\u0080', '\uffff', '😀é', LONG, `${LONG}é`]

/** Execution times as sent, and the values in statistics. Null: treated as absent. */
const TIMES: readonly [sent: string, value: number | null][] = [
  ['1.0', 1],
  ['0', 0],
  ['-0', 0],
  ['-1.5', -1.5],
  ['1e3', 1000],
  ['5e-324', 5e-324],
  ['1.7976931348623157e308', Number.MAX_VALUE],
  ['12345678901234567890', 12345678901234567000],
  ['9007199254740993', 9007199254740992],
  ['1e400', null],
  ['-1e400', null],
  ['"12"', null],
  ['null', null],
]

/** Status codes as sent, and whether the code counts as an error. */
const STATUSES: readonly [sent: string, isError: boolean][] = [
  ['400', true],
  ['4e2', true],
  ['400.0', true],
  ['399.9999', false],
  ['12345678901234567890', true],
  ['1e400', false],
  ['-0', false],
  ['"500"', false],
]

/** Invalid lines, and the reasons of their rejection. */
const REFUSED: readonly [reason: string, line: Buffer][] = [
  ...['NaN', 'Infinity', '-Infinity', '+1', '.5', '01', '1.', '0x1', 'nan'].map((number): [string, Buffer] => [
    'invalid_json',
    Buffer.from(edgeLine(0, `"metadata":{"x":${number}}`)),
  ]),
  ...['"id":"\\ud800"', '"event_message":"a\\udc00b"', '"id":"\\udc00\\ud800"'].map((member): [string, Buffer] => [
    'invalid_json',
    Buffer.from(edgeLine(0, member)),
  ]),
  ['invalid_json', Buffer.from('{"source":"edge_logs","project":"\\ud83d"}')],
  ...[
    [0x80],
    [0xbf],
    [0xc3],
    [0xe2, 0x82],
    [0xf0, 0x9f, 0x98],
    [0xc0, 0xaf],
    [0xc1, 0xbf],
    [0xe0, 0x80, 0xaf],
    [0xf0, 0x80, 0x80, 0xaf],
    [0xed, 0xa0, 0x80],
    [0xed, 0xbf, 0xbf],
    [0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80],
    [0xf4, 0x90, 0x80, 0x80],
    [0xf8, 0x88, 0x80, 0x80, 0x80],
    [0xfc, 0x84, 0x80, 0x80, 0x80, 0x80],
    [0xfe],
    [0xff],
  ].map((sequence): [string, Buffer] => [
    'invalid_utf8',
    Buffer.concat([Buffer.from('{"source":"edge_logs","id":"'), Buffer.from(sequence), Buffer.from('"}')]),
  ]),
]

/** Stores the lines, runs `ask`, and closes the state. */
async function answersTo<T>({ take }: State, lines: string, ask: (taken: Awaited<ReturnType<State['take']>>) => T) {
  const taken = await take(lines)
  try {
    return await ask(taken)
  } finally {
    await taken.close()
  }
}

const statsOf = (text: string) => JSON.parse(text).result

describe.each(STATES)('I6: numbers and text, in $name', { timeout: TIMEOUT_MS }, (state) => {
  it('I6: metadata comes back letter by letter', async () => {
    const lines = SPELLED.map((json, i) => edgeLine(i, `"id":"${i}","metadata":{"value":${json}}`))
    const body = await answersTo(state, lines.join('\n'), ({ ask }) => ask('logs.all', { project: PROJECT }))
    const rows = SPELLED.map(
      (json, i) => `{"id":"${i}","timestamp":${NOW_US - i},"event_message":"","metadata":{"value":${json}}}`,
    )
    expect(body === `{"result":[${rows.join(',')}]}`, body.slice(0, 2000)).toBe(true)
    expect(JSON.parse(body).result).toHaveLength(SPELLED.length)
  })

  it('I6: texts are what was sent, escaped or not', async () => {
    const escaped = (text: string) =>
      `"${Array.from(text.split(''), (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')}"`
    const lines = [JSON.stringify, escaped].flatMap((write, w) =>
      TEXTS.map((text, i) => edgeLine(TEXTS.length * w + i, `"id":${write(text)},"event_message":${write(text)}`)),
    )
    const body = await answersTo(state, lines.join('\n'), ({ ask }) => ask('logs.all', { project: PROJECT }))
    const found = JSON.parse(body).result.map((row: { id: string; event_message: string }) => [
      row.id,
      row.event_message,
    ])
    expect(found).toEqual([...TEXTS, ...TEXTS].map((text) => [text, text]))
  })

  it('I6: execution times are the doubles that were sent, or absent', async () => {
    const lines = TIMES.map(([sent], i) => relayLine(`f${i}`, `,"execution_time_ms":${sent}`))
    await answersTo(state, lines.join('\n'), async ({ ask }) => {
      for (const [i, [sent, value]] of TIMES.entries()) {
        const body = await ask('functions.invocation-stats', { project: PROJECT, function_id: `f${i}` })
        const [row] = statsOf(body)
        const { min_execution_time, max_execution_time, avg_execution_time, p95_execution_time, p99_execution_time } =
          row
        const all = [min_execution_time, max_execution_time, avg_execution_time, p95_execution_time, p99_execution_time]
        expect([sent, ...all.map((time) => time && time + 0), row.count]).toEqual([sent, ...all.map(() => value), 1])
        expect(await ask('functions.invocation-stats', { project: PROJECT, function_id: `f${i}` })).toBe(body)
      }
    })
  })

  it('I6: status codes are the numbers that were sent, or absent', async () => {
    const lines = STATUSES.map(([sent], i) => relayLine(`f${i}`, `,"response":{"status_code":${sent}}`))
    await answersTo(state, lines.join('\n'), async ({ ask }) => {
      for (const [i, [sent, isError]] of STATUSES.entries()) {
        const [row] = statsOf(await ask('functions.invocation-stats', { project: PROJECT, function_id: `f${i}` }))
        expect([sent, row.count, row.error_count]).toEqual([sent, 1, Number(isError)])
      }
    })
  })

  it('I6: a lone surrogate in a field that is searched is U+FFFD there', async () => {
    const request = '"metadata":{"request":{"url":"a\\ud800b","path":"/rest\\udc00"}}'
    const lines = [edgeLine(0, request), relayLine('f\\ud800', '')]
    await answersTo(state, lines.join('\n'), async ({ ask }) => {
      const counts = statsOf(await ask('usage.api-counts', { project: '^a\ufffdb$', interval: 'minutely' }))
      expect(counts).toMatchObject([{ total_rest_requests: 1 }])
      const stats = await ask('functions.invocation-stats', { project: PROJECT, function_id: 'f\ufffd' })
      expect(statsOf(stats)).toMatchObject([{ count: 1 }])
      expect(await ask('logs.all', { project: PROJECT })).toContain(request)
    })
  })

  it('I6: what is no JSON, no text or no UTF-8 is refused for its reason, and shown nowhere', async () => {
    const good = [edgeLine(1, '"id":"first"'), edgeLine(0, '"id":"last"')]
    const stream = [good[0]!, ...REFUSED.map(([, line]) => line), good[1]!].map((line) =>
      Buffer.concat([Buffer.from(line), Buffer.from('\n')]),
    )
    const taken = await state.take(Buffer.concat(stream))
    expect(taken.rejects.map(({ line, reason }) => [line, reason])).toEqual(
      REFUSED.map(([reason], i) => [i + 2, reason]),
    )
    const body = await taken.ask('logs.all', { project: PROJECT })
    expect(JSON.parse(body).result.map(({ id }: { id: string }) => id)).toEqual(['last', 'first'])
    await taken.close()
  })
})
