import { LogweirError } from '../../base/errors.js'
import type { Log } from '../../base/log.js'
import { createSerialQueue } from '../../base/scheduling/serial-queue.js'
import { MIB } from '../../base/units.js'
import type { Files } from '../../engine/disk/files/files.js'
import type { EventRecord } from '../states/event-record.js'
import { NEW_STATE, type RuleState } from '../states/state.js'
import { changed, changeOf, readChange, stateToJson } from '../states/state-json.js'
import { type Notification, readNotification } from './notification.js'
import { createRecordFile, type RecordFile, readRecords } from './record-file.js'

/** The change of an evaluation on disk, which is written whole or not at all. */
interface Commit {
  rule: string
  /** Undefined: the rule was deleted. */
  state: RuleState | undefined
  added: readonly Notification[]
  /** Records of the history, which are to be stored as rows. */
  events: readonly PendingEvent[]
}

/** A record of the history that is not stored as a row yet. */
export interface PendingEvent {
  /** A number of the sequence that the ids of notifications have too. */
  id: number
  record: EventRecord
}

/** The states of rules and the undelivered notifications of a data directory. */
export interface AlertStore {
  /** The states as they are on disk, by the name of the rule. */
  states(): ReadonlyMap<string, RuleState>
  /** The undelivered notifications, oldest first. */
  notifications(): readonly Notification[]
  /** The records of the history that are not stored as rows yet, oldest first. */
  events(): readonly PendingEvent[]
  /** Returns the id of the next notification or event. */
  nextId(): number
  /**
   * Writes a change. With `isSynced` the change survives a power cut once the promise resolves: so before anything is
   * sent. Without, it survives the death of the process. If writing fails, nothing has changed, and the promise rejects
   * with the system's error.
   */
  commit(commit: Commit, isSynced: boolean): Promise<void>
  /**
   * Forgets notifications that were delivered or given up, and events that were stored. After a crash, or a full disk,
   * an earlier notification may be sent again, with the same key, and an event stored again, with the same id.
   */
  settle(ids: readonly number[]): Promise<void>
  /**
   * Replaces all states, notifications and events by `change`, and writes them into a new file. Once the promise
   * resolves, no file of the folder has the parts that were left out, also after a power cut: files that were set aside
   * as damaged are removed too. Rejects with the system's error.
   */
  replace(change: ContentChange): Promise<void>
  close(): Promise<void>
}

/** Changes all that a store has. A function returns undefined for a part that is left out. */
export interface ContentChange {
  state(state: RuleState): RuleState
  notification(notification: Notification): Notification | undefined
  event(event: PendingEvent): PendingEvent | undefined
}

/** The folder of a data directory that has the states and the notifications. */
export const ALERTS = 'alerts'
const DAMAGED = '.damaged'
const NAME = /^states\.(\d{1,15})$/
const FORMAT = { format: 'logweir alerts', version: 1 }
/** The file is written again when it has grown by more than its size at first, and by more than this. */
const MIN_GROWTH_BYTES = MIB

interface Content {
  states: Map<string, RuleState>
  notifications: Map<number, Notification>
  events: Map<number, PendingEvent>
  nextId: number
}

/**
 * Opens the states below a data directory, in `alerts`. If the newest file is damaged, everything before the damage
 * holds, the file is kept under another name, and a log line says so. Throws `newer_format` if a newer version has
 * written the file, and the system's error.
 */
export async function openAlertStore(files: Files, log: Log): Promise<AlertStore> {
  await files.makeDirectory(ALERTS)
  await files.syncDirectory('')
  const numbers = (await files.list(ALERTS)).flatMap((name) => Number(NAME.exec(name)?.[1] ?? 0) || [])
  const newest = Math.max(0, ...numbers)
  const content = newest === 0 ? emptyContent() : await readContent(files, newest, log)
  const writer = createWriter(files, content, newest)
  await writer.rewrite()
  return createStore(content, writer)
}

/** Returns a store that ends with the process, for a service without a data directory. */
export function createMemoryStore(): AlertStore {
  const nothing = async () => {}
  return createStore(emptyContent(), { rewrite: nothing, write: nothing, close: nothing })
}

const emptyContent = (): Content => {
  return { states: new Map(), notifications: new Map(), events: new Map(), nextId: 1 }
}

async function readContent(files: Files, number: number, log: Log): Promise<Content> {
  const path = `${ALERTS}/states.${number}`
  const { records, damagedLines } = await readRecords(files, path)
  const content = emptyContent()
  const [head, ...others] = records
  if (head !== undefined) checkFormat(head, path)
  const wrong = takeAll(content, others)
  const fault = wrong ?? (damagedLines > 1 ? `${damagedLines} lines cannot be read` : undefined)
  if (fault === undefined) return content
  await files.rename(path, `${path}${DAMAGED}`)
  log(
    `${path} is damaged: ${fault}. Alerts go on from the states before the damage: receivers may be notified again, ` +
      `and notifications behind the damage are lost. The file is kept as ${path}${DAMAGED}.`,
    { level: 'error', code: 'alerts_damaged', path },
  )
  return content
}

function checkFormat(head: unknown, path: string): void {
  const { format, version } = Object(head) as Record<string, unknown>
  if (format === FORMAT.format && version === FORMAT.version) return
  throw new LogweirError(
    'newer_format',
    `${path} was written by a newer logweir. Use that version, or move the file away: then all alerts begin anew.`,
  )
}

