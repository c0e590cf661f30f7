import { cpSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { allNumbers, numberedLine } from '../support/numbered.js'
import { launch, ROOT, run, type Served, served, temporaryFolder, until } from '../support/program.js'

const START_US = (Date.now() - 3_600_000) * 1000
const ROWS = 6_000
const NO_TOKENS = { environment: { LOGWEIR_ACCESS_TOKENS: '' } }
const PROJECTS = '/api/projects'

/** The files and directories that docs/operations.md says to copy, in this order. */
function copied(): string[] {
  const text = readFileSync(join(ROOT, 'docs/operations.md'), 'utf8')
  const [, list] = /^\*\*Backup\*\*: copy (.*?) last, whether the service/ms.exec(text)!
  return [...list!.matchAll(/`(.+?)`/g)].map(([, name]) => name!)
}

/** Copies a directory by the steps of the document, while a service writes to the directory: files may vanish. */
function backUp(from: string, to: string): void {
  for (const name of copied()) copyTree(join(from, name), join(to, name))
}

function copyTree(from: string, to: string): void {
  const found = statSync(from, { throwIfNoEntry: false })
  if (found?.isDirectory()) {
    mkdirSync(to)
    for (const name of readdirSync(from)) copyTree(join(from, name), join(to, name))
  } else if (found !== undefined) cpSync(from, to, { preserveTimestamps: true })
}

async function write(service: Served, from: number, to: number): Promise<void> {
  for (let number = from; number < to; number++)
    service.child.stdin!.write(numberedLine(number, START_US, 'x'.repeat(900)))
  await until(
    () => service.metric('logweir_rows{source="edge_logs"}'),
    (rows) => rows === to,
  )
}

const createToken = async (dataDir: string) =>
  (await run(['token', 'create', '--data-dir', dataDir, '--name', 'reader'])).stdout.toString().trim()

describe('a backup', () => {
  it('names the tokens, and segments last', () => {
    const names = [
      'deletions',
      'retention.json',
      'mask.key',
      'format.json',
      'token',
      'tokens.json',
      'alerts',
      'views',
      'unconfirmed',
      'journal',
      'segments',
    ]
    expect(copied()).toEqual(names)
  })

  it('of a running service that seals has its rows, and its tokens work', async () => {
    const dataDir = temporaryFolder()
    const created = await createToken(dataDir)
    const args = ['--data-dir', dataDir, '--memory-limit', '16M']
    const service = await served(launch(args, NO_TOKENS), created)
    await write(service, 0, ROWS)
    const more = write(service, ROWS, 2 * ROWS)
    const backup = temporaryFolder()
    backUp(dataDir, backup)
    await more
    expect(statSync(join(backup, 'tokens.json')).mode & 0o777).toBe(0o600)
    const { code, stdout } = await run(['check', backup])
    expect([code, stdout.toString()]).toEqual([0, expect.stringMatching(/: no fault\n$/)])
    const restored = await served(launch(['--data-dir', backup], NO_TOKENS), created)
    expect((await restored.get(PROJECTS)).status).toBe(200)
    expect((await restored.get(PROJECTS, { headers: { 'X-API-KEY': `${created}0` } })).status).toBe(401)
    const numbers = await allNumbers(restored, START_US)
    expect(numbers.length).toBeGreaterThanOrEqual(ROWS)
    expect(numbers).toEqual([...Array(numbers.length).keys()])
    expect(restored.stderrText()).not.toMatch(/damaged|cannot|created an access token/)
  })
})
