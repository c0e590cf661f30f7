/**
 * Measures both engines for patterns, the package `re2` and its replacement re2js, over 1 MiB of log lines in turns.
 * `search` finds the lines with a match in the bytes of many lines at once, as in a column of texts. `each` finds the
 * first match with its groups in each line, as regexp_extract does.
 *
 *   node bench/patterns.mjs
 */
import { createJavaScriptRe2 } from '../dist/base/pattern/javascript-re2.js'
import { createNativeRe2 } from '../dist/base/pattern/native-re2.js'

const BYTES = 2 ** 20
/** The bytes that a search takes at once. */
const CHUNK = 64 * 1024
const TURNS = 5

const PATTERNS = {
  literal: 'timeout',
  alternatives: 'timeout|refused|unreachable',
  'class, repeated': 'status=[45][0-9]{2}\\b',
  'ignoring case': '(?i)connection (?:reset|refused)',
  group: 'duration=([0-9]+)ms',
  anchored: '^2026-11-2[0-9]T.* ERROR',
  'letters of Unicode': 'user=\\p{L}+',
  'worst case': '(?:[a-z]+[ =])*[a-z]{20}[0-9]',
}

const WORDS = ['timeout', 'refused', 'Connection reset', 'accepted', 'unreachable', 'query done', 'retry']
const lines = []
for (let i = 0, bytes = 0; bytes < BYTES; i++) {
  const level = i % 17 === 0 ? 'ERROR' : 'INFO'
  const word = i % 9 === 0 ? WORDS[i % WORDS.length] : 'served'
  const fields = `status=${i % 23 === 0 ? 503 : 200} duration=${(i * 7919) % 997}ms user=${i % 5 === 0 ? 'zoë' : 'ann'}`
  lines.push(`2026-11-${10 + (i % 20)}T10:00:00.${i % 1000}Z ${level} ${word} GET /rest/v1/rows?id=${i} ${fields}`)
  bytes += Buffer.byteLength(lines.at(-1)) + 1
}
const text = Buffer.from(`${lines.join('\n')}\n`)

/** Finds the lines with a match, and goes on with the next line. */
function search(re2) {
  let count = 0
  for (let from = 0; from < text.length; from += CHUNK) {
    const chunk = text.subarray(from, from + CHUNK)
    for (let at = 0; at < chunk.length; count++) {
      const end = re2.endFrom(chunk, at)
      if (end < 0) break
      const newline = chunk.indexOf('\n', end)
      if (newline < 0) break
      at = newline + 1
    }
  }
  return count
}

const each = (re2) => lines.reduce((count, line) => count + (re2.exec(line) === null ? 0 : 1), 0)

function secondsOf(work) {
  const startMs = performance.now()
  work()
  return (performance.now() - startMs) / 1000
}

const engines = { re2: createNativeRe2, re2js: createJavaScriptRe2 }
const rows = Object.entries(PATTERNS).map(([name, pattern]) => {
  const row = { pattern: name }
  for (const [task, flags, run] of [
    ['search', 'gm', search],
    ['each', '', each],
  ]) {
    const compiled = Object.entries(engines).filter(([, create]) => create !== undefined)
    const contenders = compiled.map(([engine, create]) => ({ engine, re2: create(pattern, flags), seconds: Infinity }))
    for (let turn = 0; turn < TURNS; turn++) {
      for (const one of contenders)
        one.seconds = Math.min(
          one.seconds,
          secondsOf(() => run(one.re2)),
        )
    }
    for (const { engine, seconds } of contenders)
      row[`${task} ${engine}, MB/s`] = Number((text.length / seconds / 1e6).toPrecision(3))
  }
  return row
})
console.log(`Node ${process.version}`)
console.table(rows)
