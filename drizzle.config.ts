/** drizzle-kit: writes db/migrations from db/schema; it never touches a database itself. */
import { defineConfig } from 'drizzle-kit'

export default defineConfig({ dialect: 'postgresql', schema: './db/schema/index.ts', out: './db/migrations' })
