import { type IStatefulSet, StatefulSet } from 'kubernetes-models/apps/v1/StatefulSet'
import { type IService, Service } from 'kubernetes-models/v1/Service'
import { GIB, KIB, MIB } from '../../src/base/units.js'
import { SERVE_SETTINGS } from '../../src/config/serve-settings.js'
import { type Settings, variableOf } from '../../src/config/setting.js'
import type { Status } from '../../src/http/routes.js'

/** The kinds of objects in deploy/kubernetes, with the schemas of Kubernetes. */
const MODELS: Readonly<Record<string, { prototype: { validate(): void } }>> = {
  'apps/v1 StatefulSet': StatefulSet,
  'v1 Service': Service,
}

type Pod = NonNullable<NonNullable<IStatefulSet['spec']>['template']['spec']>
type Container = Pod['containers'][number]

/** What the manifests refer to, and what is not in them. */
export interface Surroundings {
  /** The Secrets that the documentation creates, each as `name/key`. */
  secrets: readonly string[]
  /** The paths for probes, with the HTTP status of the answer in each state of the service. */
  probes: Readonly<Record<string, Readonly<Record<Status, number>>>>
}

/**
 * Returns a message for each part of the manifests that Kubernetes refuses, ignores or cannot follow, or that the
 * service does not know. Empty if there is none.
 */
export function manifestFaults(manifests: readonly object[], surroundings: Surroundings): string[] {
  const ofSchemas = manifests.flatMap(schemaFaults)
  // The other checks read fields that the schemas require.
  if (ofSchemas.length > 0) return ofSchemas
  const set = manifests.find((one): one is IStatefulSet => (one as IStatefulSet).kind === 'StatefulSet')
  const services = manifests.filter((one): one is IService => (one as IService).kind === 'Service')
  return set === undefined
    ? ['there is no StatefulSet']
    : [
        ...setFaults(set, services),
        ...podFaults(set, surroundings),
        ...services.flatMap((one) => serviceFaults(one, set)),
      ]
}

/**
 * Returns the faults that the schema finds, and each field that no schema has. The validator lets unknown fields pass,
 * which `kubectl` refuses. So it gets an object that notes which fields are read: it reads those that it knows.
 */
function schemaFaults(manifest: object): string[] {
  const { apiVersion, kind } = manifest as Partial<IStatefulSet>
  const model = MODELS[`${apiVersion} ${kind}`]
  if (model === undefined) return [`nobody checks ${apiVersion} ${kind}`]
  const read = new Set<string>()
  try {
    model.prototype.validate.call(watched(manifest, '', read))
  } catch (error) {
    return (error as Error).message.split(', ').map((message) => `${kind}: ${message}`)
  }
  return unread(manifest, '', read).map((path) => `${kind}: no schema has the field ${path}`)
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

/** Returns the value with its fields watched: the path of each field that is read is added to `read`. */
function watched<T>(value: T, path: string, read: Set<string>): T {
  if (!isObject(value)) return value
  return new Proxy(value, {
    get(target, name) {
      const field = Reflect.get(target, name)
      if (typeof name === 'symbol' || !Object.hasOwn(target, name)) return field
      read.add(`${path}/${name}`)
      return watched(field, `${path}/${name}`, read)
    },
  })
}

/** Returns the paths of fields that were not read. Fields of such a field are not listed. */
function unread(value: unknown, path: string, read: ReadonlySet<string>): string[] {
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([name, field]) => {
    const at = `${path}/${name}`
    return read.has(at) ? unread(field, at, read) : [at]
  })
}

/** Whether a selector selects the pods with these labels. */
const selects = (selector: Readonly<Record<string, string>> = {}, labels: Readonly<Record<string, string>> = {}) =>
  Object.keys(selector).length > 0 && Object.entries(selector).every(([name, value]) => labels[name] === value)

const podOf = (set: IStatefulSet): Pod => set.spec!.template.spec!

function setFaults({ spec }: IStatefulSet, services: readonly IService[]): string[] {
  const { replicas, selector, serviceName, template } = spec!
  return [
    ...(replicas === 1 ? [] : [`there are ${replicas} replicas, and each has rows of its own`]),
    ...(selects(selector.matchLabels, template.metadata?.labels) ? [] : ['the StatefulSet does not select its pod']),
    ...(services.some(({ metadata }) => metadata?.name === serviceName) ? [] : [`there is no Service ${serviceName}`]),
  ]
}

function serviceFaults({ metadata, spec }: IService, set: IStatefulSet): string[] {
  const ports = podOf(set).containers.flatMap((container) => container.ports ?? [])
  const strange = (spec!.ports ?? []).filter(({ port, targetPort = port }) => !isPort(targetPort, ports))
  return [
    ...(selects(spec!.selector, set.spec!.template.metadata?.labels)
      ? []
      : [`the Service ${metadata!.name} selects no pod`]),
    ...strange.map(({ targetPort }) => `Service ${metadata!.name}: no container has the port ${targetPort}`),
  ]
}

const isPort = (wanted: string | number, ports: Container['ports'] = []) =>
  ports.some(({ name, containerPort }) => wanted === name || wanted === containerPort)

