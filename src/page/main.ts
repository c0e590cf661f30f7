/** The page: signs in, keeps its state in the URL, and shows a view. */
import type { Failure } from './api/api.js'
import type { ProjectRow } from './api/explore.js'
import { createCharts } from './charts/charts.js'
import { createExplore } from './explore/explore.js'
import { soleSource, sourcesWith } from './explore/model/sources.js'
import {
  fragmentOf,
  NO_CONDITIONS,
  namesRows,
  type State,
  stateOf,
  VIEW_NAMES,
  type ViewName,
  viewAfter,
} from './explore/model/state.js'
import { noRowsText } from './explore/view/empty-list.js'
import { byId, showText } from './shared/dom.js'
import { startKeys } from './shared/keys.js'
import { PRESET_NAMES, type PresetName, type Range } from './shared/range.js'
import { type Session, TOKEN_EXPIRED } from './shared/session.js'
import { createSignIn } from './shared/sign-in.js'
import { startTheme } from './shared/theme.js'
import { startTimes } from './shared/times.js'
import { createAlertBadge } from './shell/alert-badge.js'
import { createHeader } from './shell/header.js'
import { createKnownProjects, isOnlyChoice } from './shell/known-projects.js'
import { createLazyView, type LazyView } from './shell/lazy-view.js'
import { createOffers } from './shell/offers.js'
import { showNoProjects, showProjectList } from './shell/project-list.js'
import type { View } from './shell/view.js'

/** Time between two automatic refreshes of the charts. The service warms cached answers every five minutes. */
const REFRESH_MS = 60_000

let state: State = stateOf(location.hash)
/** Whether the page may choose the source: neither a link nor the user has named one. */
let isSourceOpen = !namesRows(location.hash)
let isSignedIn = false
/** The project of the page if its address names none. Empty: there is none. */
let defaultProject = ''

const signIn = createSignIn(enter)
const header = createHeader(change, (text) => projects.find(text))
const projects = createKnownProjects({ onList: showProjectChoice, onRows: showProjects, onFailure: showNoList })
const offers = createOffers({
  onAnswer: (view) => (state.view === view ? show() : showOffers()),
  onFailure: notifyBesideView,
})
const badge = createAlertBadge(() => change({ view: 'alerts' }), isHandled)
const explore = createExplore(
  { change, isHandled, projects: projects.rows, sourcesOf, linkOf, onLive: showLive },
  state,
)
const charts = createCharts({
  choose: (range) => change({ range, record: '' }),
  linkOf,
  isHandled,
  notify,
  onLive: showLive,
})
const sql = lazyView('SQL', async () => {
  const { createSqlView } = await import('./sql/sql.js')
  return createSqlView(byId('sql'), { change: (next) => change(next), sourcesOf, linkOf, isHandled })
})
const alerts = lazyView('alerts', async () => {
  const { createAlertsView } = await import('./alerts/alerts-view.js')
  const hrefOf = (next: Partial<State>) => fragmentOf({ ...state, ...NO_CONDITIONS, ...next })
  return createAlertsView(byId('alerts'), { onAlerts: badge.show, hasSql: () => isOffered('sql'), hrefOf, isHandled })
})
const api = lazyView('API', async () => {
  const { createEndpoints } = await import('./endpoints/endpoints.js')
  return createEndpoints(byId('api'), { change, isHandled }, state)
})
const views: Readonly<Record<ViewName, View>> = { explore, charts, sql, alerts, api }
/** Returns the element of a view. */
const elementOf = (view: ViewName) => byId(view === 'charts' ? 'panels' : view)
const theme = startTheme(redraw)
const times = startTimes(byId<HTMLButtonElement>('times'), redraw)

function redraw(): void {
  for (const name of VIEW_NAMES) views[name].redraw()
  showHeader()
}

function showHeader(): void {
  const isOneProject = isOnlyChoice(state.project, projects.rows(), defaultProject)
  header.show(state, { isOffered, isOneProject })
}

function notify(text: string): void {
  showText(byId('notice'), text)
}

