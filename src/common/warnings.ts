/** Reads the header `Logweir-Warnings`, a JSON list of texts. Returns no texts if the header is absent or invalid. */
export function readWarnings(header: string | null | undefined): readonly string[] {
  try {
    return (JSON.parse(header ?? '[]') as unknown[]).map(String)
  } catch {
    return []
  }
}
