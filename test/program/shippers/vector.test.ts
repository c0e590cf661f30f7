import { describe, expect, it } from 'vitest'
import { allNumbers, PROJECT } from '../support/numbered.js'
import { type Served, serve, temporaryFolder, until } from '../support/program.js'
import { shipLikeVector, type VectorOptions } from '../support/vector.js'

const EVENT_BYTES = 2_000
const startUs = Date.now() * 1000 - 3600e6

/** Returns an event as a Vector source makes events, with a number as id. */
const eventOf = (number: number) => ({
  host: 'db-1',
  id: `${number}`,
  message: 'x'.repeat(EVENT_BYTES - 150),
  metadata: { request: { path: '/rest/v1' } },
  source_type: 'file',
  timestamp: new Date(startUs / 1000 + number).toISOString(),
})
const eventsFrom = (from: number, count: number) => Array.from({ length: count }, (_, i) => eventOf(from + i))

/** Returns batches of about the given sizes in bytes. Events are numbered across all batches. */
function batchesOf(sizes: readonly number[]) {
  let from = 0
  return sizes.map((bytes) => {
    const batch = eventsFrom(from, Math.floor(bytes / EVENT_BYTES))
    from += batch.length
    return batch
  })
}

/** Returns the numbers of all rows. The rows are a millisecond apart. */
async function numbersOf(service: Served): Promise<number[]> {
  const numbers = await allNumbers(service, startUs, { spacingUs: 1000 })
  return numbers.sort((a, b) => a - b)
}

const uriOf = ({ url }: Served) => `${url}/api/logs?source_name=edge_logs&project=${PROJECT}`
/** Each framing and each compression once. */
const WAYS: Omit<VectorOptions, 'uri'>[] = [
  { framing: 'json array', compression: 'gzip' },
  { framing: 'newline_delimited', compression: 'none' },
]

describe('batches as the http sink of Vector sends them', () => {
  it.each(WAYS)('of 1 to 10 MB arrive whole as %o', async (way) => {
    const service = await serve([], { stdin: 'ignore' })
    const batches = batchesOf([1e6, 10e6, 2.5e6])
    const shipped = await shipLikeVector(batches, { uri: uriOf(service), ...way })
    expect(shipped).toEqual({ statuses: { 200: 3 }, dropped: 0 })
    const count = batches.flat().length
    expect(await service.metric('logweir_rows{source="edge_logs"}')).toBe(count)
    const [newest] = await service.rows(`logs.all?project=${PROJECT}&project_tier=PRO`)
    expect(newest).toMatchObject({ id: `${count - 1}`, event_message: eventOf(0).message })
  })

  it('arrive once each over a restart, for they are sent again until they are taken', async () => {
    const args = ['--data-dir', temporaryFolder()]
    let service = await serve(args, { stdin: 'ignore' })
    const uri = uriOf(service)
    const batches = batchesOf(Array(30).fill(1e5))
    let under = 0
    const counted = (function* () {
      for (const batch of batches) {
        under++
        yield batch
      }
    })()
    const shipping = shipLikeVector(counted, { uri, framing: 'json array', compression: 'none' })
    await until(
      async () => under,
      (batch) => batch > 10,
    )
    service.child.kill('SIGTERM')
    expect(await service.exit).toBe(0)
    service = await serve([...args, '--port', new URL(uri).port], { stdin: 'ignore' })
    const { statuses, dropped } = await shipping
    expect([statuses[200], dropped]).toEqual([batches.length, 0])
    expect(Object.keys(statuses).length).toBeGreaterThan(1)
    expect(await numbersOf(service)).toEqual([...batches.flat().keys()])
  })

  it('are dropped, and said why, where a retry would not mend them', async () => {
    const service = await serve([], { stdin: 'ignore' })
    const uri = uriOf(service).replace('edge_logs', 'nothing')
    const shipped = await shipLikeVector([eventsFrom(0, 2)], { uri, framing: 'json array', compression: 'none' })
    expect(shipped).toEqual({ statuses: { 400: 1 }, dropped: 1 })
  })
})
