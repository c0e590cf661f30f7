import { DCLinter } from 'dclint'

/** Rules of style, and a rule that does not fit images without a fixed version. */
const RULES_NOT_KEPT = {
  'no-quotes-in-volumes': 0,
  'service-dependencies-alphabetical-order': 0,
  'service-image-require-explicit-tag': 0,
  'service-keys-order': 0,
  'services-alphabetical-order': 0,
} as const

interface Linted {
  messages: { rule: string; message: string }[]
}

/**
 * Returns the messages of the linter, which has the schema of the Compose specification, for a file. An overlay needs
 * no project name.
 */
export async function lintCompose(path: string, isOverlay = false): Promise<string[]> {
  const linter = new DCLinter({
    rules: {
      ...RULES_NOT_KEPT,
      'no-build-and-image': [2, { checkPullPolicy: true }],
      'require-project-name-field': isOverlay ? 0 : 1,
    },
    quiet: false,
    debug: false,
    exclude: [],
  })
  const [file]: Linted[] = await linter.lintFiles([path], false)
  return file?.messages.map(({ rule, message }) => `${rule}: ${message}`) ?? []
}
