/** Panels of the endpoints that have no panel of their own and require no parameter but the project. */
import { Failure, queryRows } from '../api/api.js'
import { type Endpoint, listEndpoints } from '../api/endpoints.js'
import { byId } from '../shared/dom.js'
import { isoBounds } from '../shared/range.js'
import { createEndpointPanel, type EndpointPanel } from './endpoint-panel.js'
import type { LinkOf } from './panel-source.js'
import { type ChartsView, closedBounds } from './view.js'

const WITH_PANEL = ['logs.all', 'functions.invocation-stats', 'usage.api-counts']

/** Returns whether an endpoint has no panel of its own, has the parameter `project`, and requires no other. */
const isShown = ({ name, parameters }: Endpoint) =>
  !WITH_PANEL.includes(name) &&
  parameters.some((parameter) => parameter.name === 'project') &&
  parameters.every((parameter) => parameter.name === 'project' || !parameter.required)

/** Creates the panels. `load` queries the list of endpoints, then each endpoint. A panel shows its own failure. */
export function createOthers(linkOf: LinkOf) {
  const place = byId('others')
  const panels = new Map<string, EndpointPanel>()

  /** Returns the panel of each endpoint. A panel is kept as long as the service has its endpoint. */
  function panelsOf(endpoints: readonly Endpoint[]): EndpointPanel[] {
    const names = endpoints.map(({ name }) => name)
    for (const name of panels.keys()) if (!names.includes(name)) panels.delete(name)
    const shown = names.map((name) => panels.get(name) ?? createEndpointPanel(name, linkOf))
    for (const [i, name] of names.entries()) panels.set(name, shown[i])
    const isSame = place.children.length === shown.length && shown.every(({ root }, i) => place.children[i] === root)
    // An element that is inserted again loses the focus.
    if (!isSame) place.replaceChildren(...shown.map(({ root }) => root))
    return shown
  }

  async function loadOne(endpoint: Endpoint, panel: EndpointPanel, options: Options): Promise<void> {
    panel.loading()
    try {
      const params = paramsOf(endpoint, options.view)
      const bounds = 'start' in params ? closedBounds(options.view) : undefined
      panel.show(await queryRows(endpoint.name, params, options), endpoint.columns, { ...options.view, bounds })
    } catch (error) {
      if (options.signal.aborted) return
      panel.failed(error instanceof Failure ? error : new Failure('refused', String(error)))
    }
  }

  return {
    async load(view: ChartsView, fresh: boolean, signal: AbortSignal) {
      const endpoints = (await listEndpoints(signal)).filter(isShown)
      const shown = panelsOf(endpoints)
      await Promise.all(endpoints.map((endpoint, i) => loadOne(endpoint, shown[i], { view, fresh, signal })))
    },
    redraw() {
      for (const panel of panels.values()) panel.redraw()
    },
  }
}

/** The parameters of an endpoint. If the endpoint has `start` or `end`, the value is the range of the view. */
function paramsOf({ parameters }: Endpoint, { project, bounds }: ChartsView): Record<string, string> {
  const names = new Set(parameters.map(({ name }) => name))
  const given = Object.entries({ project, ...isoBounds(bounds) })
  return Object.fromEntries(
    given.flatMap(([name, text]) => (text !== undefined && names.has(name) ? [[name, text]] : [])),
  )
}

interface Options {
  view: ChartsView
  fresh: boolean
  signal: AbortSignal
}
