import { parse } from 'yaml'

/** What the tests read of a service in a Compose file. */
export interface Service {
  image: string
  build?: string
  pull_policy?: string
  environment?: Record<string, string>
  volumes?: string[]
  secrets?: (string | { source: string })[]
  configs?: (string | { source: string })[]
  ports?: string[]
  entrypoint?: string[]
  command?: string[]
  init?: boolean
  read_only?: boolean
  depends_on?: Record<string, { condition: string }>
}

/** Where the content of a secret or a config comes from. */
interface Source {
  file?: string
  environment?: string
  content?: string
}

export interface Compose {
  services: Record<string, Service>
  volumes?: Record<string, unknown>
  secrets?: Record<string, Source>
  configs?: Record<string, Source>
}

/**
 * What Docker Compose refuses, or leaves without effect, in a valid file: one text for each fault, empty if there is none.
 * `text` is the file.
 */
export function composeFaults(text: string): string[] {
  const compose: Compose = parse(text)
  const services = Object.entries(compose.services)
  return [
    ...services.flatMap(([name, service]) => copiedSources(compose, name, service)),
    ...unsetVariables(text),
    ...services.flatMap(([name, service]) => writableFolders(name, service)),
    ...services.flatMap(([name, service]) => deafShell(name, service)),
  ]
}

const namesOf = (sources: Service['secrets'] = []) => sources.map((one) => (typeof one === 'string' ? one : one.source))

/**
 * Compose copies a secret or config that is not a file into the container when it has created it. Docker refuses that for a
 * read-only one, and Compose refuses a secret whose variable is not set.
 */
function copiedSources({ secrets = {}, configs = {} }: Compose, name: string, service: Service): string[] {
  const used = [
    ...namesOf(service.secrets).map((source) => [source, secrets[source]] as const),
    ...namesOf(service.configs).map((source) => [source, configs[source]] as const),
  ]
  const copied = used.filter(([, source]) => source?.environment !== undefined || source?.content !== undefined)
  return copied.flatMap(([source, { environment } = {}]) => [
    ...(service.read_only ? [`${name} is read_only, so ${source} cannot be copied into it`] : []),
    ...(environment === undefined ? [] : [`${source} needs the variable ${environment}`]),
  ])
}

/** A variable without a default is empty, with a warning, if it is not set. */
function unsetVariables(text: string): string[] {
  const code = text.replace(/^\s*#.*$/gm, '')
  return [...code.matchAll(/(?<!\$)\$\{?(\w+)(:?[-?])?/g)]
    .filter(([, , operator]) => operator !== ':-')
    .map(([, variable]) => `the variable ${variable} has no default`)
}

/** A folder of the host that a container can write to is one that it can delete from. */
function writableFolders(name: string, { volumes = [] }: Service): string[] {
  return volumes
    .filter((volume) => /^[./~]/.test(volume) && !volume.endsWith(':ro'))
    .map((volume) => `${name} can change ${volume.split(':')[0]} of the host`)
}

/** The first process of a container gets no signal that it does not handle, and a shell handles none: stopping takes 10 s. */
function deafShell(name: string, { entrypoint = [], init }: Service): string[] {
  return entrypoint[0] === 'sh' && !init ? [`${name} runs a shell as its first process, without init`] : []
}
