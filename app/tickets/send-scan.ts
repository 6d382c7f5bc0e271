/** Sends a scan until it is answered, or says that there is no connection; never takes the one for a refusal. */
import type { ScanAnswer } from './answers'

export type Scan = { code: string; key: string; checkIn: boolean; pageId?: string; device?: string }

export type Sent = { outcome: 'answered'; answer: ScanAnswer } | { outcome: 'offline' } | { outcome: 'signed_out' }

/** A door can't wait longer for one guest. */
const TRIES = 3
const TRY_MS = 3_000
const PAUSES_MS = [300, 900]

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

async function tryOnce(scan: Scan): Promise<Sent | undefined> {
  try {
    const response = await fetch('/tickets/scan', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(scan),
      signal: AbortSignal.timeout(TRY_MS),
    })
    if (response.ok) return { outcome: 'answered', answer: (await response.json()) as ScanAnswer }
    return response.status === 401 ? { outcome: 'signed_out' } : undefined
  } catch {
    return undefined
  }
}

/** Each try carries the same idempotency key: an answer that was lost on the way is given again, and admits nobody twice. */
export async function sendScan(scan: Scan): Promise<Sent> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const sent = await tryOnce(scan)
    if (sent) return sent
    await pause(PAUSES_MS[tries] ?? 0)
  }
  return { outcome: 'offline' }
}

/** A key for one scan: random, and to be had without TLS too, as in a venue's own network. */
export const newScanKey = () => [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
