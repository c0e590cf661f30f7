/** The messages that change the model, and the effects that `update` asks for. */
import type { Failure } from '../../api/api.js'
import type { Cost } from '../../api/cost.js'
import type {
  FieldRow,
  Filter,
  FilterEntry,
  HistogramRow,
  LogRow,
  Place,
  ProjectRow,
  Query,
} from '../../api/explore.js'
import type { Model, WholeField } from './model.js'
import type { State } from './state.js'

/** The page shows a state, shows another view, loads again, or knows the projects. */
type FromPage =
  | { kind: 'asked'; state: State; projects: readonly ProjectRow[] | undefined }
  | { kind: 'projectsKnown'; projects: readonly ProjectRow[] | undefined }
  | { kind: 'refreshed' }
  | { kind: 'stopped' }
  | { kind: 'liveToggled' }

/** The user changes the conditions. `isStep`: the back button returns to the previous state. */
type FromConditions =
  | { kind: 'changed'; next: Partial<State>; isStep: boolean }
  | { kind: 'filtered'; filter: Filter }
  | { kind: 'errorsToggled' }
  | { kind: 'typed'; box: string }
  | { kind: 'typingPaused'; box: string }
  | { kind: 'submitted'; box: string }
  /** `problem`: the fault of the patterns, if any. */
  | { kind: 'patternsChecked'; box: string; problem: string | undefined }

/** The user scrolls, moves, opens, or tries again. */
type FromViews =
  | { kind: 'scrolled'; isAtTop: boolean; isNearEnd: boolean }
  | { kind: 'newRowsSeen' }
  | { kind: 'movedTo'; row: LogRow }
  | { kind: 'rowOpened'; row: LogRow }
  | { kind: 'loadRetried' }
  | { kind: 'fieldsRetried' }
  | { kind: 'wholeFieldWanted'; field: string }
  | { kind: 'recordClosed' }
  | { kind: 'aroundOpened' }
  | { kind: 'aroundClosed' }
  | { kind: 'aroundRowChosen'; place: Place; source: string }

/** Answers to the requests of a load. */
type FromRequests = { loadId: number } & (
  | { kind: 'rowsLoaded'; rows: readonly LogRow[]; cost: Cost }
  | { kind: 'rowsFailed'; failure: Failure }
  | { kind: 'retryDue' }
  | { kind: 'olderLoaded'; rows: readonly LogRow[] }
  | { kind: 'olderFailed'; failure: Failure }
  | { kind: 'newerLoaded'; rows: readonly LogRow[] }
  | { kind: 'newerFailed'; failure: Failure }
  | { kind: 'histogramLoaded'; rows: readonly HistogramRow[]; cost: Cost; isFieldsNext: boolean }
  | { kind: 'histogramFailed'; failure: Failure; isFieldsNext: boolean }
  | { kind: 'fieldsLoaded'; rows: readonly FieldRow[]; cost: Cost }
  | { kind: 'fieldsFailed'; failure: Failure }
  | { kind: 'wholeFieldEnded'; field: string; whole: WholeField }
)

/** The record at a cursor. `line`: JSON of the row, or undefined if there is no such row. */
type FromRecord = { cursor: string } & (
  | { kind: 'recordFound'; line: string | undefined }
  | { kind: 'recordFailed'; failure: Failure }
)

/** New rows, and the connection that delivers the rows. */
type FromLive = { liveId: number } & (
  | { kind: 'liveConnected' }
  | { kind: 'liveWaiting'; text: string }
  | { kind: 'liveRows'; rows: readonly LogRow[] }
  | { kind: 'liveGap' }
  | { kind: 'liveFailed'; failure: Failure }
  | { kind: 'countDue' }
)

/** Everything that can happen to the model. */
export type Message = FromPage | FromConditions | FromViews | FromRequests | FromRecord | FromLive

/** Changes the model by a message, and draws the model. */
export type Send = (message: Message) => void

/** The requests that end together: of the load, of the open record, and of the tail. */
export type Scope = 'load' | 'record' | 'live'

/** A request or another act outside of the model. The outcome comes as a message. */
export type Effect =
  /** Changes the state of the page. */
  | { kind: 'change'; next: Partial<State>; isStep: boolean }
  /** Lets the page sign out. */
  | { kind: 'signOut'; failure: Failure }
  | { kind: 'cancel'; scope: Scope }
  /** Sends a message after a time, and not while the page is hidden if `isForVisible`. */
  | { kind: 'wait'; ms: number; message: Message; isForVisible?: boolean }
  | { kind: 'loadRows'; loadId: number; query: Query }
  | { kind: 'loadOlder'; loadId: number; query: Query; before: string }
  | { kind: 'loadNewer'; loadId: number; query: Query; after: string }
  /** `isFieldsNext`: loads the fields when the histogram has come. */
  | { kind: 'loadHistogram'; loadId: number; query: Query; isFieldsNext: boolean }
  | { kind: 'loadFields'; loadId: number; query: Query }
  | { kind: 'loadWholeField'; loadId: number; query: Query; field: string }
  | { kind: 'findRecord'; query: Query; cursor: string }
  | { kind: 'checkPatterns'; box: string; state: State; filters: readonly FilterEntry[] }
  | { kind: 'follow'; liveId: number; query: Query }

/** The next model, and the effects to start in order. */
export type Step = readonly [model: Model, ...effects: Effect[]]

/** Returns the next step for a message. */
export type Handler<Kind extends Message['kind'] = Message['kind']> = (
  model: Model,
  message: Extract<Message, { kind: Kind }>,
  nowUs: number,
) => Step

/** A handler for each kind of message. */
export type Handlers = { readonly [Kind in Message['kind']]: Handler<Kind> }

/** A function for each kind of effect, which starts the effect. */
export type EffectHandlers = { readonly [Kind in Effect['kind']]: (effect: Extract<Effect, { kind: Kind }>) => void }
