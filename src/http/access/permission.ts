import { RULE_TEST_PATH } from '../../common/rule-test-path.js'
import { VIEWS_PATH } from '../../common/views-list.js'
import type { Access, Scope } from '../../tokens/access.js'
import { refusals } from '../reply/errors.js'
import type { HeaderFields } from '../reply/reply.js'

/**
 * Checks rate, scope and projects of a token at a path. Returns the response of `refuse` if any of the three does not
 * permit the request, else undefined. `scope`: undefined if the path needs no scope.
 */
export function refuseAccess(
  access: Access,
  path: string,
  scope: Scope | undefined,
  refuse: (error: unknown, more?: HeaderFields) => Response,
): Response | undefined {
  const waitS = access.limit?.take() ?? 0
  if (waitS > 0) return refuse(refusals.tooManyRequests(), { 'Retry-After': String(waitS) })
  if (scope !== undefined && !access.scopes.has(scope)) return refuse(refusals.wrongScope(scope))
  if (access.projects !== undefined && ALL_PROJECTS_PATHS.has(path)) return refuse(refusals.ofAllProjects())
  return undefined
}

/** Paths with data of all projects in their responses. */
const ALL_PROJECTS_PATHS = new Set(['/metrics', RULE_TEST_PATH, VIEWS_PATH])
