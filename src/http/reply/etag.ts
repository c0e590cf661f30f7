import { hash } from 'node:crypto'
import type { Body } from './encoding.js'

/** 96 bits: nobody makes two answers of one tag by chance, nor by what they log. */
const TAG_CHARACTERS = 16

/**
 * The entity tag of a body: weak, one for all its compressed forms, since these mean the same. Bodies of other formats are
 * of other bytes, and so of other tags.
 */
export function tagOf(body: Body): string {
  body.tag ??= `W/"${hash('sha256', body.plain, 'base64url').slice(0, TAG_CHARACTERS)}"`
  return body.tag
}

const TAGS = /(?:W\/)?("[^"]*")/g

/** Whether If-None-Match names a tag, or any (RFC 9110, 13.1.2: weak tags and strong ones are compared alike). */
export function isNamed(tag: string, ifNoneMatch: string): boolean {
  if (ifNoneMatch.trim() === '*') return true
  const opaque = tag.slice(tag.indexOf('"'))
  return Array.from(ifNoneMatch.matchAll(TAGS), ([, named]) => named).includes(opaque)
}
