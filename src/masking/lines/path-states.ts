import { ANY_KEYS } from '../rule.js'

/** A path of keys, and the number of the rule that has the path. */
export interface RulePath {
  path: readonly string[]
  rule: number
}

/** The paths that lead through an object, as the state of an automaton. A state is made when a record needs it. */
export interface PathState {
  /** The number of the first rule with a path that ends with the key before. Undefined if none does. */
  rule: number | undefined
  /** Returns the state below the key bytes[start, end), which has no escapes. */
  below(bytes: Uint8Array, start: number, end: number): PathState
  /** Returns the state below a key. */
  belowKey(key: string): PathState
}

/** The rest of a path: the keys from `at` on. */
interface Rest {
  path: readonly string[]
  at: number
  rule: number
}

interface Edge {
  name: string
  key: Uint8Array
  state: PathState
}

/** States that are kept. A sender decides which states are made; some paths lead to very many. */
const MAX_STATES = 10_000

/** Returns a function that returns the state of the metadata, before the first key. */
export function createPaths(paths: readonly RulePath[]): () => PathState {
  const states = new Map<string, PathState>()

  function stateOf(rests: readonly Rest[]): PathState {
    const id = rests.map(({ rule, at }) => `${rule}:${at}`).join()
    let state = states.get(id)
    if (state === undefined) states.set(id, (state = createState(rests, stateOf)))
    return state
  }

  const first = () => stateOf(paths.flatMap(({ path, rule }) => withSkipped({ path, at: 0, rule })))
  let start = first()
  return () => {
    if (states.size <= MAX_STATES) return start
    states.clear()
    start = first()
    return start
  }
}

function createState(rests: readonly Rest[], stateOf: (rests: readonly Rest[]) => PathState): PathState {
  const names = new Set(rests.flatMap(({ path, at }) => path.slice(at, at + 1)).filter((key) => key !== ANY_KEYS))
  let edges: readonly Edge[] | undefined
  let other: PathState | undefined
  const belowOther = () => (other ??= stateOf(restsBelow(rests, undefined)))
  const edgesOf = () => (edges ??= [...names].map(edgeOf))
  const edgeOf = (name: string) => ({ name, key: Buffer.from(name), state: stateOf(restsBelow(rests, name)) })
  return {
    rule: rests.find(isWhole)?.rule,
    below(bytes, start, end) {
      for (const { key, state } of edgesOf()) if (isKey(key, bytes, start, end)) return state
      return belowOther()
    },
    belowKey: (key) => edgesOf().find(({ name }) => name === key)?.state ?? belowOther(),
  }
}

/** Whether a path ends here. A last `*` is any key. */
const isWhole = ({ path, at }: Rest) => at === path.length

/** Returns the rests below a key; undefined is a key that no path has. */
function restsBelow(rests: readonly Rest[], key: string | undefined): Rest[] {
  const below: Rest[] = []
  for (const rest of rests) {
    const { path, at, rule } = rest
    const wanted = path[at]
    if (wanted === ANY_KEYS && at < path.length - 1) below.push(...withSkipped(rest))
    else if (wanted === ANY_KEYS || (wanted !== undefined && wanted === key)) {
      below.push(...withSkipped({ path, at: at + 1, rule }))
    }
  }
  const known = new Set<string>()
  return below.filter(({ rule, at }) => !known.has(`${rule}:${at}`) && known.add(`${rule}:${at}`))
}

/** Returns a rest, and the rest without a `*` at its start, which stands for no key too. A last `*` is at least one. */
function withSkipped(rest: Rest): Rest[] {
  const { path, at, rule } = rest
  const isSkippable = path[at] === ANY_KEYS && at < path.length - 1
  return isSkippable ? [rest, ...withSkipped({ path, at: at + 1, rule })] : [rest]
}

function isKey(key: Uint8Array, bytes: Uint8Array, start: number, end: number): boolean {
  if (end - start !== key.length) return false
  for (let i = 0; i < key.length; i++) if (key[i] !== bytes[start + i]) return false
  return true
}
