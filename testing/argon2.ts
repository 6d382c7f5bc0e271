/** Replaces argon2 in unit tests with the same algorithm at its lowest cost, because hashing at the real cost dominates sign-in time. */
import { createRequire } from 'node:module'
import type * as Argon2 from '@node-rs/argon2'

// Use `require`, because vitest.config.ts replaces imports of the package with this file.
const argon2: typeof Argon2 = createRequire(import.meta.url)('@node-rs/argon2')

/** The minimum Argon2id configuration in the OWASP Password Storage Cheat Sheet. */
const MIN_COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** Hashes a password at the lowest possible cost, ignoring `cost`. @throws if `cost` would be too low in production */
export async function hash(password: string, cost: typeof MIN_COST): Promise<string> {
  for (const name of ['memoryCost', 'timeCost', 'parallelism'] as const)
    if (cost[name] < MIN_COST[name]) throw new Error(`argon2's ${name} is ${cost[name]}. Set it to at least ${MIN_COST[name]}.`)
  return argon2.hash(password, { memoryCost: 8, timeCost: 1, parallelism: 1 })
}

/** Verifies a password against a hash of any cost. */
export const { verify } = argon2
