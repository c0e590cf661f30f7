import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { IStatefulSet } from 'kubernetes-models/apps/v1/StatefulSet'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { SERVE_SETTINGS } from '../../src/config/serve-settings.js'
import type { Status } from '../../src/http/routes.js'
import { createdSecrets } from '../docs/kubectl.js'
import { createTestApp, PREFIX } from '../http/support.js'
import { oneOf, ROOT, stagesOf, textOf } from './files.js'
import { manifestFaults, type Surroundings } from './kubernetes.js'

const FOLDER = 'deploy/kubernetes'
const KUSTOMIZATION = parse(textOf(`${FOLDER}/kustomization.yaml`))
const RESOURCES: readonly string[] = KUSTOMIZATION.resources
const TEXT = RESOURCES.map((name) => textOf(`${FOLDER}/${name}`)).join('---\n')
const { version } = JSON.parse(textOf('package.json'))
const [, run] = stagesOf(textOf('Dockerfile'))

const manifestsOf = (text: string): object[] => text.split(/^---$/m).map((one) => parse(one))
const { spec } = manifestsOf(TEXT).find((one) => (one as IStatefulSet).kind === 'StatefulSet') as IStatefulSet
const pod = spec!.template.spec!
const container = pod.containers[0]!

/** The service stops within this time: docs/operations.md, Stop. */
const STOP_SECONDS = 5

/** Returns the answers of the paths for probes, without a token. */
async function askProbes(): Promise<Surroundings['probes']> {
  const { app, state } = createTestApp()
  const ask = async (path: string, status: Status) => {
    state.status = status
    return (await app.fetch(new Request(PREFIX + path))).status
  }
  const answersOf = async (path: string) => ({
    starting: await ask(path, 'starting'),
    ok: await ask(path, 'ok'),
    degraded: await ask(path, 'degraded'),
    stopping: await ask(path, 'stopping'),
  })
  return { '/health': await answersOf('/health'), '/ready': await answersOf('/ready') }
}

async function faultsOf(text: string): Promise<string[]> {
  return manifestFaults(manifestsOf(text), { secrets: createdSecrets(), probes: await askProbes() })
}

