import { describe, expect, it } from 'vitest'
import { MAX_EXPLORED_ROWS } from '../../../src/common/limits.js'
import { Failure } from '../../../src/page/api/api.js'
import type { FieldRow, LogRow } from '../../../src/page/api/explore.js'
import type { Effect, Message } from '../../../src/page/explore/model/message.js'
import { initialModel, listKindOf, type Model } from '../../../src/page/explore/model/model.js'
import { type State, stateOf } from '../../../src/page/explore/model/state.js'
import { update } from '../../../src/page/explore/model/update.js'

const NOW_US = Date.UTC(2026, 10, 20, 10) * 1_000
const COST = { rows: 1, ms: 1 }
const AWAY = new Failure('away', 'The service cannot be reached.', 5)
const REFUSED = new Failure('refused', 'It is broken.')
const SIGNED_OUT = new Failure('unauthorized', 'The token is unknown.')

const row = (timestampUs: number): LogRow => ({
  ...{ timestampUs, rank: 1, id: `${timestampUs}` },
  line: `{"id":"${timestampUs}"}`,
})
const rowsFrom = (newestUs: number, n: number) => Array.from({ length: n }, (_, i) => row(newestUs - i))
const FIELD: FieldRow = { field: 'path', count: 1, values: [], distinct: 9, rows: 1, is_sample: true }

/** The model after messages, and all effects. */
class Explorer {
  model: Model
  effects: Effect[] = []
  constructor(fragment = '#project=a') {
    this.model = initialModel(stateOf(fragment))
    this.ask({})
  }
  send(message: Message): this {
    const [model, ...effects] = update(this.model, message, NOW_US)
    this.model = model
    this.effects.push(...effects)
    return this
  }
  ask(next: Partial<State>): this {
    return this.send({ kind: 'asked', state: { ...this.model.asked, ...next }, projects: undefined })
  }
  /** Ends the load: with rows, a histogram and fields. */
  answer(rows: readonly LogRow[] = rowsFrom(NOW_US, 100)): this {
    const { loadId } = this.model
    return this.send({ kind: 'rowsLoaded', loadId, rows, cost: COST })
      .send({ kind: 'histogramLoaded', loadId, rows: [], cost: COST, isFieldsNext: true })
      .send({ kind: 'fieldsLoaded', loadId, rows: [FIELD], cost: COST })
  }
  /** Returns the kinds of the effects since the last call. */
  started(): string[] {
    return this.effects.splice(0).map(({ kind }) => kind)
  }
  changes(): Partial<State>[] {
    return this.effects.splice(0).flatMap((effect) => (effect.kind === 'change' ? [effect.next] : []))
  }
}

