import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export const ROOT = join(import.meta.dirname, '../..')

/** A block of code between fences. */
export interface Block {
  /** Page and first line: `docs/api.md:12`. */
  place: string
  document: string
  /** The first word after the opening fence. Empty if there is no word. */
  language: string
  text: string
}

/** A page of the documentation. */
export interface Document {
  /** Relative to the root of the repository. */
  path: string
  text: string
  blocks: readonly Block[]
  /** The text with empty lines instead of blocks, so that line numbers stay the same. */
  prose: string
  /** The texts between backticks in the prose. */
  words: readonly string[]
}

const FENCED = /^( *)```(\S*)[^\n]*\n([\s\S]*?)^\1```$/gm

/** Parses a page. */
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

/** Returns the page at a path, or undefined. */
export const documentAt = (path: string): Document | undefined => DOCUMENTS.find((document) => document.path === path)

/** A table of a page: the cells of the heading line and of the rows. */
export interface Table {
  heads: readonly string[]
  rows: readonly (readonly string[])[]
}

/** A pipe within a cell is written `\|`. */
const cellsOf = (line: string) =>
  line
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim().replaceAll('\\|', '|'))

/** Returns the tables of a page, in order. */
export function tablesOf({ prose }: Document): Table[] {
  return [...prose.matchAll(/^\|.*\n\|[-:| ]+\|\n((?:\|.*\n?)*)/gm)].map(([table, rows]) => ({
    heads: cellsOf(table!.split('\n')[0]!),
    rows: rows!.trimEnd().split('\n').map(cellsOf),
  }))
}

/** Returns the texts between backticks in a cell. */
export const wordsIn = (cell: string): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, word]) => word!)

/**
 * Returns every match of a pattern in the pages, with the page of the match: the first group, or the whole match if
 * there is no group.
 */
export function found(pattern: RegExp, textOf: (document: Document) => string = ({ text }) => text) {
  return DOCUMENTS.flatMap((document) =>
    [...textOf(document).matchAll(pattern)].map(([all, name]) => ({ document: document.path, name: name ?? all })),
  )
}
