/** Owners have all rights, staff all but the settings, and door staff only check-in and their own account. */
import { expect, it } from 'vitest'
import { mayUse, type Right, ROLES } from './roles'

const RIGHTS: Right[] = ['records', 'door', 'settings', 'account']

it('grants each role exactly the specified rights', () => {
  const rights = Object.fromEntries(ROLES.map((role) => [role, RIGHTS.filter((right) => mayUse(role, right))]))
  expect(rights).toEqual({
    owner: ['records', 'door', 'settings', 'account'],
    staff: ['records', 'door', 'account'],
    door: ['door', 'account'],
  })
})
