/** Tests the check for missing packages. */
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { hasPackages } from './bootstrap.mjs'

type Packages = Record<string, { version?: string; integrity?: string; optional?: boolean }>

const read = (file: string) => (JSON.parse(readFileSync(file, 'utf8')) as { packages: Packages }).packages
const wanted = read('package-lock.json')

it('reports that this project’s packages are installed, although optional ones for other platforms are not', () => {
  const recorded = read('node_modules/.package-lock.json')
  expect(Object.keys(recorded).length).toBeLessThan(Object.keys(wanted).length)
  expect(hasPackages(wanted, recorded)).toBe(true)
})

it.each<[string, Packages | undefined]>([
  ['nothing is installed', undefined],
  ['a package is missing', { 'node_modules/a': { version: '1.0.0', integrity: 'x' } }],
  [
    'a package has a different version',
    { 'node_modules/a': { version: '1.0.0', integrity: 'x' }, 'node_modules/b': { version: '2.0.0', integrity: 'y' } },
  ],
  [
    'a package has a different digest',
    { 'node_modules/a': { version: '1.0.0', integrity: 'x' }, 'node_modules/b': { version: '1.0.0', integrity: 'z' } },
  ],
])('reports that packages are missing if %s', (_, recorded) => {
  const lockfile: Packages = {
    '': {},
    'node_modules/a': { version: '1.0.0', integrity: 'x' },
    'node_modules/b': { version: '1.0.0', integrity: 'y' },
    'node_modules/c': { version: '1.0.0', integrity: 'z', optional: true },
  }
  expect(hasPackages(lockfile, recorded)).toBe(false)
})
