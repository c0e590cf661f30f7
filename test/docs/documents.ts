import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export const ROOT = join(import.meta.dirname, '../..')

/** A block of code between fences. */
export interface Block {
  /** Where it begins: `docs/api.md:12`. */
  place: string
  document: string
  /** The first word behind the fence; empty where there is none. */
  language: string
  text: string
}

/** A page that people read. */
export interface Document {
  /** From the root of the repository. */
  path: string
  text: string
  blocks: readonly Block[]
  /** The text without its blocks, in as many lines. */
  prose: string
  /** What stands between backticks in the prose. */
  words: readonly string[]
}

const FENCED = /^( *)```(\S*)[^\n]*\n([\s\S]*?)^\1```$/gm

/** A page, by its text. */
export function documentOf(path: string, text: string): Document {
  const blocks = [...text.matchAll(FENCED)].map(([, indent, language, block], i, all) => ({
    place: `${path}:${text.slice(0, all[i]!.index).split('\n').length}`,
    document: path,
    language: language!,
    text: block!.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  }))
  const prose = text.replaceAll(FENCED, (block) => block.replaceAll(/[^\n]/g, ''))
  return { path, text, blocks, prose, words: [...prose.matchAll(/`([^`\n]+)`/g)].map(([, word]) => word!) }
}

const PATHS = ['', 'docs/'].flatMap((folder) =>
  readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => folder + name),
)

/** Every page of the repository. */
export const DOCUMENTS: readonly Document[] = PATHS.map((path) =>
  documentOf(path, readFileSync(join(ROOT, path), 'utf8')),
)

/** The page at a path, where there is one. */
export const documentAt = (path: string): Document | undefined => DOCUMENTS.find((document) => document.path === path)

/** A table of a page: its first line's cells, and those of the others. */
export interface Table {
  heads: readonly string[]
  rows: readonly (readonly string[])[]
}

const cellsOf = (line: string) =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim())

/** The tables of a page, in order. */
export function tablesOf({ prose }: Document): Table[] {
  return [...prose.matchAll(/^\|.*\n\|[-:| ]+\|\n((?:\|.*\n?)*)/gm)].map(([table, rows]) => ({
    heads: cellsOf(table!.split('\n')[0]!),
    rows: rows!.trimEnd().split('\n').map(cellsOf),
  }))
}

/** The texts between backticks in a cell. */
export const wordsIn = (cell: string): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, word]) => word!)

/** What a pattern finds in the pages, each with its page: its first group. */
export function found(pattern: RegExp, textOf: (document: Document) => string = ({ text }) => text) {
  return DOCUMENTS.flatMap((document) =>
    [...textOf(document).matchAll(pattern)].map(([all, name]) => ({ document: document.path, name: name ?? all })),
  )
}