describe('a load', () => {
  it('requests the rows, then the histogram, then the fields', () => {
    const explorer = new Explorer()
    expect([explorer.started(), listKindOf(explorer.model)]).toEqual([['loadRows'], 'loading'])
    explorer.answer()
    expect([explorer.started(), listKindOf(explorer.model)]).toEqual([['loadHistogram', 'loadFields'], 'rows'])
    expect(Object.keys(explorer.model.costs)).toEqual(['list', 'histogram', 'fields'])
    expect([explorer.model.histogram.isLoading, explorer.model.fields.isLoading]).toEqual([false, false])
  })

  it('starts if the query differs, and not if a record is opened', () => {
    const explorer = new Explorer().answer()
    explorer.started()
    explorer.ask({ record: `${NOW_US}.1` })
    expect(explorer.started()).toEqual(['cancel'])
    explorer.ask({ search: 'x' })
    expect(explorer.started()).toEqual(['loadRows'])
  })

  it('ignores the answers of an earlier load', () => {
    const explorer = new Explorer().ask({ search: 'x' })
    const { model } = explorer
    const early = { loadId: model.loadId - 1, rows: [], cost: COST }
    explorer.started()
    explorer
      .send({ kind: 'rowsLoaded', ...early })
      .send({ kind: 'olderLoaded', ...early })
      .send({ kind: 'newerLoaded', ...early })
      .send({ kind: 'histogramLoaded', ...early, isFieldsNext: true })
      .send({ kind: 'fieldsLoaded', ...early })
      .send({ kind: 'rowsFailed', loadId: early.loadId, failure: SIGNED_OUT })
    expect(explorer.model).toBe(model)
    expect(explorer.started()).toEqual([])
  })

  it('that fails keeps rows of the same query if a retry may help, and tries again', () => {
    const explorer = new Explorer().answer().send({ kind: 'refreshed' })
    const { loadId } = explorer.model
    explorer.started()
    explorer.send({ kind: 'rowsFailed', loadId, failure: AWAY })
    expect([listKindOf(explorer.model), explorer.model.rows.length]).toEqual(['stale', 100])
    expect(explorer.effects).toEqual([{ kind: 'wait', ms: 5_000, message: { kind: 'retryDue', loadId } }])
    explorer.send({ kind: 'retryDue', loadId })
    expect(listKindOf(explorer.model)).toBe('loading')
    explorer.send({ kind: 'retryDue', loadId })
    expect(explorer.started()).toEqual(['wait', 'loadRows'])
    explorer.send({ kind: 'rowsFailed', loadId: explorer.model.loadId, failure: REFUSED })
    expect([listKindOf(explorer.model), explorer.model.rows]).toEqual(['failed', []])
  })

  it('that fails removes the rows of another query, and names a wrong condition', () => {
    const explorer = new Explorer().answer().ask({ search: 'x' })
    const failure = new Failure(
      'refused',
      'The parameter "filter" is invalid at [0]: bad',
      undefined,
      'invalid_pattern',
    )
    explorer.send({ kind: 'rowsFailed', loadId: explorer.model.loadId, failure })
    expect([listKindOf(explorer.model), explorer.model.rows, explorer.model.problem]).toEqual(['failed', [], 'Bad'])
    explorer.ask({ search: '' }).answer()
    expect([listKindOf(explorer.model), explorer.model.problem]).toEqual(['rows', ''])
  })

  it('that is refused for its token signs out', () => {
    const explorer = new Explorer()
    explorer.started()
    explorer.send({ kind: 'rowsFailed', loadId: explorer.model.loadId, failure: SIGNED_OUT })
    expect(explorer.started()).toEqual(['signOut'])
    explorer.send({ kind: 'stopped' })
    expect([explorer.model.query, explorer.started()]).toEqual([undefined, ['cancel']])
    explorer.send({ kind: 'stopped' })
    expect(explorer.started()).toEqual([])
  })
})

describe('older rows', () => {
  const atEnd: Message = { kind: 'scrolled', isAtTop: false, isNearEnd: true }

  it('are requested once near the end, until there are no more', () => {
    const explorer = new Explorer().answer()
    explorer.started()
    explorer.send(atEnd).send(atEnd)
    expect(explorer.effects).toMatchObject([{ kind: 'loadOlder', before: `${NOW_US - 99}.1` }])
    const { loadId } = explorer.model
    explorer.send({ kind: 'olderLoaded', loadId, rows: rowsFrom(NOW_US - 100, 7) })
    expect([explorer.model.rows.length, explorer.model.isComplete]).toEqual([107, true])
    explorer.send(atEnd)
    expect(explorer.started()).toEqual(['loadOlder'])
  })

  it('that could not be loaded are requested again', () => {
    const explorer = new Explorer().answer().send(atEnd)
    explorer.started()
    explorer.send({ kind: 'olderFailed', loadId: explorer.model.loadId, failure: AWAY }).send(atEnd)
    expect(explorer.started()).toEqual(['loadOlder'])
  })
})

