import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { MIB } from '../../../src/base/units.js'
import { AS_NOBODY, NO_SOCKETS } from '../support/lock.js'
import { launch, type Program, serve, served, temporaryFolder } from '../support/program.js'
import { makeVolume, VOLUME } from '../support/volume.js'

/** Far more than any of the ends takes. */
const END_MS = 30_000

/** Resolves to the exit code or signal of a program, or to `late` if the program does not end. */
const endOf = ({ exit }: Program) => Promise.race([exit, wait(END_MS, 'late')])

const lockOf = (dataDir: string) => join(dataDir, 'lock.json')

describe('a data directory that cannot be used', () => {
  it.runIf(existsSync('/proc/self'))('ends the program where the system says ENOENT for whatever is made', async () => {
    const program = launch(['--data-dir', '/proc/logweir/data'])
    expect(await endOf(program)).toBeTypeOf('number')
    expect(program.stderrText()).toMatch(
      new RegExp(
        "^logweir: --data-dir /proc/logweir/data cannot be written: ENOENT: .* mkdir '/proc/logweir'\\. " +
          'This process runs as uid \\d+.*\\. Something on this path is missing: .*\\n$',
      ),
    )
  })

  it('is told with file, user and remedy if it belongs to another user', async () => {
    const folder = temporaryFolder()
    chmodSync(folder, 0o555)
    for (const dataDir of [folder, join(folder, 'data')]) {
      const program = launch(['--data-dir', dataDir], { environment: AS_NOBODY })
      expect(await endOf(program)).toBeTypeOf('number')
      expect(program.stderrText()).toMatch(
        new RegExp(
          `^logweir: --data-dir ${dataDir} cannot be written: EACCES: .* '${dataDir}'\\. ` +
            `This process runs as uid \\d+ .*chown -R \\d+ ${dataDir}\\).*\\n$`,
        ),
      )
    }
    chmodSync(folder, 0o755)
  })

  /** Makes a directory with a file that the user of the program may not read, and returns the path of both. */
  function withForeignFile(name: string) {
    const dataDir = temporaryFolder()
    mkdirSync(join(dataDir, 'journal'))
    writeFileSync(join(dataDir, name), '', { mode: 0 })
    for (const path of [dataDir, join(dataDir, 'journal')]) chmodSync(path, 0o777)
    return { dataDir, path: join(dataDir, name) }
  }

  it('is told with file, user and remedy if a file in it belongs to another user', async () => {
    for (const name of ['format.json', 'lock.json']) {
      const { dataDir, path } = withForeignFile(name)
      const program = launch(['--data-dir', dataDir], { environment: AS_NOBODY })
      expect(await endOf(program)).toBeTypeOf('number')
      expect(program.stderrText()).toMatch(
        new RegExp(`EACCES: .*'${path}'\\. This process runs as uid \\d+ .*chown -R \\d+ ${path}\\)`),
      )
    }
  })

  it('is used without a journal that belongs to another user, and the journal is named', async () => {
    const { dataDir, path } = withForeignFile('journal/edge_logs-00000001.log')
    const service = await serve(['--data-dir', dataDir], { environment: AS_NOBODY })
    expect(service.stderrText()).toMatch(new RegExp(`${path} .*EACCES`))
    expect(await service.metric('logweir_unreadable_journals_total')).toBe(1)
    service.child.kill('SIGTERM')
    expect(await endOf(service)).toBe(0)
  })
})

const REFUSED = `is refused if the disk is full, which leaves no lock behind, and taken once there is room (${VOLUME})`

describe('a data directory on a mount without Unix sockets', () => {
  const onMount = (dataDir: string) => [['--data-dir', dataDir], { environment: NO_SOCKETS }] as const

  it('is locked by lock.json: refused while it is held, free after SIGTERM', async () => {
    const dataDir = temporaryFolder()
    const first = await serve(...onMount(dataDir))
    const held = readFileSync(lockOf(dataDir), 'utf8')
    const second = launch(...onMount(dataDir))
    expect(await endOf(second)).toBeTypeOf('number')
    expect(second.stderrText()).toMatch(
      /The data directory .* is in use by a process on host .* Stop that one, or give another/,
    )
    expect(readFileSync(lockOf(dataDir), 'utf8')).toBe(held)
    first.child.kill('SIGTERM')
    expect(await endOf(first)).toBe(0)
    expect(existsSync(lockOf(dataDir))).toBe(false)
    await serve(...onMount(dataDir))
  })

  it(REFUSED, async () => {
    const volume = makeVolume(MIB)
    const giveBack = volume.fill()
    const options = { NODE_OPTIONS: `${NO_SOCKETS.NODE_OPTIONS} ${volume.environment.NODE_OPTIONS ?? ''}` }
    const start = () => launch(['--data-dir', volume.directory], { environment: { ...volume.environment, ...options } })
    const program = start()
    expect(await endOf(program)).toBeTypeOf('number')
    expect(program.stderrText()).toMatch(
      new RegExp(
        "^logweir: The data directory .* cannot be locked: ENOSPC: .*lock\\.json'\\. This process runs as uid .*" +
          'Its disk is full: free some space, or choose another place\\.\\n$',
      ),
    )
    expect(readdirSync(volume.directory)).toEqual([])
    giveBack()
    await served(start())
    expect(existsSync(lockOf(volume.directory))).toBe(true)
  })

  it.each([
    ['removed', (path: string) => rmSync(path)],
    ['replaced', (path: string) => writeFileSync(path, '{"id":"other"}')],
  ])('ends its holder with 1 when lock.json was %s', async (what, change) => {
    const dataDir = temporaryFolder()
    const service = await serve(...onMount(dataDir))
    change(lockOf(dataDir))
    expect(await endOf(service)).toBe(1)
    expect(service.stderrText()).toContain(
      `${lockOf(dataDir)} was removed or replaced, so another logweir may have the data directory`,
    )
    expect(existsSync(lockOf(dataDir)) && readFileSync(lockOf(dataDir), 'utf8')).toBe(
      what === 'replaced' && '{"id":"other"}',
    )
  })

  it.each(['SIGTERM', 'SIGINT'] as const)('is waited for after a kill, which %s ends with 0', async (signal) => {
    const dataDir = temporaryFolder()
    const first = await serve(...onMount(dataDir))
    first.child.kill('SIGKILL')
    await first.exit
    const left = readFileSync(lockOf(dataDir), 'utf8')
    const second = launch(...onMount(dataDir))
    await second.waitForStderr(/lock\.json exists already: it is taken over if it does not change for 10 s\n/)
    second.child.kill(signal)
    expect(await endOf(second)).toBe(0)
    expect(readFileSync(lockOf(dataDir), 'utf8')).toBe(left)
  })
})
