import { flagOf, type Setting, type Settings } from '../../config/setting.js'
import { onOff } from '../../config/value-types.js'

/** Positions of a command line and the words that shells offer there, derived from the commands themselves. */

/** A value that a command accepts as the operand, and the flags that are valid only with that value. */
export interface Choice {
  word: string
  flags: readonly { flag: string; meaning: string }[]
}

/** A kind of paths. */
export type PathKind = 'file' | 'folder'

/** A command as completion sees it. */
export interface CompletableCommand {
  /** A word, or two words such as `schema clickhouse`. */
  name: string
  meaning: string
  settings: Settings
  /** The kind of paths that the operand has. */
  operandPath?: PathKind | undefined
  /** The values of the operand. Empty if the values cannot be listed. */
  choices: readonly Choice[]
}

/** A position on the command line: the preceding words, and the words and flags that may follow. */
export interface Position {
  /** The preceding words, such as `schema clickhouse`. Empty directly after the program's name. */
  path: string
  words: readonly Word[]
  /** The kind of paths that may follow. */
  takes?: PathKind | undefined
  flags: readonly Flag[]
}

/** A word that a shell offers, with a description. */
interface Word {
  word: string
  meaning: string
}

/** The argument of a flag: a word of a list, a path, any text, or none. */
export type FlagArgument = { words: readonly string[] } | PathKind | 'anything' | 'nothing'

/** A flag that a shell offers, such as `--data-dir`. */
interface Flag {
  flag: string
  meaning: string
  argument: FlagArgument
}

const HELP: Flag = { flag: '--help', meaning: 'print the help', argument: 'nothing' }
const VERSION: Flag = { flag: '--version', meaning: 'print the version', argument: 'nothing' }

/** Returns every position: after the program's name, after each command, and after each operand of a command. */
export function listPositions(commands: readonly CompletableCommand[]): readonly Position[] {
  const positions = new Map<string, Position>()
  const firstWords = commands.map(({ name, meaning }) => ({ word: name.split(' ')[0], meaning }))
  positions.set('', { path: '', words: withoutDuplicates(firstWords), flags: [VERSION, HELP] })
  for (const command of commands) {
    const [group, word] = command.name.split(' ') as [string, string?]
    if (word !== undefined) {
      const { words = [], ...ofCommand } = positions.get(group) ?? { path: group, flags: [] }
      positions.set(group, { ...ofCommand, words: [...words, { word, meaning: command.meaning }] })
    }
    for (const position of positionsOfCommand(command)) positions.set(position.path, position)
  }
  return [...positions.values()]
}

function positionsOfCommand({ name, settings, choices, operandPath }: CompletableCommand): Position[] {
  const flags = [...flagsOf(settings), HELP]
  return [
    { path: name, words: choices.map(({ word }) => ({ word, meaning: '' })), takes: operandPath, flags },
    ...choices.map((choice) => ({
      path: `${name} ${choice.word}`,
      words: [],
      flags: [...choice.flags.map((flag) => ({ ...flag, argument: 'anything' as const })), ...flags],
    })),
  ]
}

/**
 * Removes duplicates, since the commands of a group share their first word. The description of the first word is kept.
 */
const withoutDuplicates = (words: readonly Word[]) =>
  [...new Map(words.toReversed().map((one) => [one.word, one])).values()].reverse()

function flagsOf(settings: Settings): Flag[] {
  return Object.entries(settings)
    .filter(([, { flag }]) => flag !== false)
    .map(([name, setting]) => ({ flag: flagOf(name), meaning: setting.meaning, argument: argumentOf(setting) }))
}

function argumentOf({ type }: Setting<unknown>): FlagArgument {
  if (type === onOff) return 'nothing'
  if (type.words !== undefined) return { words: type.words }
  if (type.placeholder === 'FILE') return 'file'
  return type.placeholder === 'DIR' ? 'folder' : 'anything'
}

/** Returns the flags of all positions that take a value: the word after such a flag is never a command. */
export function flagsWithValue(positions: readonly Position[]): string[] {
  const flags = positions.flatMap((position) => position.flags.filter(({ argument }) => argument !== 'nothing'))
  return [...new Set(flags.map(({ flag }) => flag))]
}