describe('following', () => {
  const following = () => {
    const explorer = new Explorer().answer().send({ kind: 'liveToggled' })
    explorer.started()
    return explorer
  }

  it('adds new rows, counts the unseen rows, and counts all rows once in a while', () => {
    const explorer = following().send({ kind: 'scrolled', isAtTop: false, isNearEnd: false })
    const { liveId } = explorer.model
    explorer.send({ kind: 'liveRows', liveId, rows: rowsFrom(NOW_US + 2, 2) })
    explorer.send({ kind: 'liveRows', liveId, rows: [row(NOW_US + 3), row(NOW_US + 2)] })
    expect(explorer.model).toMatchObject({ unseen: 3, fresh: 1, fields: { isOutdated: true } })
    expect(explorer.started()).toEqual(['wait'])
    explorer.send({ kind: 'countDue', liveId })
    expect(explorer.effects).toMatchObject([{ kind: 'loadHistogram', isFieldsNext: false }])
    expect(explorer.send({ kind: 'newRowsSeen' }).model.unseen).toBe(0)
  })

  it('requests what it has missed, and loads all again if that is too much', () => {
    const explorer = following()
    const { liveId, loadId } = explorer.model
    explorer.send({ kind: 'liveConnected', liveId })
    expect(explorer.model.live!.text).toBe('live')
    expect(explorer.effects).toMatchObject([{ kind: 'loadNewer', after: `${NOW_US}.1` }])
    explorer.started()
    explorer.send({ kind: 'newerLoaded', loadId, rows: rowsFrom(NOW_US + MAX_EXPLORED_ROWS, MAX_EXPLORED_ROWS) })
    expect(explorer.started()).toEqual(['loadRows'])
  })

  it('goes on when another query has loaded, unless its range has an end', () => {
    const explorer = following().ask({ search: 'x' })
    expect([explorer.model.live, explorer.started()]).toEqual([undefined, ['cancel', 'loadRows']])
    explorer.answer()
    expect(explorer.started()).toEqual(['loadHistogram', 'loadFields', 'follow'])
    explorer.ask({ range: { fromUs: 1, toUs: 2 } }).answer()
    expect([explorer.model.live, explorer.model.isLiveNext]).toEqual([undefined, false])
  })

  it('opens the end of a range', () => {
    const explorer = new Explorer('#project=a&from=2026-11-20T09:00:00Z&to=2026-11-20T09:30:00Z').answer()
    explorer.started()
    explorer.send({ kind: 'liveToggled' })
    expect(explorer.effects.map(({ kind }) => kind)).toEqual(['loadRows', 'follow', 'change'])
    const [{ range }] = explorer.changes() as [State]
    expect(range).toEqual({ fromUs: NOW_US - 3_600e6, toUs: undefined })
    explorer.ask({ range })
    expect([explorer.started(), explorer.model.live?.text]).toEqual([[], 'connecting …'])
  })

  it('ends if it fails, and starts again on demand; late messages change nothing', () => {
    const explorer = following()
    const { liveId } = explorer.model
    explorer.send({ kind: 'liveFailed', liveId, failure: REFUSED })
    expect([listKindOf(explorer.model), explorer.started()]).toEqual(['failed', ['cancel']])
    const { model } = explorer
    expect(explorer.send({ kind: 'liveRows', liveId, rows: [row(NOW_US + 9)] }).model).toBe(model)
    explorer.send({ kind: 'loadRetried' })
    expect([listKindOf(explorer.model), explorer.started()]).toEqual(['rows', ['follow']])
    explorer.send({ kind: 'liveToggled' })
    expect([explorer.model.live, explorer.started()]).toEqual([undefined, ['cancel', 'loadHistogram']])
  })
})

describe('conditions', () => {
  it('of words are searched after a pause, if the box has the same text', () => {
    const explorer = new Explorer().answer()
    explorer.started()
    explorer.send({ kind: 'typed', box: 'ab' }).send({ kind: 'typed', box: 'abc' })
    expect(explorer.started()).toEqual(['wait', 'wait'])
    explorer.send({ kind: 'typingPaused', box: 'ab' }).send({ kind: 'typingPaused', box: 'abc' })
    expect(explorer.changes()).toEqual([{ search: 'abc', record: '' }])
    explorer.send({ kind: 'typed', box: 'status:500' })
    expect([explorer.started(), explorer.ask({ search: 'abc' }).model.box]).toEqual([[], 'abc'])
  })

  it('in the box become filters, after a check of their patterns', () => {
    const explorer = new Explorer().answer()
    explorer.started()
    explorer.send({ kind: 'submitted', box: 'status:500 timed' })
    const filters = [{ field: 'response.status_code', op: '=', value: 500 }]
    expect([explorer.changes(), explorer.model.box]).toEqual([[{ filters, search: 'timed', record: '' }], 'timed'])
    const box = 'path:/a(/'
    explorer.send({ kind: 'submitted', box })
    expect(explorer.started()).toEqual(['checkPatterns'])
    explorer.send({ kind: 'patternsChecked', box, problem: 'Wrong.' })
    expect([explorer.model.problem, explorer.started()]).toEqual(['Wrong.', []])
    explorer.send({ kind: 'typed', box: 'x' }).send({ kind: 'patternsChecked', box, problem: 'Wrong.' })
    expect(explorer.model.problem).toBe('')
    explorer.send({ kind: 'submitted', box: 'a OR b' })
    expect(explorer.model.problem).toContain('in quotes')
  })

  it('of values are kept, excluded and toggled', () => {
    const explorer = new Explorer()
    explorer.started()
    explorer.send({ kind: 'filtered', filter: { field: 'a', op: '=', value: 1 } })
    explorer.send({ kind: 'filtered', filter: { field: 'a', op: '!=', value: 1 } })
    explorer.send({ kind: 'filtered', filter: { field: 'a', op: 'exists', value: undefined } })
    explorer.send({ kind: 'errorsToggled' })
    expect(explorer.changes()).toEqual([
      { filters: [{ field: 'a', op: '=', value: 1 }], record: '' },
      { filters: [{ field: 'a', op: '!=', value: 1 }], record: '' },
      { filters: [{ field: 'a', op: 'exists' }], record: '' },
      { isErrors: true, record: '' },
    ])
  })
})

