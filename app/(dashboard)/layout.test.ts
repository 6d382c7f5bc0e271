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

/** Returns whether a React tree contains an element of the given type. */
const contains = (node: unknown, type: unknown): boolean =>
  Array.isArray(node)
    ? node.some((child) => contains(child, type))
    : typeof node === 'object' && node !== null && 'props' in node
      ? (node as ReactElement).type === type || contains((node as ReactElement<{ children?: unknown }>).props.children, type)
      : false

/** Renders the layout for the owner with changed members. Returns whether it shows paused keys. */
async function showsPausedKeys(changes: Partial<SessionUser>): Promise<boolean> {
  session.user = { ...owner, ...changes }
  return contains(await DashboardLayout({ children: null }), PausedKeys)
}

it.each([{}, { hasTwoFactor: false, requiresTwoFactor: false }])('shows paused keys to an owner with %o', async (changes) => {
  expect(await showsPausedKeys(changes)).toBe(true)
})

it.each([
  ['an owner who must set up two-factor authentication first', { hasTwoFactor: false }],
  ['staff', { role: 'staff' as const }],
])('hides paused keys from %s', async (_, changes) => {
  expect(await showsPausedKeys(changes)).toBe(false)
})
