/** Handlers of the histogram and of the fields, which load after the rows: the user waits for the rows. */
import type { Handlers, Step } from './message.js'
import type { FieldsModel, Model, WholeField } from './model.js'
import { endLoad } from './update-rows.js'

/** Loads the fields. */
export const loadFields = (model: Model): Step => [
  model,
  { kind: 'loadFields', loadId: model.loadId, query: model.query! },
]

const NO_ROWS = 'No rows, so no fields.'
const NO_FIELDS = 'These rows have no fields.'

/** Returns the model with fields, or with a failure. */
const withFields = (model: Model, next: Pick<FieldsModel, 'rows' | 'failure' | 'text'>): Model => ({
  ...model,
  fields: { ...next, isLoading: false, source: model.asked.source, isOutdated: false, whole: new Map() },
})

/** Handlers of the answers with counts. */
export const fromCounts = {
  histogramLoaded(model, { loadId, rows, cost, isFieldsNext }, nowUs) {
    if (loadId !== model.loadId) return [model]
    const histogram = { isLoading: false, shown: { rows, bounds: model.bounds, nowUs }, text: '' }
    const next = { ...model, histogram, costs: { ...model.costs, histogram: cost } }
    return isFieldsNext ? loadFields(next) : [next]
  },
  histogramFailed(model, { loadId, failure, isFieldsNext }) {
    if (loadId !== model.loadId) return [model]
    const next = { ...model, histogram: { isLoading: false, shown: undefined, text: failure.message } }
    return isFieldsNext ? loadFields(next) : [next]
  },
  fieldsLoaded(model, { loadId, rows, cost }) {
    if (loadId !== model.loadId) return [model]
    const text = rows.length > 0 ? '' : model.rows.length === 0 ? NO_ROWS : NO_FIELDS
    return endLoad({
      ...withFields(model, { rows, failure: undefined, text }),
      costs: { ...model.costs, fields: cost },
    })
  },
  fieldsFailed: (model, { loadId, failure }) =>
    loadId === model.loadId ? endLoad(withFields(model, { rows: [], failure, text: '' })) : [model],
  wholeFieldWanted: (model, { field }) => [
    withWhole(model, field, {}),
    { kind: 'loadWholeField', loadId: model.loadId, query: model.query!, field },
  ],
  wholeFieldEnded: (model, { loadId, field, whole }) => [
    loadId === model.loadId ? withWhole(model, field, whole) : model,
  ],
} satisfies Partial<Handlers>

function withWhole(model: Model, field: string, whole: WholeField): Model {
  return { ...model, fields: { ...model.fields, whole: new Map(model.fields.whole).set(field, whole) } }
}
