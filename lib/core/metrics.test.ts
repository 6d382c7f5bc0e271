/** The documentation lists the names of all metrics. */
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { metrics } from './metrics'

it('docs/operations.md lists every metric of the project, and no others', () => {
  const [, table = ''] = readFileSync('docs/operations.md', 'utf8').split('\n## Metrics\n')
  const documented = [...table.matchAll(/`(desk_\w+)(?:\{[\w,]+\})?`(?=.* \|)/g)].map(([, name]) => name)
  const names = metrics()
    ?.registry.getMetricsAsArray()
    .map(({ name }) => name)
  expect([...new Set(documented)].sort()).toEqual(names?.filter((name) => name.startsWith('desk_')).sort())
})
