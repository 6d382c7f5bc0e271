/** Checks that packages are pinned, have allowed licenses, and are locked for every platform. */
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

type Locked = {
  version?: string
  license?: string
  resolved?: string
  integrity?: string
  link?: boolean
  optionalDependencies?: Record<string, string>
}

const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Record<string, Record<string, string>>
const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as { packages: Record<string, Locked> }
/** The packages that npm downloads, excluding the project itself. */
const packages = Object.entries(lock.packages).filter(([path]) => path.includes('node_modules/'))

/** The allowed licenses, which require at most attribution and publishing changes to the licensed files. */
const LICENSES =
  /^\(?(MIT|MIT-0|ISC|0BSD|Apache-2\.0|BSD-2-Clause|BSD-3-Clause|BlueOak-1\.0\.0|CC0-1\.0|CC-BY-4\.0|Unlicense|PostgreSQL|Python-2\.0|OFL-1\.1|MPL-2\.0|LGPL-3\.0-or-later|Zlib|WTFPL|SIL OPEN FONT LICENSE)(( OR | AND )[\w.-]+)*\)?$/

it('every version is pinned exactly', () => {
  for (const group of ['dependencies', 'devDependencies', 'optionalDependencies']) {
    for (const [name, version] of Object.entries(manifest[group] ?? {}))
      expect([name, version]).toEqual([name, expect.stringMatching(/^\d+\.\d+\.\d+(-[\w.]+)?$/)])
  }
})

it('every package has an allowed license', () => {
  const disallowed = packages
    .filter(([, { license, link }]) => !link && !LICENSES.test(license ?? ''))
    .map(([path, { license }]) => `${path}: ${license}`)
  expect(disallowed).toEqual([])
})

it('the lockfile contains the binaries for every platform and a digest of every package, and does not refer to a registry', () => {
  const missing: string[] = []
  for (const [path, { optionalDependencies = {} }] of Object.entries(lock.packages)) {
    for (const name of Object.keys(optionalDependencies)) {
      const found = packages.some(([other]) => other === `node_modules/${name}` || other === `${path}/node_modules/${name}`)
      if (!found) missing.push(`${name}, required by ${path || 'the project'}`)
    }
  }
  expect(missing).toEqual([])
  expect(packages.filter(([, { integrity, link }]) => !link && !integrity).map(([path]) => path)).toEqual([])
  expect(packages.filter(([, { resolved, link }]) => !link && resolved !== undefined).map(([path]) => path)).toEqual([])
})
