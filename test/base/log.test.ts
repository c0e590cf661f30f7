import { describe, expect, it } from 'vitest'
import { createLog, type LogFormat } from '../../src/base/log.js'

const NOW = new Date('2026-11-20T10:00:00.123Z')

/** Returns the text that a log writes to a pipe or a terminal. */
function written(
  format: LogFormat,
  output: { isTTY?: boolean; hasColors?(): boolean },
  ...call: Parameters<ReturnType<typeof createLog>>
) {
  let text = ''
  const write = (piece: string) => (text += piece)
  createLog(format, { ...output, write }, () => NOW)(...call)
  return text
}

const PIPE = {}
const PLAIN_TERMINAL = { isTTY: true, hasColors: () => false }
const TERMINAL = { isTTY: true, hasColors: () => true }

describe('a log', () => {
  it.each([
    ['json', PIPE],
    ['json', TERMINAL],
  ] as const)('%s writes an object a line to %j', (format, output) => {
    const text = written(format, output, 'a "b"\nc', {
      level: 'warn',
      code: 'd',
      rows: 2,
      reasons: { e: 1 },
      none: undefined,
    })
    expect(text).toBe(
      '{"time":"2026-11-20T10:00:00.123Z","level":"warn","msg":"a \\"b\\"\\nc","code":"d",' +
        '"rows":2,"reasons":{"e":1}}\n',
    )
    expect(JSON.parse(written(format, output, 'a')).level).toBe('info')
  })

  it('text writes words after the name of the program, and no facts', () => {
    expect(written('text', PIPE, 'a', { level: 'error', code: 'b' })).toBe('logweir: a\n')
  })

  it('text writes words with the time to a terminal, in place of a line of progress', () => {
    expect(written('text', PLAIN_TERMINAL, 'a', { level: 'error' })).toBe('\r\u001b[K10:00:00 logweir: a\n')
  })

  it('paints what matters on a terminal that has colours', () => {
    const line = (words: string) => `\r\u001b[K\u001b[2m10:00:00\u001b[0m logweir: ${words}\n`
    expect(written('text', TERMINAL, 'a')).toBe(line('a'))
    expect(written('text', TERMINAL, 'a', { level: 'warn' })).toBe(line('\u001b[33ma\u001b[0m'))
    expect(written('text', TERMINAL, 'a', { level: 'error' })).toBe(line('\u001b[31ma\u001b[0m'))
  })
})
