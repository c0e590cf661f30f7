/** Returns labels as a text, by name: `path=/x, project=a`. Only equal labels have equal texts. */
export const labelsText = (labels: Readonly<Record<string, string>>): string =>
  Object.entries(labels)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, text]) => `${name}=${QUOTED.test(text) ? JSON.stringify(text) : text}`)
    .join(', ')

/** Texts that could be taken for several labels. */
const QUOTED = /[",=\s]/
