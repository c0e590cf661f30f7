import { expect, it } from 'vitest'
import { start, until } from '../support/program.js'

const SQL = 'select timestamp_trunc(timestamp, second) as s, count(*) as n from lines group by s'

/** Starts a query that follows the standard input. Returns how to write lines, and the printed text. */
function follow(sql: string) {
  const program = start(['lines', '--follow', '--late', '2s', sql], { stdin: 'pipe' })
  let printed = ''
  program.child.stdout!.on('data', (chunk) => {
    printed += chunk
  })
  const rows = () => printed.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]))
  const write = (...lines: object[]) =>
    program.child.stdin!.write(lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  return { ...program, rows, write }
}

const bucket = (second: number, n: number) => ({ s: second * 1e6, n })

it('prints a bucket while the input goes on, and by Ctrl-C those that are open', async () => {
  const { child, exit, rows, write } = follow(SQL)
  write({ ts: 1_796_000_000.5 }, { ts: 1_796_000_001 })
  write({ ts: 1_796_000_000.25 }, { ts: 1_796_000_003 })
  await until(
    async () => rows(),
    (all) => all.length === 1,
  )
  write({ ts: 1_796_000_003.75 })
  child.kill('SIGINT')
  expect(await exit).toBe(0)
  const [first, ...others] = rows()
  expect(first).toEqual(bucket(1_796_000_000, 2))
  // The last line may come behind the signal.
  expect([1, 2]).toContain(others.at(-1).n)
  expect(others).toEqual([bucket(1_796_000_001, 1), bucket(1_796_000_003, others.at(-1).n)])
})

it('prints the groups that have changed, again and again', async () => {
  const { child, exit, rows, write } = follow('select k, count(*) as n from lines group by k')
  write({ k: 'a' }, { k: 'b' })
  await until(
    async () => rows(),
    (all) => all.length === 2,
  )
  write({ k: 'a' })
  await until(
    async () => rows(),
    (all) => all.length === 3,
  )
  child.stdin!.end('{"k":"c"}')
  expect(await exit).toBe(0)
  expect(rows()).toEqual([
    { k: 'a', n: 1 },
    { k: 'b', n: 1 },
    { k: 'a', n: 2 },
    { k: 'c', n: 1 },
  ])
})
