import { didYouMean } from '../base/nearest.js'
import { usageError } from '../base/settings.js'
import type { Command } from './command.js'
import { completion } from './completion.js'
import { config } from './config.js'
import { exportTo } from './export.js'
import { generate } from './generate.js'
import { query } from './query.js'
import { schema } from './schema.js'
import { serve } from './serve.js'
import { tail } from './tail.js'
import { tokenCreate, tokenList, tokenRevoke } from './token.js'

/** Every command, in the order of the help. Another is one file and one line here. */
export const COMMANDS: readonly Command[] = [
  serve,
  query,
  tail,
  config,
  tokenCreate,
  tokenList,
  tokenRevoke,
  generate,
  schema,
  exportTo,
  completion,
]

/** The command that arguments begin with, and the arguments behind its name. Throws `usage`. */
export function findCommand(args: readonly string[]): { command: Command; rest: readonly string[] } {
  const [first] = args
  if (first === undefined) throw usageError('no command. Try: logweir serve, or logweir --help')
  const command = COMMANDS.find(({ name }) => name.split(' ').every((word, i) => args[i] === word))
  if (command !== undefined) return { command, rest: args.slice(command.name.split(' ').length) }
  throw usageError(`unknown command ${describeUnknown(first, args[1])}`)
}

function describeUnknown(first: string, second: string | undefined): string {
  const group = COMMANDS.map(({ name }) => name).filter((name) => name.startsWith(`${first} `))
  if (group.length === 0) {
    const words = new Set(COMMANDS.map(({ name }) => name.split(' ')[0]!))
    return `${JSON.stringify(first)}. ${didYouMean(first, [...words])} Try: logweir --help`
  }
  const typed = [first, ...(second === undefined ? [] : [second])].join(' ')
  return `${JSON.stringify(typed)}. There is: ${group.map((name) => `logweir ${name}`).join(', ')}.`
}
