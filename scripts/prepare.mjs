/** npm runs this after an install. Builds, unless the development packages are missing (`npm ci --omit=dev`). */
import { execSync } from 'node:child_process'
import { createRequire } from 'node:module'

function hasCompiler() {
  try {
    createRequire(import.meta.url).resolve('typescript/package.json')
    return true
  } catch {
    return false
  }
}

if (hasCompiler()) execSync('npm run build', { stdio: 'inherit' })
else console.log('logweir: not built, since the development packages were left out; dist/ must come from elsewhere')
