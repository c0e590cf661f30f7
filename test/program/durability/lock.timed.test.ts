import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { makeSilentFile } from '../support/lock.js'
import { launch, type Program, temporaryFolder } from '../support/program.js'

/** The limit of X1. */
const STOP_MS = 5_000

/** Resolves to the exit code or signal of a program, or to `late` if the program does not end in time. */
const endOf = ({ exit }: Program) => Promise.race([exit, wait(STOP_MS, 'late')])

describe('a data directory that cannot be used', () => {
  it('does not hold SIGTERM while files do not answer when rows are recovered', async () => {
    const dataDir = temporaryFolder()
    mkdirSync(join(dataDir, 'journal'))
    makeSilentFile(join(dataDir, 'journal/edge_logs-00000001.log'))
    const program = launch(['--data-dir', dataDir])
    await program.waitForStderr(/listening/)
    program.child.kill('SIGTERM')
    expect(await endOf(program)).not.toBe('late')
    expect(program.stderrText()).toContain('SIGTERM: stopping\n')
  })

  it('is refused at once if its format is no regular file, which may never answer', async () => {
    const dataDir = temporaryFolder()
    makeSilentFile(join(dataDir, 'format.json'))
    const program = launch(['--data-dir', dataDir])
    expect(await endOf(program)).not.toBe('late')
    expect(program.stderrText()).toMatch(/cannot be used: EINVAL: not a regular file, read '.*format\.json'/)
  })
})
