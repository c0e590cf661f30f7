/** Splits a JSON body into lines, character by character. Checks the lines with Node's parser. */

import { isJson } from '../../support/json.js'

type Split = string[] | { fault: string; at: number }

/** Returns the texts of the records, with line breaks replaced, or the fault and the offset, or the damaged record. */
export function splitByReference(body: string): Split {
  const found = splitUnchecked(body)
  if (!Array.isArray(found)) return found
  const damaged = found.findIndex((line) => !isJson(line))
  return damaged >= 0 || !isJson(body) ? { fault: 'damaged', at: damaged + 1 } : found
}

function splitUnchecked(body: string): Split {
  const start = body.search(/[^ \t\r\n]/)
  if (start < 0) return { fault: 'empty', at: body.length }
  if (body[start] === '[') return elementsOf(body, start, true)
  if (body[start] !== '{') return { fault: 'no_container', at: start }
  const end = endOfContainer(body, start)
  if (end === undefined) return { fault: 'cut_off', at: body.length }
  const after = skipSpace(body, end)
  if (after < body.length) return { fault: body[after] === '{' ? 'more_objects' : 'not_the_end', at: after }
  const batch = batchIn(body, start, end)
  return batch === undefined ? [oneLine(body.slice(start, end))] : elementsOf(body, batch, false)
}

function elementsOf(body: string, open: number, isLast: boolean): Split {
  const found: string[] = []
  let p = skipSpace(body, open + 1)
  if (body[p] !== ']') {
    for (;;) {
      const end = p === body.length ? undefined : endOfValue(body, p)
      if (end === undefined) return { fault: 'cut_off', at: body.length }
      if (end === p) return { fault: 'no_element', at: p }
      found.push(oneLine(body.slice(p, end)))
      p = skipSpace(body, end)
      if (p === body.length) return { fault: 'cut_off', at: p }
      if (body[p] === ']') break
      if (body[p] !== ',') return { fault: 'no_comma', at: p }
      p = skipSpace(body, p + 1)
    }
  }
  const after = skipSpace(body, p + 1)
  return isLast && after < body.length ? { fault: 'not_the_end', at: after } : found
}

const skipSpace = (body: string, p: number): number => p + /^[ \t\r\n]*/.exec(body.slice(p))![0].length

function endOfValue(body: string, p: number): number | undefined {
  if (body[p] === '{' || body[p] === '[') return endOfContainer(body, p)
  if (body[p] === '"') return endOfText(body, p)
  return p + /^[^,\] \t\r\n]*/.exec(body.slice(p))![0].length
}

/** Returns the end of the text that starts with the quote at `p`. Undefined if the text is not closed. */
function endOfText(body: string, p: number): number | undefined {
  const text = /^"(?:[^"\\]|\\\n|\\[^\n])*"/.exec(body.slice(p))
  return text === null ? undefined : p + text[0].length
}

function endOfContainer(body: string, start: number): number | undefined {
  let depth = 0
  for (let p = start; p < body.length; p++) {
    if (body[p] === '"') {
      const end = endOfText(body, p)
      if (end === undefined) return undefined
      p = end - 1
    } else if (body[p] === '{' || body[p] === '[') depth++
    else if ((body[p] === '}' || body[p] === ']') && --depth === 0) return p + 1
  }
  return undefined
}

/** Returns the start of the array that is the last member `batch` of the object [start, end). */
function batchIn(body: string, start: number, end: number): number | undefined {
  let batch: number | undefined
  let depth = 0
  for (let p = start; p < end; p++) {
    if (body[p] === '{' || body[p] === '[') depth++
    else if (body[p] === '}' || body[p] === ']') depth--
    else if (body[p] === '"') {
      const textEnd = endOfText(body, p)!
      const colon = skipSpace(body, textEnd)
      const value = skipSpace(body, colon + 1)
      const isBatch = depth === 1 && body[colon] === ':' && keyOf(body.slice(p, textEnd)) === 'batch'
      if (isBatch) batch = body[value] === '[' ? value : undefined
      p = textEnd - 1
    }
  }
  return batch
}

function keyOf(text: string): string | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Replaces line breaks in texts by carriage returns, and all others by spaces. */
const oneLine = (text: string): string =>
  text.replace(/"(?:[^"\\]|\\\n|\\[^\n])*"?|\n/g, (found) => (found === '\n' ? ' ' : found.replaceAll('\n', '\r')))
