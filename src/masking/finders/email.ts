import { type Finder, NO_PARTS, type Part } from './finder.js'

/** The longest local part, and the longest domain, of an address (RFC 5321, section 4.5.3.1). */
const MAX_LOCAL = 64
const MAX_DOMAIN = 255

/** The sign, also as a URL has it. */
const SIGN = /@|%40/g
/** Characters of a local part without quotes (RFC 5322, section 3.2.3), letters of all scripts included (RFC 6531). */
const LOCAL = /[\p{L}\p{M}\p{N}.!#$%&'*+/=?^_`{|}~-]/u
const DOMAIN = /[\p{L}\p{M}\p{N}.-]/u
/** Text in front of an address that an address may have too, as in `?user=a@b.example`. */
const BEFORE_ADDRESS = /^(?:.*[=?&#/{|])?[^\p{L}\p{N}]*/su
/** A domain has a dot and ends with letters. */
const HOST = /^[\p{L}\p{M}\p{N}-]+(?:\.[\p{L}\p{M}\p{N}-]+)*\.[\p{L}\p{M}]{2,}/u

/** Mail addresses with a dot in the domain. */
export const email: Finder = {
  characters: '@%',
  triggers: ['@', '%40'],
  digits: 0,
  find(text) {
    let parts: Part[] | undefined
    let from = 0
    for (const { index, 0: sign } of text.matchAll(SIGN)) {
      if (index < from) continue
      const start = startOfLocal(text, index, from)
      const end = start < index ? endOfDomain(text, index + sign.length) : undefined
      if (end === undefined) continue
      parts ??= []
      parts.push({ start, end })
      from = end
    }
    return parts ?? NO_PARTS
  },
  normalize: (found) => found.replace('%40', '@'),
}

/** Returns the start of the local part that ends at `end`, which is not before `from`. */
function startOfLocal(text: string, end: number, from: number): number {
  const least = Math.max(from, end - MAX_LOCAL)
  let start = end
  for (let before = ''; start > least; start -= before.length) {
    before = characterBefore(text, start)
    if (!LOCAL.test(before)) break
  }
  return start + BEFORE_ADDRESS.exec(text.slice(start, end))![0].length
}

/** Returns the end of the domain that starts at `start`. Undefined if there is no domain. */
function endOfDomain(text: string, start: number): number | undefined {
  let end = start
  const most = Math.min(text.length, start + MAX_DOMAIN)
  for (let character = ''; end < most; end += character.length) {
    character = String.fromCodePoint(text.codePointAt(end)!)
    if (!DOMAIN.test(character)) break
  }
  const host = HOST.exec(text.slice(start, end))
  return host === null ? undefined : start + host[0].length
}

function characterBefore(text: string, end: number): string {
  const isLow = (text.charCodeAt(end - 1) & 0xfc00) === 0xdc00
  return text.slice(isLow && end > 1 ? end - 2 : end - 1, end)
}
