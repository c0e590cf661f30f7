/** Light or dark: what the reader chose, else what the system says. */

const KEY = 'logweir-theme'
const system = matchMedia('(prefers-color-scheme: dark)')

const chosen = () => localStorage.getItem(KEY)
const isDark = () => (chosen() ?? (system.matches ? 'dark' : 'light')) === 'dark'

function apply(): void {
  document.documentElement.dataset.theme = isDark() ? 'dark' : 'light'
}

/** Calls `onChange` when the colours are others. */
export function startTheme(onChange: () => void): { toggle(): void } {
  const change = () => {
    apply()
    onChange()
  }
  apply()
  system.addEventListener('change', change)
  return {
    toggle() {
      localStorage.setItem(KEY, isDark() ? 'light' : 'dark')
      change()
    },
  }
}
