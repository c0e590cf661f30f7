const NOTE = /^(building|more|partial)(?:; (?:from|before)=([0-9T:.Z-]+))?$/

/** Returns the content of the header `Logweir-View` as sentences for a terminal. Unknown parts are left out. */
export function viewWarnings(header: string | undefined): string[] {
  return (header ?? '').split(', ').flatMap((part) => {
    const [, kind, time] = NOTE.exec(part) ?? []
    if (kind === 'partial') return ['Some groups are counted together under the key "…".']
    if (time === undefined) return []
    return kind === 'more'
      ? [`There are more rows, of buckets that start before ${time}: read on with --end ${time}.`]
      : [`The view is new: it lacks rows from before ${time} that were deleted before there was the view.`]
  })
}
