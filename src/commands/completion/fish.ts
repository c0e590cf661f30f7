import { type Flag, type Place, valueFlags } from './places.js'
import { askOwnWords, OWN_PLACE, quoted } from './posix.js'

/** The script for fish. */
export function fishScript(places: readonly Place[]): string {
  const lines = places.flatMap(({ path, next, flags }) => {
    const at = `complete -c logweir -n "test (__logweir_place) = '${path}'"`
    return [
      ...next.map(({ word, meaning }) => `${at} -a ${quoted(word)} -d ${quoted(meaning)}`),
      ...flags.map(({ flag, meaning, takes }) => `${at} -l ${flag.slice(2)} ${complete(takes)}-d ${quoted(meaning)}`),
    ]
  })
  return `# Completion of logweir for fish: logweir completion fish | source
function __logweir_place
  set -l place ''
  set -l before ''
  for word in (commandline -opc)[2..]
    if contains -- "$before" ${valueFlags(places).join(' ')}
      set before ''
      continue
    end
    set before $word
    set -l longer (string trim "$place $word")
    contains -- "$longer" ${places
      .filter(({ path }) => path !== '')
      .map(({ path }) => quoted(path))
      .join(' ')}
    and set place $longer
  end
  echo $place
end
complete -c logweir -f
complete -c logweir -n "test (__logweir_place) = '${OWN_PLACE}'" -a '(${askOwnWords('(commandline -cp)')})'
${lines.join('\n')}
`
}

function complete(takes: Flag['takes']): string {
  if (takes === 'nothing') return ''
  if (takes === 'file') return '-r -F '
  if (takes === 'folder') return "-x -a '(__fish_complete_directories)' "
  return takes === 'anything' ? '-x ' : `-x -a ${quoted(takes.words.join(' '))} `
}
