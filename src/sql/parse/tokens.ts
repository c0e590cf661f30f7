import { shorten } from '../../base/text/shorten.js'
import { RESERVED } from '../../common/sql-words.js'
import { invalid, unsupported } from './fault.js'
import type { Token } from './lexer.js'
import type { SqlLimits } from './limits.js'
import type { Node, Query } from './tree.js'

/** A node without the properties that {@link Tokens.node} adds. */
type Unplaced<N extends Node = Node> = N extends Node ? Omit<N, 'at' | 'depth' | 'hasAggregate'> : never

/** The parts of a parser that call each other in a circle. */
export interface Grammar {
  expression(tokens: Tokens): Node
  query(tokens: Tokens): Query
}

/** Reads the tokens of a text in order, and counts nodes and levels. */
export class Tokens {
  readonly grammar: Grammar
  /** The first place of each parameter among the tokens, by name. */
  readonly parameters: ReadonlyMap<string, number>
  readonly #tokens: readonly Token[]
  readonly #limits: SqlLimits
  #place = 0
  #levels = 0
  #nodes = 0

  constructor(tokens: readonly Token[], limits: SqlLimits, grammar: Grammar) {
    this.#tokens = tokens
    this.#limits = limits
    this.grammar = grammar
    this.parameters = placesOfParameters(tokens)
  }

  /** The next token, or the token `ahead` places further (-1: the previous token). */
  peek(ahead = 0): Token {
    return this.#tokens[Math.min(this.#place + ahead, this.#tokens.length - 1)]
  }

  /** Returns the next token and moves past the token. */
  next(): Token {
    const token = this.peek()
    if (token.kind !== 'end') this.#place++
    return token
  }

  /** Whether the next tokens are the words or symbols `texts`. */
  isAt(...texts: readonly string[]): boolean {
    return texts.every((text, i) => {
      const { kind, text: found } = this.peek(i)
      return (kind === 'word' || kind === 'symbol') && found === text
    })
  }

  /** Moves behind the words or symbols `texts` if the next tokens match. */
  take(...texts: readonly string[]): boolean {
    if (!this.isAt(...texts)) return false
    this.#place += texts.length
    return true
  }

  /** Moves behind a word or symbol. Throws `invalid_sql` if the next token is different. */
  expect(text: string, where = ''): Token {
    if (this.isAt(text)) return this.next()
    throw this.unexpected(`${text.toUpperCase()}${where}`)
  }

  /** Returns the error of a next token that is not `expected`. */
  unexpected(expected: string): Error {
    const token = this.peek()
    return invalid(`Expected ${expected}, found ${describe(token)}.`, token.at)
  }

  /** Returns a name: a word that is not reserved, or any text in backticks. */
  name(what: string): Token {
    const token = this.peek()
    if (token.kind === 'quoted') {
      if (token.text === '') throw invalid('A name in backticks is empty.', token.at)
      return this.next()
    }
    if (token.kind === 'word' && !RESERVED.has(token.text)) return this.next()
    if (token.kind === 'word') {
      const { spelled } = token
      throw invalid(`Expected ${what}, found the word ${spelled}. If it is a name, write \`${spelled}\`.`, token.at)
    }
    throw this.unexpected(what)
  }

  /** Returns the name behind AS, or a name without AS that is no reserved word. Undefined if there is no alias. */
  alias(): string | undefined {
    if (this.take('as')) return this.name('a name').spelled
    const { kind, text } = this.peek()
    return kind === 'quoted' || (kind === 'word' && !RESERVED.has(text)) ? this.next().spelled : undefined
  }

  /** Returns an expression node with `children`. Throws `unsupported_sql` beyond a limit. */
  node<U extends Unplaced>(unplaced: U, at: number, children: readonly Node[] = [], isAggregate = false): Node {
    if (++this.#nodes > this.#limits.expressions)
      throw unsupported(`The text has more than ${this.#limits.expressions} expressions.`, at)
    let depth = 0
    let hasAggregate = isAggregate
    for (const child of children) {
      depth = Math.max(depth, child.depth)
      hasAggregate ||= child.hasAggregate
    }
    // Completes the given object: a copy of each node would take a fifth of the time of parsing.
    return place(unplaced as unknown as Node, at, this.checkDepth(depth + 1, at), hasAggregate)
  }

  /** Returns a depth. Throws `unsupported_sql` beyond the limit. */
  checkDepth(depth: number, at: number): number {
    if (depth <= this.#limits.levels) return depth
    throw unsupported(`The text is nested deeper than ${this.#limits.levels} levels.`, at)
  }

  /** Enters a level of the text. Throws `unsupported_sql` if the level is too deep. */
  enter(): void {
    this.checkDepth(++this.#levels, this.peek().at)
  }

  /** Leaves the level entered last. */
  leave(): void {
    this.#levels--
  }
}

function placesOfParameters(tokens: readonly Token[]): Map<string, number> {
  const places = new Map<string, number>()
  for (const { kind, text, at } of tokens) if (kind === 'parameter' && !places.has(text)) places.set(text, at)
  return places
}

/** The name of a token in messages. */
function describe({ kind, spelled, text }: Token): string {
  if (kind === 'end') return spelled
  if (kind === 'text') return `the text ${JSON.stringify(shorten(text, MOST_CHARACTERS))}`
  return shorten(kind === 'parameter' ? `@${text}` : spelled, MOST_CHARACTERS)
}

const MOST_CHARACTERS = 40

function place(node: Node, at: number, depth: number, hasAggregate: boolean): Node {
  node.at = at
  node.depth = depth
  node.hasAggregate = hasAggregate
  return node
}
