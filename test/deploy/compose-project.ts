import { isMap, isScalar, isSeq, type Node, parseDocument, visit, type YAMLMap } from 'yaml'

/** A mapping of a Compose file, with the merge tags applied. */
export type Mapping = { [key: string]: Value }
type Value = Mapping | Value[] | string | number | boolean | null

/** Contents of Compose files, and of `.env`. */
export interface Folder {
  files: Readonly<Record<string, string>>
  env: Readonly<Record<string, string>>
}

/** A later file replaces the lists of these keys. Other lists are joined. */
const REPLACED = ['command', 'entrypoint', 'test']

/**
 * Returns the project that `docker compose -f A -f B config` makes of files. Later files override earlier files,
 * `extends` takes a service of another file, `!reset` removes a key, and `!override` replaces the value of a key.
 * Covers only the part of the specification that the files of deploy/supabase and the stacks of Supabase use.
 *
 * @throws Error if a variable `${NAME:?message}` is missing
 */
export function composeProject({ files, env }: Folder, names: readonly string[]): Mapping {
  const read = (name: string): YAMLMap => {
    const text = files[name]
    if (text === undefined) throw new Error(`there is no ${name}`)
    const document = parseDocument(text, { logLevel: 'silent' })
    visit(document, {
      Scalar: (_, node) => {
        if (typeof node.value === 'string') node.value = interpolated(node.value, env)
      },
    })
    return document.contents as YAMLMap
  }
  return names.map(read).reduce((project: Mapping, file) => merged(project, extended(file, read)), {})
}

/** Replaces `${NAME}`, `${NAME:-default}` and `${NAME:?message}`. An empty value counts as none. */
function interpolated(text: string, env: Folder['env']): string {
  return text.replaceAll(/\$\{(\w+)(?::([-?])([^}]*))?\}/g, (_, name, operator, rest) => {
    const value = env[name] || undefined
    if (value === undefined && operator === '?')
      throw new Error(`required variable ${name} is missing a value: ${rest}`)
    return value ?? (operator === '-' ? rest : '')
  })
}

/** Puts the keys of the extended service in front of the keys of the service itself. */
function extended(file: YAMLMap, read: (name: string) => YAMLMap): YAMLMap {
  for (const { value: service } of (file.get('services') as YAMLMap<unknown, YAMLMap>).items) {
    const from = service!.get('extends') as YAMLMap<string> | undefined
    if (from === undefined) continue
    service!.delete('extends')
    const base = read(from.get('file') as string).getIn(['services', from.get('service')]) as YAMLMap | undefined
    if (base === undefined) throw new Error(`cannot find service ${from.get('service')}`)
    for (const pair of base.items) if (!service!.has(pair.key)) service!.add(pair)
  }
  return file
}

function merged(base: Mapping, over: YAMLMap): Mapping {
  const result = { ...base }
  for (const { key, value } of over.items as { key: Node; value: Node | null }[]) {
    const name = String(isScalar(key) ? key.value : key)
    if (value?.tag === '!reset') delete result[name]
    else result[name] = mergedValue(name, value?.tag === '!override' ? undefined : result[name], value)
  }
  return result
}

function mergedValue(key: string, base: Value | undefined, over: Node | null): Value {
  if (isMap(over)) return merged(isMapping(base) ? base : {}, over)
  const value = (over?.toJSON() ?? null) as Value
  if (!isSeq(over) || !Array.isArray(base) || REPLACED.includes(key)) return value
  return [...base, ...(value as Value[])]
}

const isMapping = (value: Value | undefined): value is Mapping =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
