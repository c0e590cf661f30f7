import { parse } from 'yaml'

/** The parts of a Compose service that the tests read. */
interface Service {
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

/** The source of a secret's or a config's content. */
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
 * Returns a message for each part of a valid Compose file that Docker Compose refuses or ignores. Empty if there is
 * none.
 */
export function composeFaults(text: string): string[] {
  const compose: Compose = parse(text)
  const services = Object.entries(compose.services)
  return [
    ...services.flatMap(([name, service]) => copiedSources(compose, name, service)),
    ...unsetVariables(text),
    ...services.flatMap(([name, service]) => writableFolders(name, service)),
    ...services.flatMap(([name, service]) => shellWithoutInit(name, service)),
  ]
}

const namesOf = (sources: Service['secrets'] = []) => sources.map((one) => (typeof one === 'string' ? one : one.source))

/**
 * Compose copies a secret or config that is not a file into the created container. Docker refuses the copy if the
 * container is read-only, and Compose refuses the copy if the variable of the secret is not set.
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

/** If a variable without a default is not set, Compose warns and uses an empty text. */
function unsetVariables(text: string): string[] {
  const code = text.replace(/^\s*#.*$/gm, '')
  return [...code.matchAll(/(?<!\$)\$\{?(\w+)(:?[-?])?/g)]
    .filter(([, , operator]) => operator !== ':-')
    .map(([, variable]) => `the variable ${variable} has no default`)
}

/** A container can delete files from each writable host folder. */
function writableFolders(name: string, { volumes = [] }: Service): string[] {
  return volumes
    .filter((volume) => /^[./~]/.test(volume) && !volume.endsWith(':ro'))
    .map((volume) => `${name} can change ${volume.split(':')[0]} of the host`)
}

/**
 * The first process of a container only gets the signals that the process handles. A shell handles no signal, so
 * stopping would take 10 s.
 */
function shellWithoutInit(name: string, { entrypoint = [], init }: Service): string[] {
  return entrypoint[0] === 'sh' && !init ? [`${name} runs a shell as its first process, without init`] : []
}
