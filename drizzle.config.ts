/** drizzle-kit writes db/migrations from db/schema (`npm run db:generate`). It never connects to a database. */
import { defineConfig } from 'drizzle-kit'

export default defineConfig({ dialect: 'postgresql', schema: './db/schema/index.ts', out: './db/migrations' })
