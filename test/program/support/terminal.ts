import { spawnSync } from 'node:child_process'
import { expect } from 'vitest'
import { CLI, type Program, start } from './program.js'

/** Whether the program `script`, which has a terminal of its own, is installed. */
export const hasTerminal = spawnSync('script', ['--version']).error === undefined

/** A command on a terminal. */
export interface OnTerminal {
  program: Program
  /** Waits until the terminal was sent a text with lines that end with a single newline. */
  shows(text: string): Promise<void>
  /** The text that the terminal was sent so far. */
  shown(): string
}

/** Starts `logweir ARGS`, which a shell splits into words, on a terminal of 20 columns and some lines. */
export function onTerminal(args: string, lines: number, environment: Record<string, string>): OnTerminal {
  const call = `stty cols 20 rows ${lines}; exec "${process.execPath}" "${CLI}" ${args}`
  const command = ['script', '-qfec', call, '/dev/null']
  const program = start([], { command, stdin: 'pipe', environment: { TERM: 'xterm', ...environment } })
  let shown = ''
  program.child.stdout!.on('data', (piece) => {
    shown += piece
  })
  return {
    program,
    shows: (text) => expect.poll(() => shown.replaceAll('\r', '')).toContain(text),
    shown: () => shown,
  }
}
