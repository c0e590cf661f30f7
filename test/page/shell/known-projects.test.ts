import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Failure } from '../../../src/page/api/api.js'
import type { ProjectQuery, ProjectRow } from '../../../src/page/api/explore.js'
import { createKnownProjects, isOnlyChoice } from '../../../src/page/shell/known-projects.js'

const row = (project: string): ProjectRow => ({ project, source: 'edge_logs', rows: 1, newest: 1 })
const MANY = Array.from({ length: 10_000 }, (_, i) => row(`a${i}`))

/**
 * Creates projects whose requests are answered by the test: `answer` resolves a request, or rejects the request if
 * given an error.
 */
function create() {
  const asked: { query: ProjectQuery; answer(rows: readonly ProjectRow[] | Error): Promise<void> }[] = []
  const host = {
    ...{ onList: vi.fn(), onRows: vi.fn(), onFailure: vi.fn() },
    fetch: (query: ProjectQuery) =>
      new Promise<readonly ProjectRow[]>((resolve, reject) => {
        const answer = async (rows: readonly ProjectRow[] | Error) => {
          if (rows instanceof Error) reject(rows)
          else resolve(rows)
          await vi.advanceTimersByTimeAsync(0)
        }
        asked.push({ query, answer })
      }),
  }
  return { ...host, asked, projects: createKnownProjects(host) }
}

describe('the only project to choose', () => {
  it.each([
    ['a', ['a'], '', true],
    ['a', ['a', 'a'], 'a', true],
    ['a', [], 'a', true],
    // A wrong name in a link must be correctable.
    ['typo', ['a'], '', false],
    ['typo', [], '', false],
    ['typo', [], 'a', false],
    ['a', ['a', 'b'], '', false],
    ['a', ['b'], 'a', false],
    ['b', ['b'], 'a', false],
    ['', [], '', false],
    ['', ['a'], '', false],
    ['a', undefined, 'a', false],
  ])('is %j of %j with the default %j: %s', (project, listed, defaultProject, expected) => {
    expect(isOnlyChoice(project, listed?.map(row), defaultProject)).toBe(expected)
  })
})

describe('the known projects', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('are all there if the list is not cut: the service is not asked again', async () => {
    const { projects, asked, onList } = create()
    void projects.load('')
    await asked[0]!.answer([row('a')])
    expect(onList).toHaveBeenCalledWith([row('a')], false)
    expect(projects.find('b')).toBeUndefined()
    expect(asked.map(({ query }) => query)).toEqual([{}])
  })

  it('are searched by the service if the list is cut, after a pause: the newest text wins', async () => {
    const { projects, asked, onList } = create()
    void projects.load('')
    await asked[0]!.answer(MANY)
    expect(onList).toHaveBeenCalledWith(MANY, true)
    const outcomes = [projects.find('y'), projects.find('yk')]
    await vi.advanceTimersByTimeAsync(1_000)
    outcomes.push(projects.find('ykad'))
    await vi.advanceTimersByTimeAsync(1_000)
    expect(asked.slice(1).map(({ query }) => query)).toEqual([{ match: 'yk' }, { match: 'ykad' }])
    await asked[2]!.answer([row('ykad')])
    await asked[1]!.answer([row('ykzz')])
    expect(await Promise.all(outcomes)).toEqual([undefined, undefined, [row('ykad')]])
  })

  it('are requested again after an outage, and not after sign-out', async () => {
    const { projects, asked, onList, onFailure } = create()
    const away = new Failure('away', 'The service cannot be reached.', 5)
    void projects.load('')
    await asked[0]!.answer(away)
    expect(onFailure).toHaveBeenCalledWith(away)
    await vi.advanceTimersByTimeAsync(5_000)
    await asked[1]!.answer([row('a')])
    expect(onList).toHaveBeenCalledTimes(1)
    void projects.load('')
    await asked[2]!.answer(away)
    projects.forget()
    await vi.advanceTimersByTimeAsync(60_000)
    expect(asked).toHaveLength(3)
  })

  it('know at once of a project that the list lacks whether it has rows', async () => {
    const { projects, asked, onRows } = create()
    expect(projects.has('a')).toBeUndefined()
    void projects.load('late')
    projects.choose('late')
    expect(projects.has('late')).toBeUndefined()
    await asked[0]!.answer([row('a')])
    expect([projects.has('a'), projects.has('late')]).toEqual([true, undefined])
    expect(asked.map(({ query }) => query)).toEqual([{}, { project: 'late' }])
    await asked[1]!.answer([])
    expect([projects.has('late'), onRows.mock.calls.length]).toEqual([false, 2])
    projects.choose('late')
    projects.choose('a')
    expect(asked).toHaveLength(2)
    projects.choose('new')
    await asked[2]!.answer([row('new')])
    expect([projects.has('new'), projects.has('late')]).toEqual([true, undefined])
  })

  it('do not know of a project if the service cannot be asked', async () => {
    const { projects, asked } = create()
    void projects.load('')
    await asked[0]!.answer([row('a')])
    projects.choose('b')
    await asked[1]!.answer(new Failure('away', 'The service cannot be reached.', 5))
    expect(projects.has('b')).toBeUndefined()
  })
})
