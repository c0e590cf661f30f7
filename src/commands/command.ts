import { LogweirError } from '../base/errors.js'
import type { Log } from '../base/log.js'
import type { Environment, Settings } from '../config/setting.js'

/** What a supervisor sees: done; failed, so that another attempt may help; called wrongly, so that none will. */
export const EXIT = { ok: 0, failure: 1, usage: 2 }

/** What a command works with. */
export interface Context {
  environment: Environment
  /** Says one line to the person who runs the program. */
  log: Log
  stdout: NodeJS.WriteStream
  stderr: NodeJS.WriteStream
  commands: readonly Command[]
}

/** A word that a command takes first, and the flags that only go with it. */
export interface Choice {
  word: string
  flags: readonly { flag: string; meaning: string }[]
}

/** A command: help, completion and the program itself all come from here. */
export interface Command {
  /** How it is called: one word, or two as in `schema clickhouse`. */
  name: string
  /** What stands between the name and the flags: `ENDPOINT`. */
  operand?: string
  meaning: string
  settings: Settings
  /** More for `--help` than settings say. */
  remarks?: string
  /** What the operand may be, for the shell to complete. */
  choices?(commands: readonly Command[]): Promise<readonly Choice[]>
  /** Runs with the arguments behind the name. Gives the exit code; throws `usage`. */
  run(args: readonly string[], context: Context): Promise<number>
}

/** Logs why a command failed, and returns its exit code. Only `usage` is a fault of the call: all else may pass. */
export function failed(error: unknown, log: Log): number {
  const isOurs = error instanceof LogweirError
  const { code, message } = isOurs ? error : { code: 'failed', message: messageOf(error) }
  log(message, { level: 'error', code })
  return code === 'usage' ? EXIT.usage : EXIT.failure
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

/** Writes and waits until it is out. Rejects with EPIPE where the reader has gone. */
export function write(to: NodeJS.WriteStream, text: string | Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    to.write(text, (error) => (error ? reject(error) : resolve()))
  })
}
