/** All tables, for drizzle and drizzle-kit. */
export * from './events'
export * from './records'
export * from './requests'
export * from './stripe'
export * from './team'
export * from './tenants'
export * from './tickets'
export * from './webhooks'
