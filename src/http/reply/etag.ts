import { hash } from 'node:crypto'
import type { Body } from './encoding.js'

/** 96 bits: two answers do not get the same tag by chance, nor by records made for that purpose. */
const TAG_CHARACTERS = 16

/**
 * Returns the ETag of a body, computed once. The tag is weak, because the compressed forms have the same tag. Other
 * formats have other bytes and therefore another tag.
 */
export function tagOf(body: Body): string {
  body.tag ??= `W/"${hash('sha256', body.plain, 'base64url').slice(0, TAG_CHARACTERS)}"`
  return body.tag
}

const TAGS = /(?:W\/)?("[^"]*")/g

/** Whether If-None-Match contains a tag, or is `*` (RFC 9110, 13.1.2: weak and strong tags are compared alike). */
export function isNamed(tag: string, ifNoneMatch: string): boolean {
  if (ifNoneMatch.trim() === '*') return true
  const opaque = tag.slice(tag.indexOf('"'))
  return Array.from(ifNoneMatch.matchAll(TAGS), ([, named]) => named).includes(opaque)
}
