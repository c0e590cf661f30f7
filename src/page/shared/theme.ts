/** Light or dark theme: the user's choice if any, else the system's setting. */
import { storedIn } from './stored.js'

const stored = storedIn('localStorage', 'logweir-theme')
const system = matchMedia('(prefers-color-scheme: dark)')

const isDark = () => (stored.read() ?? (system.matches ? 'dark' : 'light')) === 'dark'

function apply(): void {
  document.documentElement.dataset.theme = isDark() ? 'dark' : 'light'
}

/** Applies the theme, and calls `onChange` after each change of colours. */
export function startTheme(onChange: () => void): { toggle(): void } {
  const change = () => {
    apply()
    onChange()
  }
  apply()
  system.addEventListener('change', change)
  return {
    toggle() {
      stored.write(isDark() ? 'light' : 'dark')
      change()
    },
  }
}
