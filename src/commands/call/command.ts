import { LogweirError } from '../../base/errors.js'
import type { Log } from '../../base/log.js'
import type { Environment } from '../../config/environment.js'
import type { Settings } from '../../config/setting.js'
import type { Choice } from '../completion/positions.js'

/** Exit codes. After a failure, another attempt may succeed. After wrong usage, no attempt will. */
export const EXIT = { ok: 0, failure: 1, usage: 2 }

/** The environment in which a command runs. */
export interface Context {
  environment: Environment
  /** Writes a line to standard error. */
  log: Log
  stdout: NodeJS.WriteStream
  stderr: NodeJS.WriteStream
  /** All commands, for help and completion. */
  commands: readonly Command[]
}

/** A command of the program. Help, completion and call are derived from this. */
export interface Command {
  /** A word, or two words such as `schema clickhouse`. */
  name: string
  /** The operand between the name and the flags, as in the help: `ENDPOINT`. */
  operand?: string
  /** A line for the list of commands. */
  meaning: string
  settings: Settings
  /** Text that `--help` shows after the settings. */
  remarks?: string
  /** The kind of paths that the operand has, which shells then offer. */
  operandPath?: 'folder' | 'file'
  /** Returns the values that shells offer as the operand. */
  choices?(commands: readonly Command[]): Promise<readonly Choice[]>
  /** Runs with the arguments after the name. Returns the exit code. Throws `usage`. */
  run(args: readonly string[], context: Context): Promise<number>
}

/**
 * Logs why a command failed, and returns the exit code: `EXIT.usage` for the error code `usage`, else `EXIT.failure`.
 */
export function logFailure(error: unknown, log: Log): number {
  const isOurs = error instanceof LogweirError
  const { code, message } = isOurs ? error : { code: 'failed', message: messageOf(error) }
  log(message, { level: 'error', code })
  return code === 'usage' ? EXIT.usage : EXIT.failure
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

/**
 * Writes to a stream. Resolves when the data has been written, or rejects with EPIPE if the reader has closed the pipe.
 */
export function write(to: NodeJS.WriteStream, text: string | Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    to.write(text, (error) => (error ? reject(error) : resolve()))
  })
}