/** Applies records up to the first wrong record. Returns the fault. */
function takeAll(content: Content, records: readonly unknown[]): string | undefined {
  try {
    for (const record of records) take(content, record)
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

/** Applies a record: `{rule, change, added, events}`, without `change` of a deleted rule, `{settled}` or `{nextId}`. */
function take(content: Content, record: unknown): void {
  const { rule, change, added, events, settled, nextId } = Object(record) as Record<string, unknown>
  const notifications = Array.isArray(added) ? added.map(readNotification) : []
  const pending = Array.isArray(events) ? events.map(readPending) : []
  if (typeof rule === 'string') {
    if (change === undefined) content.states.delete(rule)
    else content.states.set(rule, changed(content.states.get(rule) ?? NEW_STATE, readChange(change)))
  }
  for (const one of notifications) content.notifications.set(one.id, one)
  for (const one of pending) content.events.set(one.id, one)
  const ids = [...notifications, ...pending].map(({ id }) => id + 1)
  content.nextId = ids.reduce((most, id) => Math.max(most, id), Math.max(content.nextId, Number(nextId) || 0))
  if (Array.isArray(settled)) forget(content, settled)
}

function readPending(json: unknown): PendingEvent {
  const { id, record } = Object(json) as Record<string, unknown>
  const { id: uuid, timestamp, event_message: text, project, metadata } = Object(record) as Record<string, unknown>
  const isRight =
    [id, timestamp].every(Number.isSafeInteger) &&
    [uuid, text, project].every((one) => typeof one === 'string') &&
    typeof metadata === 'object'
  if (!isRight) throw new TypeError('An event is wrong.')
  return json as PendingEvent
}

function forget({ notifications, events }: Content, ids: readonly number[]): void {
  for (const id of ids) {
    notifications.delete(id)
    events.delete(id)
  }
}

/** The file of the content, which is written again when the file has grown, and after a failure. */
interface Writer {
  /** Writes everything into a new file, and removes older files. Damaged files only if `isAll`. */
  rewrite(isAll?: boolean): Promise<void>
  /** Writes a record. */
  write(record: unknown, isSynced: boolean): Promise<void>
  close(): Promise<void>
}

function createWriter(files: Files, content: Content, newest: number): Writer {
  let number = newest
  let file: RecordFile | undefined
  let firstBytes = 0

  async function close(): Promise<void> {
    await file?.close()
    file = undefined
  }

  async function rewrite(isAll = false): Promise<void> {
    await close().catch(() => {})
    file = await createRecordFile(files, ALERTS, `states.${number + 1}`, recordsOf(content))
    firstBytes = file.bytes()
    number += 1
    for (const name of await files.list(ALERTS)) {
      const old = Number(NAME.exec(name)?.[1] ?? number)
      const isDamaged = isAll && name.endsWith(DAMAGED)
      if (old < number || name.endsWith('.new') || isDamaged) await files.remove(`${ALERTS}/${name}`)
    }
    if (isAll) await files.syncDirectory(ALERTS)
  }

  async function write(record: unknown, isSynced: boolean): Promise<void> {
    const isLong = file !== undefined && file.bytes() - firstBytes > Math.max(MIN_GROWTH_BYTES, firstBytes)
    if (file === undefined || isLong) await rewrite()
    try {
      await file!.append([record], isSynced)
    } catch (error) {
      await file!.close().catch(() => {})
      file = undefined
      throw error
    }
  }

  return { rewrite, write, close }
}

/** The records of a whole file. */
function recordsOf({ states, notifications, events, nextId }: Content): unknown[] {
  const whole = [...states].map(([rule, state]) => ({ rule, change: stateToJson(state) }))
  return [FORMAT, { nextId }, ...whole, { added: [...notifications.values()], events: [...events.values()] }]
}

function createStore(content: Content, { rewrite, write, close }: Writer): AlertStore {
  const queue = createSerialQueue()
  return {
    states: () => content.states,
    notifications: () => [...content.notifications.values()],
    events: () => [...content.events.values()],
    nextId: () => content.nextId++,
    commit: ({ rule, state, added, events }, isSynced) =>
      queue.run(async () => {
        const before = content.states.get(rule) ?? NEW_STATE
        await write({ rule, change: state && changeOf(before, state), added, events }, isSynced)
        if (state === undefined) content.states.delete(rule)
        else content.states.set(rule, state)
        for (const one of added) content.notifications.set(one.id, one)
        for (const one of events) content.events.set(one.id, one)
      }),
    settle: (settled) =>
      queue.run(async () => {
        forget(content, settled)
        await write({ settled }, false)
      }),
    replace: (change) =>
      queue.run(async () => {
        changeValues(content.states, change.state)
        changeValues(content.notifications, change.notification)
        changeValues(content.events, change.event)
        await rewrite(true)
      }),
    close: () => queue.run(close),
  }
}

function changeValues<Key, Value>(values: Map<Key, Value>, change: (value: Value) => Value | undefined): void {
  for (const [key, value] of values) {
    const changed = change(value)
    if (changed === undefined) values.delete(key)
    else values.set(key, changed)
  }
}
