/**
 * The files of the explorer page. The files need no token: the files contain no logs, only the code that requests logs.
 */
import { extname } from 'node:path'
import { listProgramFiles, readProgramFile } from '../base/program-files.js'
import { COMMON_HEADERS } from './reply/cors.js'
import type { Body } from './reply/encoding.js'
import { isNamed, tagOf } from './reply/etag.js'
import { codedReply, VARY } from './reply/reply.js'

const FOLDER = new URL('../page/', import.meta.url)

const TYPES = new Map([
  ['.html', 'text/html; charset=utf-8'],
  ['.js', 'text/javascript; charset=utf-8'],
  ['.css', 'text/css; charset=utf-8'],
  ['.svg', 'image/svg+xml'],
])

/**
 * Permits requests to this host only, no inline code, and no frames around the page. The chart library sets sizes by
 * script, which does not count as inline style.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ')

const HEADERS = {
  ...COMMON_HEADERS,
  'Content-Security-Policy': POLICY,
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  // Revalidated on each use, but sent only if the file has changed.
  'Cache-Control': 'no-cache',
  ...VARY,
}

/** The files, by path. */
export interface Page {
  /** The paths of the files. The page itself is at `/`. */
  paths: ReadonlySet<string>
  /** Answers GET or HEAD of a path. Answers 304 if the client has the file. */
  answer(path: string, request: Request): Response | Promise<Response>
}

/** Reads all files of the page into memory. */
export function loadPage(): Page {
  const files = new Map(
    listProgramFiles(FOLDER)
      .map((name) => name.replaceAll('\\', '/'))
      .filter((name) => TYPES.has(extname(name)))
      .map((name) => [name === 'index.html' ? '/' : `/page/${name}`, fileOf(name)]),
  )
  return {
    paths: new Set(files.keys()),
    answer(path, { headers: given }) {
      const { body, headers } = files.get(path)!
      if (isNamed(headers.ETag, given.get('if-none-match') ?? '')) return new Response(null, { status: 304, headers })
      return codedReply(given, body, headers)
    },
  }
}

function fileOf(name: string) {
  const body: Body = { plain: readProgramFile(new URL(name, FOLDER)) }
  return { body, headers: { 'Content-Type': TYPES.get(extname(name))!, ETag: tagOf(body), ...HEADERS } }
}
