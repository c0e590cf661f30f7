import { type Flag, type Place, valueFlags } from './places.js'

/** What the scripts of bash and zsh have in common. */

/** A text in single quotes, in which neither these shells nor fish see anything but quotes and backslashes. */
export const quoted = (text: string): string => `'${text.replaceAll("'", '’').replaceAll('\\', '')}'`

/** The branches of a `case`, one for each body. */
export function cases(rows: readonly (readonly [pattern: string, body: string])[]): string {
  const patterns = new Map<string, string[]>()
  for (const [pattern, body] of rows) patterns.set(body, [...(patterns.get(body) ?? []), pattern])
  return [...patterns].map(([body, all]) => `    ${all.join('|')}) ${body} ;;`).join('\n')
}

const knownPaths = (places: readonly Place[]) =>
  places
    .filter(({ path }) => path !== '')
    .map(({ path }) => quoted(path))
    .join('|')

/** The words that were typed so far, as far as they are a place. The same in bash and zsh, but for the array of words. */
export const findPlace = (places: readonly Place[], typed: string) => `  local place='' word before=''
  for word in ${typed}; do
    case "$before" in ${valueFlags(places).join('|')}) before=''; continue ;; esac
    before="$word"
    case "\${place:+$place }$word" in ${knownPaths(places)}) place="\${place:+$place }$word" ;; esac
  done`

/** The branches for what stands behind a flag that takes a value; `complete` is the shell's way to say what may. */
export function valueCases(
  places: readonly Place[],
  complete: (takes: Exclude<Flag['takes'], 'nothing'>) => string,
): string {
  const rows = places.flatMap(({ path, flags }) =>
    flags.flatMap(({ flag, takes }) =>
      takes === 'nothing' ? [] : [[quoted(`${path} ${flag}`), `${complete(takes)}return`] as const],
    ),
  )
  return cases(rows)
}

/** Where endpoints of users are completed: the running service knows them. */
export const OWN_PLACE = 'query'

/** Asks for the words of that place, silently; `line` is the shell's way to name what was typed up to the cursor. */
export const askOwnWords = (line: string): string => `logweir completion endpoints ${line} 2>/dev/null </dev/null`
