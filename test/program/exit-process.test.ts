import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ROOT, temporaryFolder } from './support/program.js'

const MODULE = new URL(`file://${join(ROOT, 'dist/base/process/exit-process.js')}`).href

/** Makes a program that ends itself while a call to the file system never ends: opening a pipe without a writer. */
function makeStuckProgram(call: string): string {
  const folder = temporaryFolder()
  const [fifo, script] = [join(folder, 'fifo'), join(folder, 'stuck.mjs')]
  execFileSync('mkfifo', [fifo])
  const open = call === 'stuck' ? `open(${JSON.stringify(fifo)}, 'r')` : `open('/', 'r')`
  writeFileSync(
    script,
    `import { open } from 'node:fs/promises'
import { exitProcess } from ${JSON.stringify(MODULE)}
void ${open}
await exitProcess(7, performance.now() + 300)`,
  )
  return script
}

async function outcomeOf(command: string, args: readonly string[]): Promise<number | string> {
  const child = spawn(command, args, { stdio: 'ignore', timeout: 10_000, killSignal: 'SIGTERM' })
  onTestFinished(() => void child.kill('SIGKILL'))
  const [code, signal] = await once(child, 'exit')
  return code ?? signal
}

/** Whether a program can be the first process of a process namespace here, as in a container. */
function canBeFirst(): boolean {
  try {
    execFileSync('unshare', ['--pid', '--fork', 'true'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

describe('X1: a process that ends', () => {
  it('has its exit code if its calls to the file system end', async () => {
    expect(await outcomeOf(process.execPath, [makeStuckProgram('fast')])).toBe(7)
  })

  it('kills itself at the deadline if one never ends', async () => {
    expect(await outcomeOf(process.execPath, [makeStuckProgram('stuck')])).toBe('SIGKILL')
  })

  it.skipIf(!canBeFirst())('ends as the first process of a container too, which cannot kill itself', async () => {
    // unshare reports the signal that ended the child: a SIGSEGV, with which abort() ends if the SIGABRT is dropped.
    const first = ['--pid', '--fork', '--kill-child', process.execPath]
    expect(['SIGSEGV', 'SIGABRT', 134, 139]).toContain(
      await outcomeOf('unshare', [...first, makeStuckProgram('stuck')]),
    )
  })
})