describe('fields', () => {
  it('are requested again after a failure, each also over the whole range', () => {
    const explorer = new Explorer().answer()
    const { loadId } = explorer.model
    explorer.started()
    explorer.send({ kind: 'wholeFieldWanted', field: 'path' })
    expect(explorer.model.fields.whole.get('path')).toEqual({})
    explorer.send({ kind: 'wholeFieldEnded', loadId, field: 'path', whole: { failure: REFUSED } })
    expect(explorer.model.fields.whole.get('path')).toEqual({ failure: REFUSED })
    explorer.send({ kind: 'fieldsFailed', loadId, failure: REFUSED })
    expect(explorer.model.fields).toMatchObject({ rows: [], failure: REFUSED, whole: new Map() })
    explorer.send({ kind: 'fieldsRetried' })
    expect([explorer.model.fields.isLoading, explorer.started()]).toEqual([true, ['loadWholeField', 'loadFields']])
    explorer.send({ kind: 'fieldsLoaded', loadId, rows: [], cost: COST })
    expect(explorer.model.fields.text).toBe('These rows have no fields.')
  })
})

describe('the record', () => {
  const cursor = `${NOW_US - 1}.1`

  it('is a row of the list, or is requested', () => {
    const explorer = new Explorer().answer().ask({ record: cursor })
    expect(explorer.model).toMatchObject({ record: { cursor, line: row(NOW_US - 1).line }, active: { rank: 1 } })
    explorer.started()
    explorer.ask({ record: '5.1' })
    expect(explorer.started()).toEqual(['cancel', 'findRecord'])
    explorer.send({ kind: 'recordFound', cursor, line: '{}' })
    expect(explorer.model.record).toMatchObject({ cursor: '5.1', line: undefined, problem: '' })
    explorer.send({ kind: 'recordFound', cursor: '5.1', line: undefined })
    expect(explorer.model.record!.problem).toContain('no longer stored')
    explorer.ask({ record: '' })
    expect(explorer.model.record).toBe(undefined)
  })

  it('of another query is not looked for among the rows of the list', () => {
    const explorer = new Explorer().answer()
    explorer.started()
    explorer.ask({ source: 'auth_logs', record: cursor })
    expect(explorer.started()).toEqual(['loadRows', 'cancel', 'findRecord'])
  })

  it('opens as a step, follows the keyboard without a step, and closes', () => {
    const explorer = new Explorer().answer()
    explorer.started()
    explorer.send({ kind: 'movedTo', row: row(NOW_US) }).send({ kind: 'rowOpened', row: row(NOW_US - 1) })
    expect(explorer.effects).toEqual([{ kind: 'change', next: { record: cursor }, isStep: true }])
    explorer.ask({ record: cursor }).started()
    explorer.send({ kind: 'movedTo', row: row(NOW_US) }).send({ kind: 'recordClosed' })
    expect(explorer.effects).toEqual([
      { kind: 'change', next: { record: `${NOW_US}.1` }, isStep: false },
      { kind: 'change', next: { record: '' }, isStep: true },
    ])
  })

  it('gives way to the rows around it, each of which is shown without filters', () => {
    const explorer = new Explorer('#project=a&search=x').answer().ask({ record: cursor })
    expect(explorer.send({ kind: 'aroundOpened' }).model.record!.isAround).toBe(true)
    explorer.started()
    const place = { timestampUs: NOW_US - 4_000e6, rank: 2 }
    explorer.send({ kind: 'aroundRowChosen', place, source: 'auth_logs' })
    expect(explorer.changes()).toEqual([
      {
        ...{ source: 'auth_logs', filters: [], isErrors: false, search: '', record: `${place.timestampUs}.2` },
        range: { fromUs: place.timestampUs - 60e6, toUs: place.timestampUs + 60e6 },
      },
    ])
    expect(explorer.send({ kind: 'aroundClosed' }).model.record!.isAround).toBe(false)
  })
})
