import { describeSettings } from '../../config/describe-settings.js'
import type { Command } from './command.js'

/** Returns the usage of a command: `logweir query ENDPOINT [flags]`. */
function usageOf({ name, operand, settings }: Command): string {
  const flags = Object.keys(settings).length === 0 ? [] : ['[flags]']
  return ['logweir', name, ...(operand === undefined ? [] : [operand]), ...flags].join(' ')
}

/** Returns the text of `logweir --help`: the version and the commands. */
export function helpText(version: string, commands: readonly Command[]): string {
  return `logweir ${version}: takes the logs of a hosted database as NDJSON, stores them as Arrow columns, \
and answers stored queries over HTTP.

${listOf(commands)}
`
}

/** Returns the text of `logweir token --help`: the commands that begin with the same word. */
export const groupHelp = (commands: readonly Command[]): string => `${listOf(commands)}\n`

/** Lists the usage and the description of commands, a line each. */
function listOf(commands: readonly Command[]): string {
  const rows = [
    ...commands.map((command) => [usageOf(command), command.meaning]),
    ['logweir COMMAND --help', 'its flags, the variables that mirror them, and defaults'],
  ] as const
  const width = Math.max(...rows.map(([usage]) => usage.length))
  return rows.map(([usage, meaning]) => `  ${usage.padEnd(width)}  ${meaning}`).join('\n')
}

/** Returns the text of `logweir COMMAND --help`. */
export function commandHelp(command: Command): string {
  const parts = [`${usageOf(command)}: ${command.meaning}.`, ...describeFlags(command), command.remarks ?? []].flat()
  return `${parts.join('\n\n')}\n`
}

function describeFlags({ settings }: Command): string[] {
  const all = Object.values(settings)
  if (all.length === 0) return []
  const hasVariables = all.some(({ variable }) => variable !== false)
  const heading = hasVariables
    ? 'Flags, the variables that mirror them (a flag wins), and defaults'
    : 'Flags, and defaults'
  const file =
    'In the file of --config a setting has the name of its flag, or of its variable in lower case with dashes:\n' +
    'data-dir = "/var/lib/logweir". Variables win over the file.'
  return [`${heading}\n${describeSettings(settings).join('\n')}`, ...(settings.config === undefined ? [] : [file])]
}
