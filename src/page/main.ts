/** The explorer: signs in, keeps the view in the URL, and loads the panels. */
import { Failure } from './api/api.js'
import { createCounts } from './charts/counts.js'
import { INTERVALS, type IntervalName } from './charts/intervals.js'
import { createInvocations } from './charts/invocations.js'
import { createLogs } from './charts/logs.js'
import { createOthers } from './charts/others.js'
import type { Panel } from './charts/panel.js'
import { fragmentOf, type View, viewOf } from './charts/view.js'
import { showReference } from './reference/reference.js'
import { byId, element } from './shared/dom.js'
import { startKeys } from './shared/keys.js'
import { TOKEN_EXPIRED } from './shared/session.js'
import { createSignIn } from './shared/sign-in.js'
import { startTheme } from './shared/theme.js'
import { startTimes } from './shared/times.js'

/** Time between two automatic refreshes. The service warms cached answers every five minutes. */
const REFRESH_MS = 60_000

const viewForm = byId<HTMLFormElement>('view')
const [projectField, searchField] = [byId<HTMLInputElement>('project'), byId<HTMLInputElement>('search')]

let view: View = viewOf(location.hash)
let signedIn = false
let loading = new AbortController()
let retry: ReturnType<typeof setTimeout> | undefined
const knownProjects = new Set<string>()

const [counts, invocations, others] = [createCounts(), createInvocations(), createOthers()]
const logs = createLogs((failure) => handle(failure, logs.panel))
const signIn = createSignIn(enter)
const theme = startTheme(redraw)
const times = startTimes(byId<HTMLButtonElement>('times'), () => {
  redraw()
  logs.redraw()
  void load()
})

function redraw(): void {
  counts.redraw()
  invocations.redraw()
  others.redraw()
}

/** Shows the sign-in, the request for a project, or the panels. */
function showParts(): void {
  for (const id of ['view', 'refresh', 'reference', 'sign-out']) byId(id).hidden = !signedIn
  byId('sign-in').hidden = signedIn
  if (!signedIn) openReference(false)
  byId('choose').hidden = !signedIn || view.project !== ''
  byId('panels').hidden = !signedIn || view.project === ''
  document.title = view.project === '' ? 'logweir' : `${view.project} – logweir`
}

function notify(text: string): void {
  byId('notice').textContent = text
  byId('notice').hidden = text === ''
}

function signOut(reason: string): void {
  signedIn = false
  loading.abort()
  logs.stopLive()
  clearTimeout(retry)
  notify('')
  showParts()
  signIn.end(reason)
}

/** Shows a failure in its panel; signs out or schedules a retry if that is the remedy. */
function handle(error: unknown, panel: Panel): void {
  if (!(error instanceof Failure)) throw error
  if (error.kind === 'unauthorized') {
    signOut(TOKEN_EXPIRED)
    return
  }
  panel.failed(error)
  if (error.retryS === undefined) return
  notify(`${error.message} Retrying …`)
  clearTimeout(retry)
  retry = setTimeout(() => load(), error.retryS * 1_000)
}

/** Loads all panels, and aborts their previous requests. */
async function load(fresh = false): Promise<void> {
  if (!signedIn || view.project === '') return
  clearTimeout(retry)
  loading.abort()
  loading = new AbortController()
  const { signal } = loading
  const loads = [
    { panel: counts.panel, run: () => counts.load(view, fresh, signal) },
    { panel: invocations.panel, run: () => invocations.load(view, fresh, signal) },
    { panel: logs.panel, run: () => logs.load(view, signal) },
  ]
  // These panels show their own failures; a failure of the list also occurs in the others.
  void others.load(view, fresh, signal).catch(() => {})
  const outcomes = await Promise.all(
    loads.map(async ({ panel, run }) => {
      panel.loading()
      try {
        await run()
        return true
      } catch (error) {
        if (!signal.aborted) handle(error, panel)
        return false
      }
    }),
  )
  if (outcomes.every(Boolean)) notify('')
}

/** Changes the view in the fields and in the URL; `isStep` adds an entry to the history. */
function change(next: Partial<View>, isStep = true): void {
  const wasLive = byId('live').getAttribute('aria-pressed') === 'true'
  view = { ...view, ...next }
  const address = `${location.pathname}${location.search}${fragmentOf(view)}`
  if (isStep) history.pushState(null, '', address)
  else history.replaceState(null, '', address)
  updateFields()
  showParts()
  if (next.project !== undefined && wasLive) {
    logs.stopLive()
    logs.toggleLive(view)
  }
}

function updateFields(): void {
  projectField.value = view.project
  searchField.value = view.search
  viewForm.querySelector<HTMLInputElement>(`[value="${view.interval}"]`)!.checked = true
  if (view.project !== '' && !knownProjects.has(view.project)) {
    knownProjects.add(view.project)
    byId('projects').append(element('option', { value: view.project }))
  }
  logs.search(view.search)
}

function choose(interval: IntervalName): void {
  change({ interval })
  void load()
}

function enter(): void {
  signedIn = true
  showParts()
  if (view.project === '') projectField.focus()
  void load()
}

function openReference(isOpen: boolean): void {
  byId('reference-card').hidden = !isOpen
  byId('reference').setAttribute('aria-expanded', String(isOpen))
}

async function toggleReference(): Promise<void> {
  const isOpen = byId('reference-card').hidden === true
  if (!signedIn) return
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

for (const [name, { label }] of Object.entries(INTERVALS)) {
  const input = element('input', { type: 'radio', name: 'interval', value: name })
  input.addEventListener('change', () => choose(name as IntervalName))
  viewForm.querySelector('fieldset')!.append(element('label', {}, input, element('span', {}, label)))
}

viewForm.addEventListener('submit', (event) => {
  event.preventDefault()
  change({ project: projectField.value.trim() })
  void load()
})
searchField.addEventListener('input', () => change({ search: searchField.value }, false))
addEventListener('popstate', () => {
  view = viewOf(location.hash)
  updateFields()
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
  z: times.toggle,
  '?': () => byId<HTMLDialogElement>('keys').showModal(),
  ...Object.fromEntries(Object.keys(INTERVALS).map((name, i) => [String(i + 1), () => choose(name as IntervalName)])),
})
setInterval(() => {
  if (document.visibilityState === 'visible' && byId('notice').hidden) void load()
}, REFRESH_MS)

updateFields()
showParts()
void signIn.start()
