/** The explorer: signs in, keeps the view in the address, and has the panels show it. */
import { Failure, isSignedIn, signInWith } from './api.js'
import { createCounts } from './counts.js'
import { byId, element } from './dom.js'
import { INTERVALS, type IntervalName } from './intervals.js'
import { createInvocations } from './invocations.js'
import { startKeys } from './keys.js'
import { createLogs } from './logs.js'
import { loadOthers } from './others.js'
import type { Panel } from './panel.js'
import { showReference } from './reference.js'
import { startTheme } from './theme.js'
import { fragmentOf, type View, viewOf } from './view.js'

/** Answers of the counting endpoints are warmed every five minutes. */
const REFRESH_MS = 60_000

const [viewForm, signInForm] = [byId<HTMLFormElement>('view'), byId<HTMLFormElement>('sign-in')]
const [projectField, searchField, tokenField] = ['project', 'search', 'token'].map((id) =>
  byId<HTMLInputElement>(id),
) as [HTMLInputElement, HTMLInputElement, HTMLInputElement]

let view: View = viewOf(location.hash)
let isIn = false
let tries = 0
let asking = new AbortController()
let retry: ReturnType<typeof setTimeout> | undefined
const known = new Set<string>()

const [counts, invocations] = [createCounts(), createInvocations()]
const logs = createLogs((failure) => handle(failure, logs.panel))
const theme = startTheme(() => {
  counts.redraw()
  invocations.redraw()
})

/** Shows what fits: the sign-in, the wish for a project, or the panels. */
function showParts(): void {
  for (const id of ['view', 'refresh', 'reference', 'sign-out']) byId(id).hidden = !isIn
  signInForm.hidden = isIn
  if (!isIn) openReference(false)
  byId('choose').hidden = !isIn || view.project !== ''
  byId('panels').hidden = !isIn || view.project === ''
  document.title = view.project === '' ? 'logweir' : `${view.project} – logweir`
}

function notify(text: string): void {
  byId('notice').textContent = text
  byId('notice').hidden = text === ''
}

function signOut(why: string): void {
  signInWith(undefined)
  isIn = false
  asking.abort()
  logs.stopLive()
  clearTimeout(retry)
  notify('')
  showParts()
  byId('sign-in-error').textContent = why
  tokenField.value = ''
  tokenField.focus()
}

/** Tells of a failure where it belongs, and does what can be done about it. */
function handle(error: unknown, panel: Panel): void {
  if (!(error instanceof Failure)) throw error
  if (error.kind === 'unauthorized') {
    signOut('The token is no longer taken: it has expired, or was revoked. Sign in with another one.')
    return
  }
  panel.failed(error)
  if (error.retryS === undefined) return
  notify(`${error.message} Asking again …`)
  clearTimeout(retry)
  retry = setTimeout(() => load(), error.retryS * 1_000)
}

/** Has all panels ask; what they asked before is let go. */
async function load(fresh = false): Promise<void> {
  if (!isIn || view.project === '') return
  clearTimeout(retry)
  asking.abort()
  asking = new AbortController()
  const { signal } = asking
  const asked = [
    { panel: counts.panel, answer: () => counts.load(view, fresh, signal) },
    { panel: invocations.panel, answer: () => invocations.load(view, fresh, signal) },
    { panel: logs.panel, answer: () => logs.load(view, signal) },
  ]
  // What fails there is told in its place, or by the others.
  void loadOthers(view, fresh, signal).catch(() => {})
  const outcomes = await Promise.all(
    asked.map(async ({ panel, answer }) => {
      panel.loading()
      try {
        await answer()
        return true
      } catch (error) {
        if (!signal.aborted) handle(error, panel)
        return false
      }
    }),
  )
  if (outcomes.every(Boolean)) notify('')
}

/** Shows another view: in the fields, in the address, in the panels. */
function change(next: Partial<View>, isStep = true): void {
  const wasLive = byId('live').getAttribute('aria-pressed') === 'true'
  view = { ...view, ...next }
  const address = `${location.pathname}${location.search}${fragmentOf(view)}`
  if (isStep) history.pushState(null, '', address)
  else history.replaceState(null, '', address)
  fillFields()
  showParts()
  if (next.project !== undefined && wasLive) {
    logs.stopLive()
    logs.toggleLive(view)
  }
}

