/**
 * Posts numbered batches in sequence with logflare-transport-core, until standard input ends. Prints a line for each
 * batch: `{"batch":0,"answer":{"message":"Logged!"}}`, or `{"batch":0,"error":"…","kept":10}` if the client dropped the
 * batch, with the number of records that the client returned. Does not retry.
 *
 *   node core.mjs '{"apiBaseUrl":"http://127.0.0.1:4000","apiKey":"…",
 *     "sourceName":"edge_logs","project":"p","size":10}'
 */
import { setTimeout } from 'node:timers/promises'
import core from 'logflare-transport-core'

const { project, size, ...options } = JSON.parse(process.argv[2])
let given
const client = new core.HttpClient({ ...options, onError: ({ batch }) => void (given = batch) })
let hasEnded = false
process.stdin.resume().once('end', () => void (hasEnded = true))

for (let batch = 0; !hasEnded; batch++) {
  const startMs = Date.now()
  const rows = Array.from({ length: size }, (_, row) => ({
    message: `row ${batch * size + row}`,
    timestamp: startMs,
    metadata: { project, batch },
  }))
  given = undefined
  const answer = await client.postLogEvents(rows)
  const failed = answer instanceof Error ? { error: answer.message, kept: given?.length } : { answer }
  console.log(JSON.stringify({ batch, ...failed }))
  await setTimeout(5)
}
