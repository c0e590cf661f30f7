// Requests /health of argv[2] every few milliseconds until standard input ends. Prints each wait beyond argv[3]
// milliseconds as a JSON line: when the wait ended (milliseconds since the epoch), and how long the wait was. A wait is
// the time that passed, or the time of the processor that the main thread of process argv[4] took if that is less:
// other processes may have had the processor in between.
import { readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'

const [, , url, leastMs, pid] = process.argv

function cpuMs() {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6
  } catch {
    // Another system: the time that passed counts.
    return Number.NaN
  }
}

let isRunning = true
process.stdin
  .on('end', () => {
    isRunning = false
  })
  .resume()
process.stdout.write('"ready"\n')
while (isRunning) {
  const [startMs, startCpuMs] = [performance.now(), cpuMs()]
  const isAlive = await fetch(`${url}/health`).then(
    (answer) => answer.text(),
    () => undefined,
  )
  const passedMs = performance.now() - startMs
  const onCpuMs = cpuMs() - startCpuMs
  const waitMs = onCpuMs < passedMs ? onCpuMs : passedMs
  if (isAlive === undefined) break
  if (waitMs > Number(leastMs)) process.stdout.write(`${JSON.stringify({ endMs: Date.now(), waitMs })}\n`)
  await wait(3)
}
