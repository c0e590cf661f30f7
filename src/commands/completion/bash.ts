import type { Flag, Place } from './places.js'
import { askOwnWords, cases, findPlace, OWN_PLACE, quoted, valueCases } from './posix.js'

/** The script for bash, 3.2 or newer. */
export function bashScript(places: readonly Place[]): string {
  const words = places.map(({ path, next, flags }) => {
    const all = [...next.map(({ word }) => word), ...flags.map(({ flag }) => flag)]
    return [quoted(path), `choices=${quoted(all.join(' '))}`] as const
  })
  return `# Completion of logweir for bash: source <(logweir completion bash)
_logweir() {
  local current="\${COMP_WORDS[COMP_CWORD]}" choices=''
  local previous="\${COMP_WORDS[COMP_CWORD-1]}"
  # bash takes --flag=value apart.
  [[ "$current" == = ]] && current=''
  [[ "$previous" == = ]] && previous="\${COMP_WORDS[COMP_CWORD-2]}"
${findPlace(places, `"\${COMP_WORDS[@]:1:COMP_CWORD-1}"`)}
  case "$place $previous" in
${valueCases(places, complete)}
  esac
  case "$place" in
${cases(words)}
  esac
  [[ "$place" == ${OWN_PLACE} ]] && choices+=" $(${askOwnWords(`"\${COMP_LINE:0:COMP_POINT}"`)})"
  COMPREPLY=($(compgen -W "$choices" -- "$current"))
}
complete -F _logweir logweir
`
}

function complete(takes: Exclude<Flag['takes'], 'nothing'>): string {
  if (takes === 'anything') return ''
  if (takes === 'file') return paths('-f')
  if (takes === 'folder') return paths('-d')
  return `COMPREPLY=($(compgen -W ${quoted(takes.words.join(' '))} -- "$current")); `
}

/** Names of files may hold spaces; older versions have no compopt. */
const paths = (kind: string) =>
  `local IFS=$'\\n'; compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen ${kind} -- "$current")); `
