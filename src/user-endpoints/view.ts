import type { Endpoint } from '../endpoints/endpoint.js'
import type { ViewDefinition } from '../views/definition/definition.js'

/** The endpoint of a view. */
export interface ViewEndpoint extends Endpoint {
  readonly view: ViewDefinition
}

/** Returns whether an endpoint is one of a view. */
export const isView = (endpoint: Endpoint): endpoint is ViewEndpoint => 'view' in endpoint
