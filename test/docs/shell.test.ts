import { expect, it } from 'vitest'
import { commandsOf } from './shell.js'

it.each<[string, string[][]]>([
  ['a b\nc', [['a', 'b'], ['c']]],
  ['a | b && c; d', [['a'], ['b'], ['c'], ['d']]],
  [`a 'b | "c' "d 'e" f'g'h`, [['a', 'b | "c', "d 'e", 'fgh']]],
  ['a   # says b\n# c\nd#e', [['a'], ['d#e']]],
  ['a < b > c d', [['a', 'd']]],
  ['a \\\n  b', [['a', 'b']]],
  [`a ''`, [['a', '']]],
])('a block of shell %j is read', (block, words) => {
  expect(commandsOf(block).map((command) => command.words)).toEqual(words)
})

it('assignments stand before a program, or alone', () => {
  expect(commandsOf('A=b C="d e" f G=h\nI=j')).toEqual([
    { assignments: ['A=b', 'C=d e'], words: ['f', 'G=h'] },
    { assignments: ['I=j'], words: [] },
  ])
})

it.each(["a 'b", 'a "b', 'a & b'])('what it does not know, as %j, is an error', (block) => {
  expect(() => commandsOf(block)).toThrow()
})
