/** An import of checkout pages records changes to existing ones in the audit log. */
import { beforeAll, expect, it } from 'vitest'
import { importLines, makeSeller, minimal, openTestDatabase } from '@/testing/seller'
import { listAudit } from '../../listing/list-audit'

beforeAll(openTestDatabase)

it('records a change to the entry policy or name of an existing checkout page', async () => {
  const seller = await makeSeller()
  const [jazz, folk, blues] = ['Jazz', 'Folk', 'Blues'].map((name) => minimal('pages', { name }))
  await importLines('pages', seller, [{ ...jazz }, { ...folk }, { ...blues }])
  expect((await listAudit(seller)).rows).toEqual([])
  const changed = [{ ...jazz, entryPolicy: 'multiple' }, { ...folk }, { ...blues, name: 'Late Blues' }]
  expect(await importLines('pages', seller, changed)).toMatchObject({ written: 2, unchanged: 1 })
  expect(await importLines('pages', seller, changed)).toMatchObject({ written: 0, unchanged: 3 })
  const { rows: entries } = await listAudit(seller)
  expect(entries).toHaveLength(2)
  expect(entries).toEqual(
    expect.arrayContaining([
      expect.objectContaining({
        email: null,
        action: 'page.changed',
        subject: 'Jazz',
        changes: { entryPolicy: { before: 'single', after: 'multiple' } },
      }),
      expect.objectContaining({ action: 'page.changed', subject: 'Blues', changes: { name: { before: 'Blues', after: 'Late Blues' } } }),
    ]),
  )
})
