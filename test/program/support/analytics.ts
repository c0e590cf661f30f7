import { composeProject, type Mapping } from '../../deploy/compose-project.js'
import { textOf } from '../../deploy/files.js'
import { ENV, OURS, OURS_OLDER } from '../../deploy/supabase-stack.js'

/** The service `analytics` of a stack. */
export interface Analytics {
  environment: Record<string, string>
  healthcheck: { test: string[] }
}

const OUR_FILES = Object.fromEntries([OURS, OURS_OLDER].map((name) => [name, textOf(`deploy/supabase/${name}`)]))

/** Returns the service `analytics` that Compose makes of the named files: the files of a stack, and ours. */
export function analyticsOf(stack: Readonly<Record<string, string>>, names: readonly string[]): Analytics {
  const { services } = composeProject({ files: { ...OUR_FILES, ...stack }, env: ENV }, names)
  return (services as Record<string, Mapping>).analytics as unknown as Analytics
}
