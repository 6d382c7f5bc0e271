/** The scopes of an API key. */
import { RESOURCE_NAMES, type ResourceName } from '../catalog'
import { WRITE_SCOPES, type WriteScope } from '../catalog/write-operation'

export type Scope =
  | 'full'
  | `${ResourceName}:read`
  | WriteScope
  | 'tickets:read'
  | 'tickets:codes'
  | 'pages:read'
  | 'tickets:validate'
  | 'events:read'
  | 'secrets:read'

const READ = Object.fromEntries(RESOURCE_NAMES.map((name) => [`${name}:read`, `Read ${name}`])) as Record<`${ResourceName}:read`, string>

// Not specified: the scopes of keys.
/** The labels of the scopes in the settings and in the API reference. */
export const SCOPE_LABELS: Record<Scope, string> = {
  full: 'Full access',
  ...READ,
  'tickets:read': 'Read tickets',
  'tickets:codes': 'Read ticket codes',
  'pages:read': 'Read products and events',
  ...WRITE_SCOPES,
  'tickets:validate': 'Check in tickets',
  'events:read': 'Read events',
  'secrets:read': 'Read client secrets',
}

export const SCOPES = Object.keys(SCOPE_LABELS) as Scope[]

export const isScope = (name: string): name is Scope => Object.hasOwn(SCOPE_LABELS, name)
