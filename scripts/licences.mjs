/** The licences of bundled libraries. */
import { readdirSync, readFileSync } from 'node:fs'

/** Returns the name, version and licence text of each package that the modules at these paths belong to. */
export function licencesOf(modules) {
  const folders = new Set(modules.flatMap((id) => /^.*\/node_modules\/(@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? []))
  return [...folders].sort().map(licenceOf).join('\n')
}

function licenceOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'))
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|notice)/i.test(file))
  const texts = files.map((file) => readFileSync(`${folder}/${file}`, 'utf8').trim())
  return [`== ${name} ${version}, ${license} ==`, ...texts, ''].join('\n\n')
}
