/** Tests that the dashboard layout shows the names of paused keys only to users who can resume them. */
import type { ReactElement } from 'react'
import { expect, it, vi } from 'vitest'
import type { SessionUser } from '@/lib/accounts/sessions'
import DashboardLayout from './layout'
import { PausedKeys } from './paused-keys'

const session = vi.hoisted(() => ({ user: {} }))
vi.mock('next/headers', () => ({ cookies: async () => new Map() }))
vi.mock('../session', async (original) => ({ ...(await original<object>()), currentUser: async () => session.user }))

const owner: SessionUser = {
  userId: 'u',
  email: 'owner@example.com',
  role: 'owner',
  sellerId: 's',
  sellerName: 'Test',
  timeZone: 'UTC',
  hasTwoFactor: true,
  requiresTwoFactor: true,
}

/** Returns whether a React tree contains an element of a type. */
const contains = (node: unknown, type: unknown): boolean =>
  Array.isArray(node)
    ? node.some((child) => contains(child, type))
    : typeof node === 'object' && node !== null && 'props' in node
      ? (node as ReactElement).type === type || contains((node as ReactElement<{ children?: unknown }>).props.children, type)
      : false

it.each([
  [{}, true],
  [{ hasTwoFactor: false, requiresTwoFactor: false }, true],
  [{ hasTwoFactor: false }, false],
  [{ role: 'staff' as const }, false],
])('shows paused keys to a user with %o: %s', async (overrides, isShown) => {
  session.user = { ...owner, ...overrides }
  expect(contains(await DashboardLayout({ children: null }), PausedKeys)).toBe(isShown)
})
