import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync } from 'rolldown/utils'
import { describe, expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '..')

const MAX_LINE_LENGTH = 120
const MAX_FUNCTION_LINES = 60

/** Functions that may be longer than {@link MAX_FUNCTION_LINES}, each with the reason. */
const LONG_FUNCTIONS: Record<string, string> = {
  'src/base/compression/frame-pieces.ts: createFramePieces': 'one state machine over chunks, as that of lines',
  'src/ingest/lines/lines.ts: createLineReader': 'one state machine over chunks, whose functions share their variables',
  'src/lines/input/blocks.ts: createBlockCutter': 'one state machine over chunks, as that of lines',
  'wasm/scan/walk.ts: walkContainer': 'the one loop over all members of a record, whose state is in local variables',
}

/** The files with matching names below some folders of the project, sorted. */
function filesOf(folders: readonly string[], name: RegExp): string[] {
  return folders
    .flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((file) => `${folder}/${file}`),
    )
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => name.test(file) && !file.includes('/node_modules/'))
    .sort()
}

const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8')

interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [field: string]: unknown
}

interface Comment {
  readonly type: 'Line' | 'Block'
  readonly value: string
  readonly start: number
  readonly end: number
}

interface Source {
  readonly text: string
  readonly body: readonly Node[]
  readonly comments: readonly Comment[]
}

/** Blanks decorators, which AssemblyScript has on functions and TypeScript does not. */
const withoutDecorators = (text: string): string =>
  text.replace(/^(\s*)@\w+(?:\([^)]*\))?/gm, (decorator) => ' '.repeat(decorator.length))

