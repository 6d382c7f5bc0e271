/** The catalog's registry of resources. */
import { bookings } from './bookings'
import { coupons } from './coupons'
import { customers } from './customers'
import { pages } from './pages'
import { payments } from './payments'
import type { RecordType, Resource } from './resource'
import { subscriptions } from './subscriptions'
import { tickets } from './ticket'
import { webhookEndpoints } from './webhook-endpoint'

/** Makes the type checker verify that every resource is registered under its own name. */
const register = <const R extends { [N in keyof R]: Resource & { name: N } }>(registered: R): R => registered

/** The resources, in the order of the API reference. The dashboard uses the same order, except that coupons are last. */
export const resources = register({ payments, bookings, subscriptions, coupons, customers })

export type ResourceName = keyof typeof resources

export const RESOURCE_NAMES = Object.keys(resources) as ResourceName[]

/** The resources' list operations, as a phrase for error messages. */
export const LIST_OPERATIONS = new Intl.ListFormat('en').format(RESOURCE_NAMES.map((name) => `GET /v1/${name}`))

export const isResourceName = (name: string): name is ResourceName => Object.hasOwn(resources, name)

/** All record types that the API reference describes. */
export const recordTypes: readonly RecordType[] = [...Object.values(resources), tickets, pages, webhookEndpoints]

/** The names of the secret members of all resources. */
export const SECRET_MEMBERS = [...new Set(Object.values(resources).flatMap(({ secrets }: Resource) => secrets))]
