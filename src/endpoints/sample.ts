import type { Call, Endpoint } from './endpoint.js'

/** Texts of which most parameters take one. */
const SAMPLES = ['', 'a', '1', '2026-11-20T10:00:00Z']

/** A call with parameters that the endpoint takes; undefined where it takes none of ours. */
export function sampleCall(endpoint: Endpoint): Call | undefined {
  const given = Object.entries(endpoint.params).map(([name, param]) => [
    name,
    SAMPLES.find((text) => takes(param, text)),
  ])
  if (given.some(([, text]) => text === undefined)) return undefined
  return endpoint.call(new URLSearchParams(given as [string, string][]))
}

function takes({ read }: Endpoint['params'][string], text: string): boolean {
  try {
    read(text || undefined, '')
    return true
  } catch {
    return false
  }
}
