/** Locates Chromium: from CHROMIUM_PATH, Playwright or the system. */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chromium } from 'playwright/test'

/** The headless shell comes first because tests run a third faster in it: it has the same engine but no UI. */
const SYSTEM_PROGRAMS = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'microsoft-edge',
]

/** Most of these flags turn off the browser's own requests, because tests fail on requests to other origins. */
export const LAUNCH_ARGS = [
  // Pages are too short-lived for optimized code to pay off: without V8's two optimizing compilers, the browser uses 10% less CPU time.
  '--js-flags=--no-opt --no-maglev',
  ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  '--disable-quic',
]

/** Returns the path of a program on the PATH, or undefined if there is none. */
function which(program: string): string | undefined {
  try {
    return execFileSync(process.platform === 'win32' ? 'where' : 'which', [program], { encoding: 'utf8', stdio: 'pipe' })
      .split('\n')[0]
      ?.trim()
  } catch {
    return undefined
  }
}

/** Returns the path of Chromium. @throws with instructions if it is not installed */
export function chromiumPath(): string {
  const configured = process.env.CHROMIUM_PATH
  if (configured) {
    if (existsSync(configured)) return configured
    throw new Error(`CHROMIUM_PATH is ${configured}, but there is no such file.`)
  }
  const bundled = chromium.executablePath()
  if (existsSync(bundled)) return bundled
  for (const program of SYSTEM_PROGRAMS) {
    const found = which(program)
    if (found) return found
  }
  throw new Error(
    'No Chromium found. Run `npx playwright install chromium`, or `apt-get install chromium-headless-shell` on Debian, or set CHROMIUM_PATH.',
  )
}
