import { flagOf, type Setting, type Settings } from '../../config/setting.js'
import { onOff } from '../../config/value-types.js'
import type { Command } from '../command.js'

/** What shells complete, from the commands themselves: no list is kept by hand. */

/** What may follow some words of a command line. */
export interface Place {
  /** The words, as `schema clickhouse`; empty behind the program's name. */
  path: string
  next: readonly Word[]
  flags: readonly Flag[]
}

export interface Word {
  word: string
  meaning: string
}

export interface Flag {
  flag: string
  meaning: string
  /** What stands behind it: some words, a path, anything, or nothing. */
  takes: { words: readonly string[] } | 'file' | 'folder' | 'anything' | 'nothing'
}

const HELP: Flag = { flag: '--help', meaning: 'print the help', takes: 'nothing' }

/** Every place of a command line: behind the program, behind each word, behind each choice. */
export async function placesOf(commands: readonly Command[]): Promise<readonly Place[]> {
  const places = new Map<string, Place>()
  const top = commands.map(({ name, meaning }) => ({ word: name.split(' ')[0]!, meaning }))
  places.set('', {
    path: '',
    next: unique(top),
    flags: [{ ...HELP, flag: '--version', meaning: 'print the version' }, HELP],
  })
  for (const command of commands) {
    const [group, word] = command.name.split(' ')
    if (word !== undefined) {
      const { next = [] } = places.get(group!) ?? {}
      places.set(group!, { path: group!, next: [...next, { word, meaning: command.meaning }], flags: [] })
    }
    for (const place of await placesOfCommand(command, commands)) places.set(place.path, place)
  }
  return [...places.values()]
}

async function placesOfCommand(command: Command, commands: readonly Command[]): Promise<Place[]> {
  const { name, settings, choices } = command
  const flags = [...flagsOf(settings), HELP]
  const chosen = (await choices?.(commands)) ?? []
  return [
    { path: name, next: chosen.map(({ word }) => ({ word, meaning: '' })), flags },
    ...chosen.map((choice) => ({
      path: `${name} ${choice.word}`,
      next: [],
      flags: [...choice.flags.map((flag) => ({ ...flag, takes: 'anything' as const })), ...flags],
    })),
  ]
}

const unique = (words: readonly Word[]) =>
  [...new Map(words.toReversed().map((one) => [one.word, one])).values()].reverse()

function flagsOf(settings: Settings): Flag[] {
  return Object.entries(settings)
    .filter(([, { flag }]) => flag !== false)
    .map(([name, setting]) => ({ flag: flagOf(name), meaning: setting.meaning, takes: takenBy(setting) }))
}

function takenBy({ type }: Setting<unknown>): Flag['takes'] {
  if (type === onOff) return 'nothing'
  if (type.words !== undefined) return { words: type.words }
  if (type.placeholder === 'FILE') return 'file'
  return type.placeholder === 'DIR' ? 'folder' : 'anything'
}

/** Flags that take a value, at all places: the word behind one is never a command. */
export function valueFlags(places: readonly Place[]): string[] {
  return [
    ...new Set(places.flatMap(({ flags }) => flags.filter(({ takes }) => takes !== 'nothing').map((one) => one.flag))),
  ]
}
