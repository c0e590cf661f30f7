import { existsSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { type Document, ROOT } from './documents.js'

/** The hosts of external links. No test requests the links, so only hosts that are expected to last are allowed. */
export const HOSTS = [
  'docs.victoriametrics.com',
  'getpino.io',
  'github.com',
  'grafana.com',
  'html.spec.whatwg.org',
  'supabase.com',
  'vector.dev',
]

/** Returns the anchors that GitHub makes of a page's headings. */
export function anchorsOf({ prose }: Pick<Document, 'prose'>): Set<string> {
  const anchors = new Set<string>()
  for (const [, heading] of prose.matchAll(/^#{1,6} +(.+?) *$/gm)) {
    const slug = slugOf(heading!)
    let anchor = slug
    for (let i = 1; anchors.has(anchor); i++) anchor = `${slug}-${i}`
    anchors.add(anchor)
  }
  return anchors
}

const slugOf = (heading: string) =>
  heading
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}_ -]/gu, '')
    .replaceAll(' ', '-')

/** Returns the targets of a page's links and pictures. */
export const linksOf = ({ prose }: Pick<Document, 'prose'>): string[] =>
  [...prose.matchAll(/\]\(\s*<?([^)\s>]+)>?[^)]*\)/g)].map(([, target]) => target!)

/** Returns the fault of a link on the page `from`, or undefined if the target exists. */
export function faultOf(target: string, from: string, pages: readonly Document[]): string | undefined {
  if (/^[a-z]+:|^\/\//i.test(target)) return faultOfAddress(target)
  const [path, anchor] = target.split('#') as [string, string | undefined]
  const file = path === '' ? from : relative('.', join(dirname(from), path))
  if (!existsSync(join(ROOT, file))) return `${target}: there is no ${file}`
  if (anchor === undefined) return undefined
  const page = pages.find((one) => one.path === file)
  return page !== undefined && anchorsOf(page).has(anchor) ? undefined : `${target}: ${file} has no such heading`
}

function faultOfAddress(address: string): string | undefined {
  if (!address.startsWith('https://')) return `${address}: not https`
  const { hostname } = new URL(address)
  return HOSTS.includes(hostname) ? undefined : `${address}: ${hostname} is not in the list of hosts`
}
