import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { start, temporaryFolder } from '../support/program.js'
import { startScript } from '../support/shell.js'

/** Starts `logweir lines` with a pipe as standard input, and collects the output. */
function started(args: readonly string[]) {
  const program = start(['lines', ...args], { stdin: 'pipe' })
  let text = ''
  program.child.stdout!.on('data', (piece) => {
    text += piece
  })
  return { ...program, input: program.child.stdin!, text: () => text }
}

const ROW = '{"a":1}\n'

describe('rows of a pipe', () => {
  it('are printed while the input goes on', async () => {
    const { input, text, exit, stderrText } = started(['select a from lines where a > 0'])
    for (let a = 1; a <= 3; a++) {
      input.write(`{"a":${a}}\n{"a":-1}\n{"a"`)
      const expected = [1, 2, 3].slice(0, a).map((value) => `{"a":${value}}\n`)
      await expect.poll(text).toBe(expected.join(''))
      input.write(':0}\n')
    }
    input.end('{"a":4}')
    expect(await exit).toBe(0)
    expect([text(), stderrText()]).toEqual(['{"a":1}\n{"a":2}\n{"a":3}\n{"a":4}\n', ''])
  })

  it('are printed while a compressed input goes on', async () => {
    const { gzipSync } = await import('node:zlib')
    const { input, text, exit } = started(['select a from lines'])
    input.write(gzipSync(ROW))
    await expect.poll(text).toBe(ROW)
    input.end(gzipSync(ROW))
    expect(await exit).toBe(0)
    expect(text()).toBe(ROW + ROW)
  })

  it('are printed as CSV and as JSON while the input goes on', async () => {
    for (const [format, head, end] of [
      ['csv', 'a\r\n1\r\n', 'a\r\n1\r\n'],
      ['json', '{"result":[\n{"a":1}', '{"result":[\n{"a":1}\n]}\n'],
    ]) {
      const { input, text, exit } = started(['select a from lines', '--format', format!])
      input.write(ROW)
      await expect.poll(text).toContain(head!)
      input.end()
      expect(await exit).toBe(0)
      expect(text()).toBe(end)
    }
  })

  it('end with a limit, although the input does not', async () => {
    for (const sql of [
      'select a from lines limit 2',
      'select a from lines limit 1 offset 1',
      'select a from lines limit 0',
    ]) {
      const { text, input, exit, stderrText } = started([sql])
      input.write(ROW.repeat(3))
      expect(await exit).toBe(0)
      expect([text(), stderrText()]).toEqual([sql.endsWith('2') ? ROW + ROW : sql.includes('offset') ? ROW : '', ''])
    }
  })

  it('end with a limit within a query, although the input does not', async () => {
    const { text, input, exit } = started(['select count(*) as n from (select a from lines limit 2)'])
    input.write(ROW.repeat(3))
    expect(await exit).toBe(0)
    expect(text()).toBe('{"n":2}\n')
  })

  it('end with a limit over an endless input', async () => {
    const script = startScript(`yes '{"a":1}' | { logweir lines 'select a from lines limit 2'; echo "exit $?"; }`)
    await script.ended
    expect([script.stdout(), script.stderr()]).toEqual([`${ROW}${ROW}exit 0\n`, ''])
  })
})

describe('a reader that leaves', () => {
  const logweir = `{ logweir lines 'select a from lines'; echo "exit $?" >&2; }`

  it('ends the program with 0 while the input goes on', async () => {
    const script = startScript(`yes '{"a":1}' | ${logweir} | head -n 1`)
    await script.ended
    expect([script.stdout(), script.stderr()]).toEqual([ROW, 'exit 0\n'])
  })

  it.each([
    ['after a row', '1', ROW],
    ['before a row', '', ''],
  ])('ends the program with 0 while the input is silent, %s', async (_, a, row) => {
    const first = a === '' ? ':' : `echo '{"a":${a}}'`
    // The input stays open until the program has ended.
    const reader = a === '' ? 'sleep 2' : 'head -n 1'
    const script = startScript(`{ ${first}; sleep 40; echo late >&2; } | ${logweir} | ${reader}`)
    await expect.poll(script.stderr, { timeout: 20_000 }).toContain('exit')
    expect([script.stdout(), script.stderr()]).toEqual([row, 'exit 0\n'])
  })

  it('ends the program with 0 while groups are made of a silent input', async () => {
    const grouped = `{ logweir lines 'select count(*) as n from lines'; echo "exit $?" >&2; }`
    const script = startScript(`{ echo '{"a":1}'; sleep 40; echo late >&2; } | ${grouped} | sleep 2`)
    await expect.poll(script.stderr, { timeout: 20_000 }).toContain('exit')
    expect([script.stdout(), script.stderr()]).toEqual(['', 'exit 0\n'])
  })

  it('ends the program with 0 while threads work', async () => {
    const path = join(temporaryFolder(), 'many.ndjson')
    writeFileSync(path, `${JSON.stringify({ a: 1, pad: 'x'.repeat(100) })}\n`.repeat(300_000))
    const script = startScript(`{ logweir lines 'select a from lines' ${path}; echo "exit $?" >&2; } | head -n 2`)
    await script.ended
    expect([script.stdout(), script.stderr()]).toEqual([ROW + ROW, 'exit 0\n'])
  })
})

describe('standard input', () => {
  it.each([
    'SIGINT',
    'SIGTERM',
  ] as const)('that is silent does not keep the program from ending by %s', async (signal) => {
    const { child, input, text, exit } = started(['select a from lines'])
    input.write(ROW)
    await expect.poll(text).toBe(ROW)
    child.kill(signal)
    expect(await exit).not.toBe(0)
  })

  it('is not read if the SQL is wrong', async () => {
    const { input, exit, stderrText } = started(['select\n  cout(*)\nfrom lines'])
    expect(await exit).toBe(2)
    expect(stderrText()).toMatch(/^logweir: .*cout.* \(line 2, column 3\)\n {2}cout\(\*\)\n {2}\^\n$/)
    input.end()
  })

  it('is not needed without a table', async () => {
    const { text, exit } = started(['select 1 + 1 as two'])
    expect(await exit).toBe(0)
    expect(text()).toBe('{"two":2}\n')
  })

  it('may be nothing', async () => {
    const program = start(['lines', 'select count(*) as n from lines'])
    const [printed] = await once(program.child.stdout!, 'data')
    expect([printed.toString(), await program.exit]).toEqual(['{"n":0}\n', 0])
  })
})
