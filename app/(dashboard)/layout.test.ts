/**
 * Tests that the dashboard layout shows paused keys only to users who can resume them, and saved views only after the second factor is set
 * up.
 */
import type { ReactElement } from 'react'
import { expect, it, vi } from 'vitest'
import type { SessionUser } from '@/lib/accounts/sessions'
import DashboardLayout from './layout'
import { PausedKeys } from './paused-keys'
import { SavedViews } from './saved-views'

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

/** Returns whether a React tree contains an element of the given type, as a child or in another prop. */
const contains = (node: unknown, type: unknown): boolean =>
  Array.isArray(node)
    ? node.some((child) => contains(child, type))
    : typeof node === 'object' && node !== null && 'props' in node
      ? (node as ReactElement).type === type || Object.values((node as ReactElement<object>).props).some((prop) => contains(prop, type))
      : false

/** Renders the layout for the owner with changed members. Returns whether it contains an element of the given type. */
async function shows(type: unknown, changes: Partial<SessionUser>): Promise<boolean> {
  session.user = { ...owner, ...changes }
  return contains(await DashboardLayout({ children: null }), type)
}

it.each([{}, { hasTwoFactor: false, requiresTwoFactor: false }])('shows paused keys to an owner with %o', async (changes) => {
  expect(await shows(PausedKeys, changes)).toBe(true)
})

it.each([
  ['an owner who must set up two-factor authentication first', { hasTwoFactor: false }],
  ['staff', { role: 'staff' as const }],
])('hides paused keys from %s', async (_, changes) => {
  expect(await shows(PausedKeys, changes)).toBe(false)
})

it('shows saved views, which contain search texts, only to users who need not set up two-factor authentication first', async () => {
  expect(await shows(SavedViews, { role: 'staff' })).toBe(true)
  expect(await shows(SavedViews, { role: 'staff', hasTwoFactor: false })).toBe(false)
})
