import { describe, expect, it } from 'vitest'
import { askLines, fileMaker } from './ask.js'

/** Returns the sentences of a query over lines. */
async function told(sql: string, ...lines: object[]): Promise<string[]> {
  const answer = await askLines(sql, [fileMaker()(lines.map((line) => `${JSON.stringify(line)}\n`).join(''))])
  expect(answer.error).toBeUndefined()
  return answer.told
}

const LINE = { level: 'info', req: { url: '/', 'x-id': 1 }, items: [{ k: 1 }], none: null }

describe('names in a query over lines', () => {
  it.each([
    ['levl', ['No line has the field levl. Did you mean level?']],
    ['lines.levl', ['No line has the field lines.levl. Did you mean level?']],
    ['req.uri', ['No line has the field req.uri. Did you mean req.url?']],
    ['something_else', ['No line has the field something_else.']],
    ['level', []],
    ['none', []],
    ['req.url', []],
    ['items.k', []],
    ['timestamp', []],
    ['line', []],
  ])('are told if no line has them: %s', async (name, sentences) => {
    expect(await told(`select ${name} as x from lines`, LINE, LINE)).toEqual(sentences)
    expect(await told(`select count(*) as n from lines where ${name} is not null`, LINE)).toEqual(sentences)
  })

  it('are told for the first lines if there are more, and another name is near', async () => {
    const many = Array.from({ length: 300 }, () => LINE)
    expect(await told('select levl, other from lines', ...many)).toEqual([
      'The first 256 lines have no field levl. Did you mean level?',
    ])
  })

  it('are not told if a line has them, or if there is no line', async () => {
    expect(await told('select levl from lines', LINE, { levl: 1 })).toEqual([])
    expect(await told('select levl from lines')).toEqual([])
  })
})
