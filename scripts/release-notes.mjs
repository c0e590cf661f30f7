/** The notes of a release, from the changelog. */

/**
 * Returns the text of the section of the changelog with a heading that begins with the words. Empty if there is none.
 */
function sectionOf(changelog, words) {
  const sections = changelog.split(/^## /m).slice(1)
  const found = sections.find((section) => section.startsWith(`${words} `) || section.startsWith(`${words}\n`))
  return found === undefined ? '' : found.slice(found.indexOf('\n')).trim()
}

/**
 * Returns the section of a version. Throws if there is none, or if there are changes that belong to no version, unless
 * `allowUnreleased` says that those are wanted.
 */
export function releaseNotes(changelog, version, { allowUnreleased = false } = {}) {
  const unreleased = sectionOf(changelog, 'Unreleased')
  if (unreleased !== '' && allowUnreleased) return `${unreleased}\n`
  if (unreleased !== '')
    throw new Error(
      'CHANGELOG.md: give the changes below "Unreleased" a version and a date, and package.json the version.',
    )
  const notes = sectionOf(changelog, version)
  if (notes === '') throw new Error(`CHANGELOG.md has no section "## ${version} – date".`)
  return `${notes}\n`
}
