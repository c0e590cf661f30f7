import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { checkDirectory } from '../../../src/alerts/rules/check-directory.js'
import { openRules } from '../../../src/alerts/rules/open.js'
import { createFakeClock } from '../../support/clock.js'
import { eventually } from '../../support/eventually.js'

const RULE = '-- alert: every 30s\nselect project, count(*) as n from edge_logs group by project\n'

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'logweir-rules-'))
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  return made
}

const clock = createFakeClock()
const context = { tryPlan: async () => {}, hasReceiver: (name: string) => name === 'ops', clock }

it('loads the .sql files of a directory, and nothing else', async () => {
  const directory = folder()
  writeFileSync(join(directory, 'a.sql'), RULE)
  for (const name of ['_b.sql', '.c.sql', 'd.js', 'e.txt']) writeFileSync(join(directory, name), 'no rule')
  expect((await openRules(directory, context)).all().map(({ name }) => name)).toEqual(['a'])
})

it('refuses a wrong file at the start, and an unknown receiver', async () => {
  const directory = folder()
  const path = join(directory, 'a.sql')
  writeFileSync(path, RULE.replace('30s', '30s, notify oops'))
  await expect(openRules(directory, context)).rejects.toMatchObject({
    code: 'usage',
    message: `${path}: "notify oops" names no receiver: add a table [oops] to the file of --receivers`,
  })
  writeFileSync(path, RULE.replace('30s', '30'))
  await expect(openRules(directory, context)).rejects.toMatchObject({
    message: `${path}: "every" has no length of time: write "every 30s"; units s, m, h, d (line 1, column 11)`,
  })
})

it('reloads changed files, and keeps the previous version of a broken one', async () => {
  const directory = folder()
  writeFileSync(join(directory, 'a.sql'), RULE)
  const rules = await openRules(directory, context)
  const lines: string[] = []
  const stop = rules.watch(
    clock,
    (line) => lines.push(line),
    () => {},
  )
  onTestFinished(stop)
  const everies = () => rules.all().map(({ name, timing }) => `${name} ${timing.everyUs / 1e6}`)

  writeFileSync(join(directory, 'a.sql'), RULE.replace('30s', '5x'))
  writeFileSync(join(directory, 'b.sql'), RULE.replace('30s', '1m'))
  clock.advance(1000)
  await eventually(() => expect(everies()).toEqual(['a 30', 'b 60']))
  expect(lines[0]).toContain('alert rules: a.sql cannot be used; its previous version stays: a. ')

  writeFileSync(join(directory, 'a.sql'), RULE.replace('30s', '45s'))
  rmSync(join(directory, 'b.sql'))
  clock.advance(1000)
  await eventually(() => expect(everies()).toEqual(['a 45']))
  expect(lines.slice(2)).toEqual([
    'alert rules: b.sql was deleted; removed: b',
    'alert rules: a.sql changed; loaded: a',
  ])
})

it('checks all files of a directory, and goes on behind a wrong one', async () => {
  const directory = folder()
  writeFileSync(join(directory, 'a.sql'), RULE.replace('30s', '30s, for 2m, notify ops'))
  writeFileSync(join(directory, 'b.sql'), RULE.replace('30s', '5x'))
  writeFileSync(
    join(directory, 'c.sql'),
    '-- alert: every 1m\n-- severity: info\n-- labels:\nselect count(*) as n from edge_logs',
  )
  expect(await checkDirectory(directory, context)).toEqual([
    { line: 'a.sql: every 30s, for 2m, warning, labels project, notifies ops', isRight: true },
    { line: expect.stringContaining('b.sql: "every" has no length of time'), isRight: false },
    { line: 'c.sql: every 1m, info, no labels, notifies nobody', isRight: true },
  ])
})
