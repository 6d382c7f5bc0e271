/** npm run build: builds the pages. Unlike `next build`, records which sources were built, so that the demo and tests can skip it. */
import { buildPages } from './bootstrap.mjs'

const { code } = await buildPages({ quiet: false })
process.exit(code)