function fillFields(): void {
  projectField.value = view.project
  searchField.value = view.search
  viewForm.querySelector<HTMLInputElement>(`[value="${view.interval}"]`)!.checked = true
  if (view.project !== '' && !known.has(view.project)) {
    known.add(view.project)
    byId('projects').append(element('option', { value: view.project }))
  }
  logs.search(view.search)
}

function choose(interval: IntervalName): void {
  change({ interval })
  void load()
}

async function enter(): Promise<void> {
  isIn = true
  showParts()
  byId('sign-in-error').textContent = ''
  if (view.project === '') projectField.focus()
  await load()
}

function openReference(isOpen: boolean): void {
  byId('reference-card').hidden = !isOpen
  byId('reference').setAttribute('aria-expanded', String(isOpen))
}

async function toggleReference(): Promise<void> {
  const isOpen = byId('reference-card').hidden === true
  if (!isIn) return
  try {
    if (isOpen) await showReference()
    openReference(isOpen)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    notify(error.message)
  }
}

function toggleLive(): void {
  if (view.project !== '') logs.toggleLive(view)
}

/** Why requests, as they go out now, are not let in, in words; undefined where they are. */
async function signInFault(): Promise<string | undefined> {
  try {
    return (await isSignedIn()) ? undefined : 'This token is not known here. Look whether it was copied whole.'
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    // Who may not see the list may see the rest.
    return error.kind === 'forbidden' ? undefined : error.message
  }
}

/** Signs in with a token, or without one. The newest try alone counts: an answer to another one may come after its own. */
async function trySignIn(given?: string): Promise<void> {
  const mine = ++tries
  signInWith(given)
  const fault = await signInFault()
  if (mine !== tries) return
  if (fault === undefined) {
    tokenField.value = ''
    await enter()
  } else if (given === undefined) {
    tokenField.focus()
  } else {
    byId('sign-in-error').textContent = fault
    tokenField.select()
  }
}

for (const [name, { label }] of Object.entries(INTERVALS)) {
  const input = element('input', { type: 'radio', name: 'interval', value: name })
  input.addEventListener('change', () => choose(name as IntervalName))
  viewForm.querySelector('fieldset')!.append(element('label', {}, input, element('span', {}, label)))
}

signInForm.addEventListener('submit', (event) => {
  event.preventDefault()
  void trySignIn(tokenField.value.trim())
})
viewForm.addEventListener('submit', (event) => {
  event.preventDefault()
  change({ project: projectField.value.trim() })
  void load()
})
searchField.addEventListener('input', () => change({ search: searchField.value }, false))
addEventListener('popstate', () => {
  view = viewOf(location.hash)
  fillFields()
  showParts()
  void load()
})
byId('refresh').addEventListener('click', () => load(true))
byId('reference').addEventListener('click', toggleReference)
byId('theme').addEventListener('click', theme.toggle)
byId('help').addEventListener('click', () => byId<HTMLDialogElement>('keys').showModal())
byId('sign-out').addEventListener('click', () => signOut(''))
byId('live').addEventListener('click', toggleLive)
startKeys({
  p: () => projectField.select(),
  '/': () => searchField.select(),
  j: () => logs.step(1),
  k: () => logs.step(-1),
  l: toggleLive,
  r: () => void load(true),
  a: () => void toggleReference(),
  t: theme.toggle,
  '?': () => byId<HTMLDialogElement>('keys').showModal(),
  ...Object.fromEntries(Object.keys(INTERVALS).map((name, i) => [String(i + 1), () => choose(name as IntervalName)])),
})
setInterval(() => {
  if (document.visibilityState === 'visible' && byId('notice').hidden) void load()
}, REFRESH_MS)

fillFields()
showParts()
// Where a proxy puts a token to what this page asks, nobody has to sign in.
void trySignIn()
