import type { Access, Scope } from '../../tokens/access.js'
import { refusals } from '../reply/errors.js'
import type { HeaderFields } from '../reply/reply.js'

/** Refuses, by way of `refuse`, what a token does not open at a path; undefined where nothing is refused. */
export function refuseAccess(
  access: Access,
  path: string,
  scope: Scope,
  refuse: (error: unknown, more?: HeaderFields) => Response,
): Response | undefined {
  const waitS = access.limit?.take() ?? 0
  if (waitS > 0) return refuse(refusals.tooManyRequests(), { 'Retry-After': String(waitS) })
  if (!access.scopes.has(scope)) return refuse(refusals.wrongScope(scope))
  if (access.projects !== undefined && OF_ALL_PROJECTS.has(path)) return refuse(refusals.ofAllProjects())
  return undefined
}

/** The paths whose answers cannot be cut down to some projects. */
const OF_ALL_PROJECTS = new Set(['/metrics'])
