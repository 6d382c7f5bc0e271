/** Tests that the command palette lists the refused scans and the check-in conflicts for owners and staff. */
import type { ReactElement } from 'react'
import { expect, it } from 'vitest'
import { Palette } from '../_components/palette'
import type { PaletteLink } from '../_components/palette-dialog'
import { Header } from './navigation'

type Element = ReactElement<{ children?: unknown; links?: PaletteLink[] }>

const findLinks = (node: unknown): PaletteLink[] | undefined =>
  Array.isArray(node)
    ? node.map(findLinks).find((links) => links !== undefined)
    : typeof node === 'object' && node !== null && 'props' in node
      ? (node as Element).type === Palette
        ? (node as Element).props.links
        : findLinks((node as Element).props.children)
      : undefined

it.each(['owner', 'staff'] as const)('lists the refused scans and the check-in conflicts for the role %s', (role) => {
  const user = { userId: 'u', email: 'user@example.com', role, sellerId: 's', sellerName: 'Test', timeZone: 'UTC' }
  expect(findLinks(Header({ user: { ...user, hasTwoFactor: true, requiresTwoFactor: false } }))).toEqual(
    expect.arrayContaining([
      { href: '/tickets/refused', title: 'Refused scans' },
      { href: '/settings/devices/conflicts', title: 'Check-in conflicts' },
    ]),
  )
})
