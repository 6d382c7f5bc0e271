/** The registry of listed resources. */
import { bookings } from './bookings'
import { coupons } from './coupons'
import { payments } from './payments'
import type { Resource } from './resource'
import { subscriptions } from './subscriptions'

export const resources = { subscriptions, coupons, payments, bookings } as const satisfies Record<string, Resource>

export type ResourceName = keyof typeof resources

export const isResourceName = (name: string): name is ResourceName => Object.hasOwn(resources, name)

/** The names of all members that bear a secret. */
export const SECRET_MEMBERS = [...new Set(Object.values(resources).flatMap(({ secrets }: Resource) => secrets))]
