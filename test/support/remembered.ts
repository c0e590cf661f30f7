/** Results are dropped when their texts have this many characters together. */
const MAX_CHARACTERS = 10_000_000

/** Returns the same function of a text, which keeps results for a while. The caller must not change a result. */
export function remembered<Result>(of: (text: string) => Result): (text: string) => Result {
  const results = new Map<string, Result>()
  let characters = 0
  return (text) => {
    if (results.has(text)) return results.get(text)!
    const result = of(text)
    characters += text.length
    if (characters > MAX_CHARACTERS) {
      results.clear()
      characters = text.length
    }
    results.set(text, result)
    return result
  }
}