function showLive(isLive: boolean): void {
  byId('live').setAttribute('aria-pressed', String(isLive))
}

/** Shows what the service offers: views, and alerts that fire, which the view of alerts requests itself. */
function showOffers(): void {
  showHeader()
  badge.poll(isSignedIn && isOffered('alerts') && state.view !== 'alerts')
}

/** Returns a view that loads its modules at the first `show`. */
function lazyView(title: string, load: () => Promise<View>): LazyView {
  return createLazyView(load, () => notify(`The ${title} view cannot be loaded. Reload the page.`))
}

/** Shows the sign-in, the choice of a project, or the view of the state. */
function show(): void {
  const isReady = isShown()
  for (const id of ['controls', 'open-sheet', 'sign-out']) byId(id).hidden = !isSignedIn
  byId('refresh').hidden = !isReady
  byId('live').hidden = !isReady || views[state.view].toggleLive === undefined
  byId('sign-in').hidden = isSignedIn
  byId('choose').hidden = !isSignedIn || isReady
  const shown = isReady && isOffered(state.view) ? state.view : undefined
  for (const name of VIEW_NAMES) elementOf(name).hidden = name !== shown
  for (const name of ['sql', 'alerts'] as const)
    byId(`${name}-off`).hidden = !(isReady && state.view === name && offers.has(name) === false)
  byId('content').classList.toggle('rows-view', shown === 'explore')
  if (isReady) projects.choose(state.project)
  if (isReady && isSourceOpen) chooseSource()
  document.title = state.project === '' ? 'logweir' : `${state.project} – logweir`
  showOffers()
  for (const name of VIEW_NAMES) if (name !== shown) views[name].stop()
  // A menu that is open in a view keeps the keys from the page.
  for (const menu of document.querySelectorAll<HTMLElement>(':popover-open'))
    if (!menu.checkVisibility()) menu.hidePopover()
  if (shown !== undefined) views[shown].show(state)
  showIfWithoutRows()
}

/** Says above the view if the project has no rows. The list of the explorer says so itself. */
function showIfWithoutRows(): void {
  const isChosen = isSignedIn && state.project !== ''
  const isSaid = isChosen && state.view !== 'explore' && projects.has(state.project) === false
  showText(byId('no-rows'), isSaid ? noRowsText(state.project) : '')
}

/** Chooses the source that alone has rows of the project, once, when the rows are known. */
function chooseSource(): void {
  if (projects.has(state.project) !== true) return
  const source = soleSource(projects.rows() ?? [], state.project) ?? state.source
  isSourceOpen = false
  if (source !== state.source) change({ source }, false)
}

/** Changes the state, also in the URL. The back button can undo a step. */
function change(next: Partial<State>, isStep = true): void {
  state = { ...state, ...next }
  isSourceOpen &&= !namesRows(fragmentOf(state))
  const address = `${location.pathname}${location.search}${fragmentOf(state)}`
  try {
    if (isStep) history.pushState(null, '', address)
    else history.replaceState(null, '', address)
  } catch {
    // A browser may refuse many changes in a short time, as when a key is held down. The next change writes the
    // complete state.
  }
  show()
}

/** Returns the address of the page with the state, or with another range, and nothing more, so never a token. */
function linkOf(range: Range = state.range): string {
  return `${location.origin}${location.pathname}${fragmentOf({ ...state, range })}`
}

/** Returns the names of the nine sources, and of the others that have rows of a project, as far as these are known. */
function sourcesOf(project: string): readonly string[] {
  return sourcesWith((projects.rows() ?? []).filter((row) => row.project === project))
}

function notifyOf(failure: Failure): void {
  if (!isHandled(failure)) notify(failure.message)
}

/**
 * Shows a failure of a request besides the view's requests. If a retry may help, the view reports the service's state.
 */
function notifyBesideView(failure: Failure): void {
  if (failure.retryS === undefined || !isShown()) notifyOf(failure)
}

function showNoList(failure: Failure): void {
  if (projects.rows() === undefined) showNoProjects(true)
  notifyBesideView(failure)
}

