import { usageError } from '../../base/failures.js'
import { didYouMean } from '../../base/text/nearest.js'
import type { Command } from './command.js'

/** Returns the command that the arguments begin with, and the arguments after the name. Throws `usage`. */
export function findCommand(args: readonly string[], commands: readonly Command[]) {
  if (args.length === 0) throw usageError('no command. Try: logweir serve, or logweir --help')
  const command = commandOf(args, commands)
  if (command === undefined) throw unknownCommand(args, commands)
  return { command, rest: args.slice(command.name.split(' ').length) }
}

/** Returns the command that the words begin with, or all commands of a group: `token` is three. Throws `usage`. */
export function findGroup(words: readonly string[], commands: readonly Command[]): readonly Command[] {
  const command = commandOf(words, commands)
  if (command !== undefined) return [command]
  const group = words.length === 1 ? groupOf(words[0], commands) : []
  if (group.length === 0) throw unknownCommand(words, commands)
  return group
}

/** The command with the longest name: `views drop` is not `views`. */
const commandOf = (words: readonly string[], commands: readonly Command[]) =>
  commands
    .filter(({ name }) => name.split(' ').every((word, i) => words[i] === word))
    .sort((a, b) => b.name.length - a.name.length)
    .at(0)

const groupOf = (word: string, commands: readonly Command[]) =>
  commands.filter(({ name }) => name.startsWith(`${word} `))

function unknownCommand(words: readonly string[], commands: readonly Command[]) {
  const [first] = words as [string]
  const group = groupOf(first, commands)
  if (group.length === 0) {
    const known = new Set(commands.map(({ name }) => name.split(' ')[0]))
    return usageError(`unknown command ${JSON.stringify(first)}. ${didYouMean(first, [...known])} Try: logweir --help`)
  }
  const typed = words.slice(0, 2).join(' ')
  const names = group.map(({ name }) => `logweir ${name}`).join(', ')
  return usageError(`unknown command ${JSON.stringify(typed)}. There is: ${names}.`)
}