/** @throws Error if the text is not TypeScript. */
function parse(file: string, code: string): Source {
  const text = withoutDecorators(code)
  const { program, comments, errors } = parseSync(file, text)
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]!.message}`)
  return { text, body: program.body as unknown as Node[], comments: comments as Comment[] }
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string'

/** Calls `visit` with every node below `node` and the nearest name above that node. */
function walk(node: Node, visit: (node: Node, name: string) => void, name = ''): void {
  const own = nameOf(node) ?? name
  visit(node, own)
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) walk(child, visit, own)
  }
}

function nameOf(node: Node): string | undefined {
  const named = (node.id ?? node.key) as Node | null | undefined
  return isNode(named) && typeof named.name === 'string' ? named.name : undefined
}

const lineOf = (text: string, offset: number): number => text.slice(0, offset).split('\n').length

/** The declarations that a module exports where they are declared. `{ a } from './b.js'` is documented there. */
function exportsOf({ body }: Source): (Node & { name: string })[] {
  return body
    .filter(({ type }) => type === 'ExportNamedDeclaration' || type === 'ExportDefaultDeclaration')
    .filter(({ declaration }) => isNode(declaration))
    .map((node) => {
      const declared = node.declaration as Node
      const first = (declared.declarations as Node[] | undefined)?.[0] ?? declared
      return { ...node, name: nameOf(first) ?? 'default' }
    })
}

/** The docstring that ends directly before an offset, or undefined. A compiler directive may follow the docstring. */
function docstringBefore({ text, comments }: Source, offset: number): string | undefined {
  const comment = comments.findLast(({ end, value }) => end <= offset && !value.startsWith(' @ts-'))
  if (comment?.type !== 'Block' || !comment.value.startsWith('*')) return undefined
  const between = text.slice(comment.end, offset).replace(/^ *\/\/ @ts-.*$/gm, '')
  return between.trim() === '' ? comment.value : undefined
}

/** If a docstring has at least two words that are not in the described name. */
function saysMoreThan(name: string, docstring: string): boolean {
  const inName = name.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase()
  const words = docstring.toLowerCase().match(/[a-z]+/g) ?? []
  return words.filter((word) => !inName.includes(word)).length >= 2
}

/** Whether a declaration is in a list of literals, directly below another declaration: the list shares a docstring. */
function isListed({ text, body }: Source, { start }: { start: number }): boolean {
  const place = body.findIndex((node) => node.start === start)
  const before = body[place - 1]
  return (
    before !== undefined && [before, body[place]!].every(isLiteral) && !text.slice(before.end, start).includes('\n\n')
  )
}

function isLiteral({ type, declaration }: Node): boolean {
  if (type !== 'ExportNamedDeclaration' || !isNode(declaration)) return false
  const [first] = (declaration.declarations as { init?: Node | null }[] | undefined) ?? []
  return isNode(first?.init) && /^(?:Literal|UnaryExpression|BinaryExpression)$/.test(first.init.type)
}

/** `file: name` for each exported name without a docstring that says more than the name. */
function undocumented(file: string, code: string): string[] {
  const source = parse(file, code)
  const documented = new Set<string>()
  return exportsOf(source).flatMap((exported) => {
    const { name, start } = exported
    const docstring = docstringBefore(source, start)
    // The first overload of a function has the docstring of all overloads.
    if (documented.has(name)) return []
    documented.add(name)
    if (docstring === undefined) return isListed(source, exported) ? [] : [`${file}: ${name}`]
    // `/** Bytes per KiB. */` is enough for a number.
    return isLiteral(exported) || saysMoreThan(name, docstring) ? [] : [`${file}: ${name}`]
  })
}

/** `file: name` for each function that has too many lines, with their number. */
function longFunctions(file: string, code: string): Map<string, number> {
  const source = parse(file, code)
  const long = new Map<string, number>()
  for (const statement of source.body) {
    walk(statement, (node, name) => {
      if (!/Function/.test(node.type) || !isNode(node.body)) return
      const lines = lineOf(source.text, node.end) - lineOf(source.text, node.start) + 1
      if (lines > MAX_FUNCTION_LINES) long.set(`${file}: ${name}`, lines)
    })
  }
  return long
}

/** `file:line` for each line that is too long and has no URL. */
function longLines(file: string, text: string): string[] {
  return text
    .split('\n')
    .flatMap((line, i) => (line.length > MAX_LINE_LENGTH && !/https?:\/\//.test(line) ? [`${file}:${i + 1}`] : []))
}

const TYPESCRIPT = /(?<!\.d)\.ts$/

describe('the source', () => {
  it(`has no line over ${MAX_LINE_LENGTH} characters`, () => {
    const files = filesOf(['src', 'wasm', 'test', 'bench', 'scripts'], /\.(?:ts|mjs|js)$/)
    expect(files.length).toBeGreaterThan(500)
    expect(files.flatMap((file) => longLines(file, read(file)))).toEqual([])
  })

  it('has a docstring at every exported name', () => {
    const files = filesOf(['src', 'wasm'], TYPESCRIPT)
    expect(files.length).toBeGreaterThan(300)
    expect(files.flatMap((file) => undocumented(file, read(file)))).toEqual([])
  })

  it(`has no function over ${MAX_FUNCTION_LINES} lines but those listed with a reason`, () => {
    const found = filesOf(['src', 'wasm'], TYPESCRIPT).flatMap((file) => [...longFunctions(file, read(file)).keys()])
    expect(found.sort()).toEqual(Object.keys(LONG_FUNCTIONS).sort())
  })
})

describe('the rules for the source', () => {
  it('see a long line, and pass over one with a URL', () => {
    const long = 'x'.repeat(MAX_LINE_LENGTH + 1)
    expect(longLines('a.ts', `short\n${long}\n// https://example.org/${long}`)).toEqual(['a.ts:2'])
  })

  it('see an exported name without a docstring, or with one that repeats the name', () => {
    const code = [
      'export function none(): void {}',
      '// Not a docstring, however long it is.',
      'export const comment = 1',
      '/** The open file. */',
      'export const openFile = open()',
      '/** The docstring of something else. */',
      'const between = 1',
      'export interface After { a: number }',
      '/** Bytes of a page, at most 64 KiB. */',
      'export const PAGE = between',
      '/** Kinds of pages, as numbers in the header. */',
      'export const FULL = 0',
      'export const EMPTY = 1',
      '',
      'export const APART = 2',
      '/** Returns the page with a number, or undefined. */',
      'export function page(n: number): string',
      'export function page(n: string): string',
      'export function page(n: unknown): string { return String(n) }',
      '/** Returns the bytes that are left in a page. */',
      '// @ts-ignore: decorator',
      '@inline export function left(): i32 { return 0 }',
    ].join('\n')
    expect(undocumented('a.ts', code)).toEqual([
      'a.ts: none',
      'a.ts: comment',
      'a.ts: openFile',
      'a.ts: After',
      'a.ts: APART',
    ])
  })

  it('see a long function, an arrow function and a method', () => {
    const lines = (n: number) => 'x()\n'.repeat(n - 2)
    const code = [
      `function plain() {\n${lines(61)}}`,
      `const arrow = () => {\n${lines(61)}}`,
      `class A { method() {\n${lines(61)}} }`,
      `function fits() {\n${lines(60)}}`,
    ].join('\n')
    expect([...longFunctions('a.ts', code)]).toEqual([
      ['a.ts: plain', 61],
      ['a.ts: arrow', 61],
      ['a.ts: method', 61],
    ])
  })
})