/** Signs out if signing in again is the remedy of a failure. Returns whether the page signed out. */
function isHandled(failure: Failure): boolean {
  if (failure.kind !== 'unauthorized') return false
  signOut(TOKEN_EXPIRED)
  return true
}

function signOut(reason: string): void {
  isSignedIn = false
  defaultProject = ''
  projects.forget()
  showNoProjects(false)
  offers.forget()
  badge.forget()
  for (const view of [sql, alerts, api]) view.forget()
  notify('')
  show()
  signIn.end(reason)
}

function enter(session: Session): void {
  isSignedIn = true
  defaultProject = session.default_project ?? ''
  if (state.project === '' && defaultProject !== '') change({ project: defaultProject }, false)
  else show()
  if (!isShown()) header.focusProject(false)
  void projects.load(state.project)
  offers.load()
}

function showProjects(rows: readonly ProjectRow[]): void {
  header.showProjects(rows, state)
  showHeader()
  if (isSourceOpen && isShown()) chooseSource()
  explore.showProjects()
  showIfWithoutRows()
}

/** Shows the projects to choose from. Chooses a sole project. */
function showProjectChoice(rows: readonly ProjectRow[], isCut: boolean): void {
  // The list was not there before.
  if (!isShown()) notify('')
  showProjectList(rows, isCut, (project) => change({ project }))
  const [only, ...others] = new Set(rows.map(({ project }) => project))
  if (state.project === '' && only !== undefined && others.length === 0) change({ project: only }, false)
}

/** Whether a view can be shown. */
const isOffered = (view: ViewName) => offers.has(view) === true

function refresh(): void {
  void projects.load(state.project)
  offers.load()
  views[state.view].refresh()
}

const toggleLive = () => views[state.view].toggleLive?.()
const showHelp = () => byId<HTMLDialogElement>('keys').showModal()
/** Whether a view is shown. Alerts are of all projects that the token may see. */
const isShown = () => isSignedIn && (state.project !== '' || state.view === 'alerts')

/** Chooses a range that ends now. Refreshes the view if the range is chosen already. */
function choosePreset(preset: PresetName): void {
  if (!isShown()) return
  if (JSON.stringify(state.range) === JSON.stringify({ preset })) refresh()
  else change({ range: { preset }, record: '' })
}

byId('refresh').addEventListener('click', refresh)
byId('live').addEventListener('click', toggleLive)
byId('theme').addEventListener('click', theme.toggle)
byId('help').addEventListener('click', showHelp)
byId('sign-out').addEventListener('click', () => signOut(''))
addEventListener('popstate', () => {
  const next = stateOf(location.hash)
  state = { ...next, project: next.project || defaultProject }
  isSourceOpen = false
  show()
})

/** Returns an action that has an effect only while rows are shown. */
const onRows = (act: () => void) => () => isShown() && state.view === 'explore' && act()
const search = onRows(() => byId<HTMLInputElement>('search').select())
startKeys({
  p: () => isSignedIn && header.focusProject(true),
  s: onRows(header.focusSource),
  '/': () => (state.view === 'sql' ? isShown() && sql.focus?.() : search()),
  e: onRows(explore.toggleErrors),
  f: onRows(explore.findField),
  j: onRows(() => explore.step(1)),
  k: onRows(() => explore.step(-1)),
  Escape: onRows(explore.closeRecord),
  l: () => isShown() && toggleLive(),
  r: () => isShown() && refresh(),
  v: () => isShown() && change({ view: viewAfter(state.view, isOffered) }),
  w: () => isSignedIn && isOffered('alerts') && change({ view: 'alerts' }),
  a: () => isShown() && change({ view: 'api' }),
  t: theme.toggle,
  z: times.toggle,
  '?': showHelp,
  ...Object.fromEntries(PRESET_NAMES.map((name, i) => [String(i + 1), () => choosePreset(name)])),
})
setInterval(() => {
  if (document.visibilityState === 'visible' && isShown() && state.view === 'charts' && byId('notice').hidden)
    charts.update()
}, REFRESH_MS)

show()
void signIn.start()
