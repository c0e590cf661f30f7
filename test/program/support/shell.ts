import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { onTestFinished } from 'vitest'
import { CLI } from './program.js'

/**
 * Runs `logweir ARGS | READER` in a shell, for the pipes of a shell. Returns the output of both, and the exit code of
 * logweir.
 */
export async function piped(args: string, reader: string, environment: Record<string, string> = {}) {
  const script = `{ "${process.execPath}" "${CLI}" ${args}; echo "exit $?" >&2; } | ${reader}`
  const env = { PATH: process.env.PATH, LOGWEIR_TOKEN: 'open', ...environment }
  const shell = spawn('sh', ['-c', script], { stdio: ['ignore', 'pipe', 'pipe'], env, detached: true })
  onTestFinished(() => {
    try {
      process.kill(-shell.pid!, 'SIGKILL')
    } catch {}
  })
  let [stdout, stderr] = ['', '']
  shell.stdout.on('data', (piece) => {
    stdout += piece
  })
  shell.stderr.on('data', (piece) => {
    stderr += piece
  })
  await once(shell, 'close')
  return { stdout, stderr }
}

/** A script of a shell in which `logweir` is the built program. Its processes are killed when the test ends. */
export interface Script {
  stdout(): string
  stderr(): string
  /** Resolves when the script, and every process that has its output, has ended. */
  ended: Promise<void>
}

/** Starts a script, for commands with pipes on both sides. */
export function startScript(script: string, environment: Record<string, string> = {}): Script {
  const logweir = `logweir() { "${process.execPath}" "${CLI}" "$@"; }`
  const env = { PATH: process.env.PATH, ...environment }
  const shell = spawn('sh', ['-c', `${logweir}\n${script}`], { stdio: ['ignore', 'pipe', 'pipe'], env, detached: true })
  onTestFinished(() => {
    try {
      process.kill(-shell.pid!, 'SIGKILL')
    } catch {}
  })
  let [stdout, stderr] = ['', '']
  shell.stdout.on('data', (piece) => {
    stdout += piece
  })
  shell.stderr.on('data', (piece) => {
    stderr += piece
  })
  return {
    stdout: () => stdout,
    stderr: () => stderr,
    ended: once(shell, 'close').then(() => {}),
  }
}
