import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')
const FILES = {
  'good.test.js': `test('passes', () => {})`,
  'bad.test.js': `describe('a group', () => test('fails', () => expect(1).toBe(2)))
    test.skip('is left out', () => {})`,
  'unread.test.js': `throw new Error('cannot be loaded')`,
  'hook.test.js': `describe('a group', () => {
    afterAll(() => { throw new Error('in a hook') })
    test('passes', () => {})
  })`,
  'late.test.js': `test('passes', async () => {
    Promise.reject(new Error('that nobody awaits'))
    await new Promise((resolve) => setTimeout(resolve, 50))
  })`,
}

test('reports tests that fail or are skipped, and each error outside of a test', () => {
  const folder = mkdtempSync(join(tmpdir(), 'logweir-reporter-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  for (const [name, content] of Object.entries(FILES)) writeFileSync(join(folder, name), content)
  const report = join(folder, 'report.json')
  const program = join(ROOT, 'node_modules/vitest/vitest.mjs')
  const options = ['--globals', `--reporter=${join(ROOT, 'scripts/reporter.mjs')}`]
  const env = { ...process.env, LOGWEIR_TEST_REPORT: report }
  expect(spawnSync(process.execPath, [program, 'run', ...options], { cwd: folder, env }).status).toBe(1)
  const { passed, failures, files } = JSON.parse(readFileSync(report, 'utf8'))
  expect(passed).toBe(3)
  expect(failures.sort()).toEqual([
    'bad.test.js: a group > fails (failed): expected 1 to be 2 // Object.is equality',
    'bad.test.js: is left out (skipped): ',
    'hook.test.js: outside of its tests: in a hook',
    'late.test.js:2: outside of a test: that nobody awaits',
    'unread.test.js: outside of its tests: cannot be loaded',
  ])
  expect(files.map(({ name }: { name: string }) => name).sort()).toEqual(Object.keys(FILES).sort())
})