describe('deploy/kubernetes', () => {
  it('keeps to the schemas of Kubernetes, and refers only to what there is', async () => {
    expect(await faultsOf(TEXT)).toEqual([])
  })

  it.each([
    ['replicas: 1', 'replica: 1', 'StatefulSet: no schema has the field /spec/replica'],
    [
      'volumeMounts:',
      'volumeMount:',
      'StatefulSet: no schema has the field /spec/template/spec/containers/0/volumeMount',
    ],
    ['  ports:\n    -', '  port:\n    -', 'Service: no schema has the field /spec/port'],
    ['      port: 4000\n', '', 'Service: data/spec/ports/0 must have required property port'],
    ['replicas: 1', "replicas: '1'", 'StatefulSet: data/spec/replicas must be integer'],
    ['Filesystem: true', "Filesystem: 'yes'", '/securityContext/readOnlyRootFilesystem must be boolean'],
    ['value: 0.0.0.0', 'value: 0', '/containers/0/env/0/value must be string'],
    ['limits: { memory: 1Gi }', 'limits: { memory: 1GB }', 'memory must match format "quantity"'],
    ['kind: Service\n', 'kind: Servise\n', 'nobody checks v1 Servise'],
    ['kind: StatefulSet', 'kind: DaemonSet', 'nobody checks apps/v1 DaemonSet'],
    ['replicas: 1', 'replicas: 2', 'there are 2 replicas'],
    ['  replicas: 1\n', '', 'there are undefined replicas'],
    ['serviceName: logweir', 'serviceName: logs', 'there is no Service logs'],
    [
      '      labels: { app.kubernetes.io/name: logweir }',
      '      labels: { a: b }',
      'the StatefulSet does not select its pod',
    ],
    ['  selector: { app.kubernetes.io/name: logweir }', '  selector: { a: b }', 'the Service logweir selects no pod'],
    ['{ name: http, containerPort', '{ name: web, containerPort', 'Service logweir: no container has the port http'],
    ['targetPort: http', 'targetPort: 5000', 'Service logweir: no container has the port 5000'],
    ['/health, port: http', '/health, port: 4001', 'livenessProbe: the container has no port 4001'],
    ['/ready, port: http', '/ready, port: htp', 'startupProbe: the container has no port htp'],
    ['path: /health', 'path: /healthz', 'livenessProbe: /healthz is no path for probes'],
    ['path: /ready', 'path: /', 'startupProbe: / is no path for probes'],
    ['path: /health', 'path: /ready', 'livenessProbe fails while the service is stopping'],
    [
      '          readinessProbe:\n            httpGet: { path: /ready',
      '          readinessProbe:\n            httpGet: { path: /health',
      'readinessProbe succeeds while the service is stopping',
    ],
    [
      '          livenessProbe:\n',
      '          lifecycle:\n',
      'no schema has the field /spec/template/spec/containers/0/lifecycle/',
    ],
    [
      'Ref: { name: logweir,',
      'Ref: { name: logwier,',
      'LOGWEIR_ACCESS_TOKENS: there is no Secret logwier/access-tokens',
    ],
    ['key: access-tokens', 'key: tokens', 'LOGWEIR_ACCESS_TOKENS: there is no Secret logweir/tokens'],
    ['LOGWEIR_MAX_DISK_BYTES', 'LOGWEIR_MAX_DISK', 'no setting reads LOGWEIR_MAX_DISK'],
    ['value: 16Gi', 'value: 16 big ones', 'LOGWEIR_MAX_DISK_BYTES: 16 big ones is not a number of bytes'],
    ['- { name: data, mountPath', '- { name: rows, mountPath', 'there is no volume rows'],
    ['        name: data\n', '        name: rows\n', 'the volume rows is not mounted'],
    ['value: 512Mi', 'value: 2Gi', 'LOGWEIR_MEMORY_LIMIT is more than half of the memory of the container'],
    // Units of Kubernetes without an i are powers of 1000.
    ['limits: { memory: 1Gi }', 'limits: { memory: 1G }', 'LOGWEIR_MEMORY_LIMIT is more than half of the memory'],
    ['limits: { memory: 1Gi }', 'limits: {}', 'the memory has no limit'],
    ['            - { name: LOGWEIR_MAX_DISK_BYTES, value: 16Gi }\n', '', 'the files of rows have no limit'],
    ['          env:\n', '          envFrom: [{ secretRef: { name: a } }]\n          env:\n', 'nobody checks envFrom'],
    ['startupProbe:\n            httpGet: {', 'startupProbe:\n            tcpSocket: {', 'no schema has the field'],
    ['httpGet: { path: /ready, port', 'tcpSocket: { port', 'there is no startupProbe that sends a request'],
    ['value: 16Gi', 'value: 21Gi', 'LOGWEIR_MAX_DISK_BYTES is more than the volume'],
  ])('is refused with another text for %j: %j', async (from, to, fault) => {
    expect(TEXT).toContain(from)
    expect(await faultsOf(TEXT.replace(from, to))).toContainEqual(expect.stringContaining(fault))
  })

  it('is refused without its StatefulSet', async () => {
    expect(await faultsOf(textOf(`${FOLDER}/service.yaml`))).toEqual(['there is no StatefulSet'])
  })

  it('has no token, and takes no token from its own text', async () => {
    expect(TEXT).not.toContain('kind: Secret')
    const written = TEXT.replace(/valueFrom:\n.*/, 'value: a')
    expect(await faultsOf(written)).toEqual(['LOGWEIR_ACCESS_TOKENS is not from a Secret'])
  })

  it('has a kustomization that names every manifest, and the image of this version', () => {
    const { apiVersion, kind, resources, images, ...rest } = KUSTOMIZATION
    expect([apiVersion, kind, rest]).toEqual(['kustomize.config.k8s.io/v1beta1', 'Kustomization', {}])
    const files = readdirSync(join(ROOT, FOLDER)).filter((name) => name !== 'kustomization.yaml')
    expect([...resources].sort()).toEqual(files.sort())
    expect(container.image).toBe(`logweir:${version}`)
    expect(images).toEqual([{ name: 'logweir', newName: 'registry.example.com/logweir', newTag: version }])
  })

  it('is what the Dockerfile builds: its user, its volume, its port', () => {
    const [user, group] = oneOf(run!, 'USER').split(':').map(Number)
    expect(container.volumeMounts).toEqual([{ name: 'data', mountPath: oneOf(run!, 'VOLUME') }])
    expect(container.env).toContainEqual({ name: 'LOGWEIR_DATA_DIR', value: oneOf(run!, 'VOLUME') })
    expect(container.ports).toEqual([{ name: 'http', containerPort: Number(oneOf(run!, 'EXPOSE')) }])
    expect(oneOf(run!, 'EXPOSE')).toBe(SERVE_SETTINGS.port.default)
    expect(pod.securityContext).toEqual({
      runAsNonRoot: true,
      runAsUser: user,
      runAsGroup: group,
      fsGroup: group,
      fsGroupChangePolicy: 'OnRootMismatch',
      seccompProfile: { type: 'RuntimeDefault' },
    })
  })

  it('may do little', () => {
    expect(pod.containers).toHaveLength(1)
    expect([pod.automountServiceAccountToken, pod.enableServiceLinks]).toEqual([false, false])
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    })
  })

  it('leaves the service the time to start and to stop', () => {
    const { periodSeconds = 10, failureThreshold = 3 } = container.startupProbe!
    const [, minutes] = /--start-period=(\d+)m /.exec(oneOf(run!, 'HEALTHCHECK'))!
    expect(periodSeconds * failureThreshold).toBeGreaterThanOrEqual(Number(minutes) * 60)
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(2 * STOP_SECONDS)
  })
})
