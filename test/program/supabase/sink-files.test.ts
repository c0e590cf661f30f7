import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { mulberry32 } from '../../support/random.js'
import { testSeed } from '../../support/seed.js'
import { STACK_VERSIONS, type StackVersion, stackFiles } from '../../support/supabase/stack-files.js'
import { SINK_NAMES, type Sink, SOURCE_OF, vectorEvent } from '../../support/supabase/vector-events.js'
import { PUBLIC, serveSupabase } from '../support/studio-stack.js'

/** A sink of a `vector.yml`. */
interface HttpSink {
  uri: string
  method: string
  encoding: { codec: string }
  request: { headers: Record<string, string> }
}

/** A service of a `kong.yml`, with the paths that lead to the service. */
interface KongService {
  url: string
  routes: { strip_path: boolean; paths: string[] }[]
}

const ENVIRONMENT: Readonly<Record<string, string>> = { LOGFLARE_PUBLIC_ACCESS_TOKEN: PUBLIC }

/** Replaces `${NAME?message}` as Vector does. */
const withVariables = (text: string) =>
  text.replace(/\$\{(\w+)(?:\?[^}]*)?\}/g, (_, name: string) => {
    const value = ENVIRONMENT[name]
    if (value === undefined) throw new Error(`the stack has no ${name}`)
    return value
  })

/** Returns the address to which Kong passes a request on. Throws if the path has no route. */
function throughKong(address: URL, kong: string): URL {
  const { services } = parse(kong) as { services: KongService[] }
  for (const { url, routes } of services) {
    for (const { strip_path, paths } of routes) {
      const path = paths.find((one) => one !== '/' && address.pathname.startsWith(one))
      if (path !== undefined && strip_path) return new URL(address.pathname.slice(path.length) + address.search, url)
    }
  }
  throw new Error(`Kong has no route for ${address.pathname}`)
}

/** Returns the requests of all sinks of a version, each with three events. */
function requestsOf(version: StackVersion, seed: number) {
  const files = stackFiles(version)
  const { sinks } = parse(files['volumes/logs/vector.yml']!) as { sinks: Record<string, HttpSink> }
  const random = mulberry32(seed)
  return Object.values(sinks).map(({ uri, method, encoding, request }) => {
    const named = new URL(withVariables(uri))
    const address = named.hostname === 'kong' ? throughKong(named, files['volumes/api/kong.yml']!) : named
    const sink = address.searchParams.get('source_name') as Sink
    const events = [1, 2, 3].map((number) => vectorEvent({ atMs: Date.now() - number, number, random }, sink).event)
    expect([address.host, encoding.codec, SINK_NAMES.includes(sink)]).toEqual(['analytics:4000', 'json', true])
    const headers = Object.entries(request.headers).map(([name, value]) => [name, withVariables(value)])
    return {
      sink,
      path: address.pathname + address.search,
      init: {
        method: method.toUpperCase(),
        body: JSON.stringify(events),
        headers: { 'Content-Type': 'application/json', ...Object.fromEntries(headers) },
      },
    }
  })
}

const seed = testSeed()
it.each(STACK_VERSIONS)(`the requests of each sink of %s are stored (seed ${seed})`, async (version) => {
  const service = await serveSupabase()
  const requests = requestsOf(version, seed)
  expect(requests.map(({ sink }) => sink).sort()).toEqual([...SINK_NAMES].sort())
  for (const { sink, path, init } of requests) {
    const { status } = await fetch(service.url + path, init)
    const rows = await service.metric(`logweir_rows{source="${SOURCE_OF[sink]}"}`)
    expect([sink, status, rows]).toEqual([sink, 200, 3])
  }
})
