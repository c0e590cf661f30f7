import { Writable } from 'node:stream'
import { expect, it } from 'vitest'
import type { Context } from '../../src/commands/call/command.js'
import { rowsOut } from '../../src/commands/call/rows-out.js'

const contextOf = (terminal: { isTTY?: boolean; columns?: number }) => {
  const stream = Object.assign(new Writable(), terminal)
  return { stdout: stream, stderr: stream, environment: {}, log() {}, commands: [] } as unknown as Context
}

it.each([
  [
    { isTTY: true, columns: 100 },
    { columns: 100, isPlain: false },
  ],
  [
    { isTTY: true, columns: 0 },
    { columns: Infinity, isPlain: false },
  ],
  [{}, undefined],
])('the width of %j', (stream, terminal) => {
  expect(rowsOut(contextOf(stream)).terminal).toEqual(terminal)
})