function podFaults(set: IStatefulSet, surroundings: Surroundings): string[] {
  const { containers, volumes = [] } = podOf(set)
  const claims = (set.spec!.volumeClaimTemplates ?? []).map(({ metadata }) => metadata?.name)
  const known = [...volumes.map(({ name }) => name), ...claims]
  const mounted = containers.flatMap(({ volumeMounts = [] }) => volumeMounts.map(({ name }) => name))
  return [
    ...mounted.filter((name) => !known.includes(name)).map((name) => `there is no volume ${name}`),
    ...known.filter((name) => !mounted.includes(name!)).map((name) => `the volume ${name} is not mounted`),
    ...containers.flatMap((container) => [
      ...probeFaults(container, surroundings),
      ...variableFaults(container, surroundings),
      ...memoryFaults(container),
    ]),
    ...containers.flatMap((container) => diskFaults(container, set)),
  ]
}

/** The states in which a probe must succeed, and those in which it must fail. */
const PROBES = {
  startupProbe: { up: ['ok', 'degraded'], down: ['starting'] },
  livenessProbe: { up: ['ok', 'degraded', 'stopping'], down: [] },
  readinessProbe: { up: ['ok', 'degraded'], down: ['starting', 'stopping'] },
} as const satisfies Partial<Record<keyof Container, Record<'up' | 'down', readonly Status[]>>>

function probeFaults(container: Container, { probes }: Surroundings): string[] {
  return Object.entries(PROBES).flatMap(([name, { up, down }]) => {
    const asked = container[name as keyof typeof PROBES]?.httpGet
    if (asked === undefined) return [`there is no ${name} that sends a request`]
    const answers = probes[asked.path ?? '/']
    if (answers === undefined) return [`${name}: ${asked.path} is no path for probes`]
    return [
      ...(isPort(asked.port, container.ports) ? [] : [`${name}: the container has no port ${asked.port}`]),
      ...up.filter((state) => answers[state] !== 200).map((state) => `${name} fails while the service is ${state}`),
      ...down
        .filter((state) => answers[state] === 200)
        .map((state) => `${name} succeeds while the service is ${state}`),
    ]
  })
}

/** The settings of the service by their variables. */
const BY_VARIABLE = new Map(
  Object.entries<Settings[string]>(SERVE_SETTINGS).map(([name, setting]) => [variableOf(name, setting), setting]),
)

function variableFaults({ env = [], envFrom = [] }: Container, { secrets }: Surroundings): string[] {
  return [
    // Names of variables would be in a Secret or ConfigMap, which no test reads.
    ...(envFrom.length > 0 ? ['nobody checks envFrom'] : []),
    ...env.flatMap(({ name, value, valueFrom }) => {
      const setting = BY_VARIABLE.get(name)
      const secret = valueFrom?.secretKeyRef
      if (setting === undefined) return [`no setting reads ${name}`]
      if (secret !== undefined) {
        const place = `${secret.name}/${secret.key}`
        return secrets.includes(place) ? [] : [`${name}: there is no Secret ${place}`]
      }
      if (setting.secret) return [`${name} is not from a Secret`]
      return setting.type.read(value ?? '') === undefined ? [`${name}: ${value} is not ${setting.type.expects}`] : []
    }),
  ]
}

const textIn = ({ env = [] }: Container, variable: string) => env.find(({ name }) => name === variable)?.value

function memoryFaults(container: Container): string[] {
  const limit = bytesOf(container.resources?.limits?.memory)
  const own = SERVE_SETTINGS.memoryLimit.type.read(textIn(container, 'LOGWEIR_MEMORY_LIMIT') ?? '')
  if (limit === undefined || own === undefined) return ['the memory has no limit']
  return own > limit / 2 ? ['LOGWEIR_MEMORY_LIMIT is more than half of the memory of the container'] : []
}

function diskFaults(container: Container, { spec }: IStatefulSet): string[] {
  const sizes = (spec!.volumeClaimTemplates ?? []).map((claim) => bytesOf(claim.spec?.resources?.requests?.storage))
  const own = SERVE_SETTINGS.maxDiskBytes.type.read(textIn(container, 'LOGWEIR_MAX_DISK_BYTES') ?? '')
  const size = sizes[0]
  if (size === undefined || own === undefined) return ['the files of rows have no limit']
  return own > size ? ['LOGWEIR_MAX_DISK_BYTES is more than the volume'] : []
}

/** Kubernetes has units of 1000 too: `M` is not `Mi`. */
const UNITS: Readonly<Record<string, number>> = {
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  Ki: KIB,
  Mi: MIB,
  Gi: GIB,
  Ti: 1024 * GIB,
}

/** Returns the bytes of a quantity of Kubernetes, or undefined if there is none. */
function bytesOf(quantity: string | number | undefined): number | undefined {
  const [, number, unit = ''] = /^(\d+)([kMGT]?|[KMGT]i)$/.exec(String(quantity)) ?? []
  return number === undefined ? undefined : Number(number) * UNITS[unit]!
}
