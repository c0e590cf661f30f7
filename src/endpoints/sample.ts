import type { Call, Endpoint } from './endpoint.js'

/** Values to try: most parameters accept at least one. */
const SAMPLES = ['', 'a', '1', '2026-11-20T10:00:00Z']

/** Returns a call with sample parameters, or undefined if a parameter accepts none of the samples. */
export function sampleCall(endpoint: Endpoint): Call | undefined {
  const given = Object.entries(endpoint.params).map(([name, param]) => [
    name,
    [...SAMPLES, ...wordsOf(param)].find((text) => accepts(param, text)),
  ])
  if (given.some(([, text]) => text === undefined)) return undefined
  return endpoint.call(new URLSearchParams(given as [string, string][]))
}

/** Returns the words that a parameter accepts, from the schema of the parameter. */
function wordsOf({ schema }: Endpoint['params'][string]): readonly string[] {
  const words = schema?.enum
  return Array.isArray(words) ? words.filter((word) => typeof word === 'string') : []
}

function accepts({ read }: Endpoint['params'][string], text: string): boolean {
  try {
    read(text || undefined, '')
    return true
  } catch {
    return false
  }
}
