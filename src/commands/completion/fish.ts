import { type FlagArgument, flagsWithValue, type Position } from './positions.js'
import { ENDPOINT_POSITIONS, endpointWordsCommand, quoted } from './posix.js'

/** Returns the beginning of a command that offers words at a position. */
const completeAt = (path: string) => `complete -c logweir -n "test (__logweir_position) = '${path}'"`

const FOLDERS = "-a '(__fish_complete_directories)'"

/** Returns the completion script for fish. */
export function fishScript(positions: readonly Position[]): string {
  const lines = positions.flatMap(({ path, words, takes, flags }) => {
    const at = completeAt(path)
    return [
      ...(takes ? [`${at} ${takes === 'file' ? '-F' : FOLDERS}`] : []),
      ...words.map(({ word, meaning }) => `${at} -a ${quoted(word)} -d ${quoted(meaning)}`),
      ...flags.map(
        ({ flag, meaning, argument }) => `${at} -l ${flag.slice(2)} ${complete(argument)}-d ${quoted(meaning)}`,
      ),
    ]
  })
  return `# Completion of logweir for fish: logweir completion fish | source
function __logweir_position
  set -l position ''
  set -l before ''
  for word in (commandline -opc)[2..]
    if contains -- "$before" ${flagsWithValue(positions).join(' ')}
      set before ''
      continue
    end
    set before $word
    set -l longer (string trim "$position $word")
    contains -- "$longer" ${positions
      .filter(({ path }) => path !== '')
      .map(({ path }) => quoted(path))
      .join(' ')}
    and set position $longer
  end
  echo $position
end
complete -c logweir -f
${ENDPOINT_POSITIONS.map(completeEndpoints).join('\n')}
${lines.join('\n')}
`
}

function complete(argument: FlagArgument): string {
  if (argument === 'nothing') return ''
  if (argument === 'file') return '-r -F '
  if (argument === 'folder') return `-x ${FOLDERS} `
  return argument === 'anything' ? '-x ' : `-x -a ${quoted(argument.words.join(' '))} `
}

const completeEndpoints = (path: string) => `${completeAt(path)} -a '(${endpointWordsCommand('(commandline -cp)')})'`
