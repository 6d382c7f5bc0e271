/** The check-in page shows one clear result per scan, by camera or scanner, and never shows a lost connection as a rejected ticket. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from 'playwright/test'
import QRCode from 'qrcode'
import { makeDevice, makeOwner } from '@/testing/devices'
import { minimal } from '@/testing/seller'
import { addScript } from '../support/browser'
import { chromiumPath, LAUNCH_ARGS } from '../support/chromium'
import {
  expect,
  expectAccessibleInAllThemesAndSizes,
  newAddress,
  requestPage,
  sessionCookie,
  signIn,
  startSession,
  test,
  watch,
} from '../support/dashboard'
import { createTicket, loseResponses, openDoor, openMenu, outcome, scan, setPreview } from '../support/door'

test('a scan with a keyboard scanner shows the guest and a distinct word for each result', async ({ page, shop, baseUrl }) => {
  const problems = watch(page, baseUrl)
  const type = { ticketTypeId: 'type_1', chargeId: '0123456789abcdef01234567' }
  await shop.load('bookings', [minimal('bookings', { id: type.chargeId, tickets: [{ name: 'Balcony', ticketTypeId: 'type_1' }] })])
  const [paid, canceled] = [await createTicket(shop, type), await createTicket(shop, { status: 'CANCELED' })]
  await openDoor(page, shop, baseUrl)
  await expect(page.locator('[data-turnout]')).toHaveText('0 of 1 arrived')
  await scan(page, paid)
  await expect(outcome(page, 'admitted')).toContainText('Admitted')
  await expect(outcome(page, 'admitted')).toContainText('Zoë O’Connor')
  await expect(outcome(page, 'admitted')).toContainText('Balcony')
  await expect(outcome(page, 'admitted')).toContainText('BK-1 · LH1')
  await expect(page.locator('[data-turnout]')).toHaveText('1 of 1 arrived')
  // A scanner's input is read regardless of which element has focus.
  await page.getByRole('heading', { name: 'Recent scans' }).click()
  await scan(page, paid)
  await expect(outcome(page, 'already_checked_in')).toContainText(/Already checked in (by scanner|with a typed code) on .+/)
  await scan(page, canceled)
  await expect(outcome(page, 'canceled')).toContainText('Canceled')
  await scan(page, 'nobody-has-this')
  await expect(outcome(page, 'unknown')).toContainText('Unknown code')
  await expect(page.getByRole('list').last().getByRole('listitem')).toHaveCount(4)
  expect(problems).toEqual([])
})

test('in preview mode, without a connection, or if its response is lost, a scan is never wrongly admitted or rejected', async ({
  page,
  shop,
  baseUrl,
}) => {
  const [previewed, offline, retried] = [await createTicket(shop), await createTicket(shop), await createTicket(shop)]
  await openDoor(page, shop, baseUrl)
  await setPreview(page, true)
  await scan(page, previewed)
  await expect(outcome(page, 'previewed')).toContainText('Preview only — not checked in.')
  await setPreview(page, false)
  await scan(page, previewed)
  await expect(outcome(page, 'admitted')).toBeVisible()

  await page.context().setOffline(true)
  await scan(page, offline)
  await expect(outcome(page, 'offline')).toContainText('No connection')
  await page.context().setOffline(false)
  await scan(page, offline)
  await expect(outcome(page, 'admitted')).toBeVisible()

  // A scan is retried automatically.
  const countLost = await loseResponses(page, '**/door/scan', 2)
  const [first] = await Promise.all([page.waitForResponse('**/door/scan'), scan(page, retried)])
  expect(await first.json()).toMatchObject({ kind: 'admitted' })
  await expect(page.getByRole('region', { name: 'Recent scans' }).getByRole('listitem')).toHaveCount(5)
  await expect(outcome(page, 'admitted')).toBeVisible()
  expect(countLost()).toBe(2)
})

test('a device set to one event rejects another event’s ticket and shows that ticket’s event; the chosen event and the device name are remembered', async ({
  page,
  shop,
  baseUrl,
}) => {
  const [jazz, choir] = [minimal('pages', { name: 'Friday Late Jazz' }), minimal('pages', { name: 'Choir' })]
  await shop.load('pages', [jazz, choir])
  const [mine, theirs] = [await createTicket(shop, { pageId: choir.id }), await createTicket(shop, { pageId: jazz.id })]
  await openDoor(page, shop, baseUrl)
  await page.getByLabel('Event').selectOption({ label: 'Choir' })
  await openMenu(page)
  await page.getByLabel('Device name').fill('Gate 2')
  await page.reload()
  await openMenu(page)
  await expect(page.getByLabel('Device name')).toHaveValue('Gate 2')
  await expect(page.locator('[data-turnout]')).toHaveText('0 of 1 arrived')
  await page.getByLabel('Ticket code').focus()
  await scan(page, theirs)
  await expect(outcome(page, 'other_event')).toContainText('This ticket is for Friday Late Jazz')
  await scan(page, mine)
  await expect(outcome(page, 'admitted')).toBeVisible()
  const preview = await shop.validate(theirs, { checkIn: false })
  expect(preview.json.success).toBe(true)
})

test('if two devices scan the same ticket, one admits the guest and the other shows that the ticket is checked in', async ({
  page: first,
  other: second,
  shop,
  baseUrl,
}) => {
  const code = await createTicket(shop)
  const doors = [first, second]
  await Promise.all(doors.map((page) => openDoor(page, shop, baseUrl)))
  await Promise.all(doors.map((page) => scan(page, code)))
  for (const page of doors) await expect(page.locator('[data-outcome]')).toBeVisible()
  const outcomes = await Promise.all(doors.map((page) => page.locator('[data-outcome]').getAttribute('data-outcome')))
  expect(outcomes.sort()).toEqual(['admitted', 'already_checked_in'])
})

/** Writes a YUV4MPEG2 video that shows the code as a QR code, for Chromium's fake camera. */
async function writeVideo(code: string, file: string): Promise<void> {
  const { modules } = QRCode.create(code, { errorCorrectionLevel: 'M' })
  const [width, height, scale] = [640, 480, 10]
  const luma = Buffer.alloc(width * height, 235)
  const left = Math.floor((width - modules.size * scale) / 2)
  const top = Math.floor((height - modules.size * scale) / 2)
  for (let y = 0; y < modules.size * scale; y += 1) {
    for (let x = 0; x < modules.size * scale; x += 1) {
      if (modules.get(Math.floor(y / scale), Math.floor(x / scale))) luma[(top + y) * width + left + x] = 16
    }
  }
  const frame = Buffer.concat([Buffer.from('FRAME\n'), luma, Buffer.alloc((width * height) / 2, 128)])
  await writeFile(file, Buffer.concat([Buffer.from(`YUV4MPEG2 W${width} H${height} F10:1 Ip A1:1 C420jpeg\n`), frame, frame]))
}

test('the camera reads a real QR code, scans it once while it stays in view, and is off while the page is hidden', async ({
  shop,
  baseUrl,
}) => {
  const code = await createTicket(shop)
  const folder = await mkdtemp(join(tmpdir(), 'desk-camera-'))
  const videoFile = join(folder, 'qr.y4m')
  await writeVideo(code, videoFile)
  const browser = await chromium.launch({
    executablePath: chromiumPath(),
    args: [
      ...LAUNCH_ARGS,
      '--use-fake-ui-for-media-stream',
      '--use-fake-device-for-media-stream',
      `--use-file-for-fake-video-capture=${videoFile}`,
    ],
  })
  const context = await browser.newContext({ viewport: { width: 390, height: 844 }, extraHTTPHeaders: { 'x-forwarded-for': newAddress() } })
  const page = await context.newPage()
  const problems = watch(page, baseUrl)
  await addScript(page, () => {
    const locks: string[] = []
    Object.assign(window, { locks })
    WakeLock.prototype.request = async (type = 'screen') => {
      locks.push(type)
      return Object.assign(new EventTarget(), { type, released: false, onrelease: null, release: async () => {} })
    }
  })
  await openDoor(page, shop, baseUrl)
  await expect.poll(() => page.evaluate(() => (window as unknown as { locks: string[] }).locks)).toContain('screen')
  await page.getByRole('button', { name: 'Camera' }).click()
  await expect(outcome(page, 'admitted')).toContainText('Zoë O’Connor')
  // The code is not scanned again while it stays in view.
  const rescan = page.waitForRequest('**/door/scan', { timeout: 3_000 }).catch(() => 'no request')
  expect(await rescan).toBe('no request')
  await expect(outcome(page, 'admitted')).toBeVisible()
  // The result shrinks to one line without moving the camera picture.
  const picture = page.locator('[data-camera] video')
  const bounds = await picture.boundingBox()
  await expect(page.locator('section[data-size]')).toHaveAttribute('data-size', 'small')
  expect(await picture.boundingBox()).toEqual(bounds)

  const setHidden = (isHidden: boolean) =>
    page.evaluate((value) => {
      Object.defineProperty(document, 'hidden', { value, configurable: true })
      document.dispatchEvent(new Event('visibilitychange'))
    }, isHidden)
  const track = await picture.evaluateHandle((video: HTMLVideoElement) => (video.srcObject as MediaStream).getVideoTracks()[0])
  const readState = () => track.evaluate((opened) => opened?.readyState)
  expect(await readState()).toBe('live')
  await setHidden(true)
  await expect.poll(readState).toBe('ended')
  await setHidden(false)
  const readNext = (video: HTMLVideoElement) => (video.srcObject as MediaStream | null)?.getVideoTracks()[0]?.readyState
  await expect.poll(() => picture.evaluate(readNext)).toBe('live')
  expect(problems).toEqual([])
  await browser.close()
  await rm(folder, { recursive: true })
})

test('a phone’s built-in barcode detector, flashlight, zoom and second camera are used', async ({ shop, baseUrl }) => {
  const code = await createTicket(shop)
  const browser = await chromium.launch({
    executablePath: chromiumPath(),
    args: [...LAUNCH_ARGS, '--use-fake-ui-for-media-stream', '--use-fake-device-for-media-stream=device-count=2'],
  })
  const context = await browser.newContext({ viewport: { width: 390, height: 844 }, extraHTTPHeaders: { 'x-forwarded-for': newAddress() } })
  const page = await context.newPage()
  const problems = watch(page, baseUrl)
  // Add what this Chromium lacks: a barcode detector, which finds the code in each picture, and a camera with a flashlight and zoom.
  await page.addInitScript((rawValue) => {
    const applied: object[] = []
    Object.assign(window, {
      applied,
      BarcodeDetector: class {
        static getSupportedFormats(): Promise<string[]> {
          return Promise.resolve(['qr_code'])
        }
        detect(): Promise<{ rawValue: string }[]> {
          return Promise.resolve([{ rawValue }])
        }
      },
    })
    MediaStreamTrack.prototype.getCapabilities = () => ({ torch: true, zoom: { min: 1, max: 5 } }) as MediaTrackCapabilities
    MediaStreamTrack.prototype.applyConstraints = async (constraints) => void applied.push(...(constraints?.advanced ?? []))
  }, code)
  const decoders: string[] = []
  page.on('request', (request) => request.url().endsWith('.wasm') && decoders.push(request.url()))
  await openDoor(page, shop, baseUrl)
  await page.getByRole('button', { name: 'Camera' }).click()
  await expect(outcome(page, 'admitted')).toContainText('Zoë O’Connor')
  expect(decoders).toEqual([])

  const [light, zoom] = [page.getByRole('button', { name: 'Flashlight' }), page.getByRole('button', { name: 'Zoom' })]
  for (const button of [light, zoom, light, zoom]) await button.click()
  await expect
    .poll(() => page.evaluate(() => (window as unknown as { applied: object[] }).applied))
    .toEqual([{ torch: true }, { zoom: 2 }, { torch: false }, { zoom: 1 }])

  const cameras = page.getByRole('combobox', { name: 'Camera' })
  const second = await cameras.locator('option').nth(1).getAttribute('value')
  const readCamera = (video: HTMLVideoElement) => (video.srcObject as MediaStream | null)?.getVideoTracks()[0]?.getSettings().deviceId
  await expect(cameras).toHaveValue(String(await page.locator('[data-camera] video').evaluate(readCamera)))
  await cameras.selectOption(second)
  await expect.poll(() => page.locator('[data-camera] video').evaluate(readCamera)).toBe(second)
  expect(problems).toEqual([])
  await browser.close()
})

test('scanning continues with the browser’s barcode detector while the decoder cannot be loaded', async ({ shop, baseUrl }) => {
  const code = await createTicket(shop)
  const browser = await chromium.launch({
    executablePath: chromiumPath(),
    args: [...LAUNCH_ARGS, '--use-fake-ui-for-media-stream', '--use-fake-device-for-media-stream'],
  })
  const page = await browser.newPage({ extraHTTPHeaders: { 'x-forwarded-for': newAddress() } })
  await page.addInitScript((rawValue) => {
    let detect = async (): Promise<{ rawValue: string }[]> => []
    Object.assign(window, {
      setBroken(isBroken: boolean) {
        detect = () => (isBroken ? Promise.reject(new Error('broken')) : Promise.resolve([{ rawValue }]))
      },
      BarcodeDetector: class {
        static getSupportedFormats(): Promise<string[]> {
          return Promise.resolve(['qr_code'])
        }
        detect = () => detect()
      },
    })
  }, code)
  const setBroken = (isBroken: boolean) =>
    page.evaluate((value) => (window as unknown as { setBroken(isBroken: boolean): void }).setBroken(value), isBroken)
  await openDoor(page, shop, baseUrl)
  await page.getByRole('button', { name: 'Camera' }).click()
  await expect(page.getByRole('button', { name: 'Type a code' })).toBeVisible()
  await expect(page.locator('[data-camera] video')).toHaveJSProperty('readyState', 4)
  let blocked = 0
  await page.route('**/_next/static/**', (route) => {
    blocked += 1
    return route.abort()
  })
  await setBroken(true)
  await expect.poll(() => blocked).toBeGreaterThan(0)
  await setBroken(false)
  await expect(outcome(page, 'admitted')).toBeVisible()
  await browser.close()
})

test('the counts include other devices’ check-ins, whether streamed or polled, and the page shows when the event is full', async ({
  page: streaming,
  other: polling,
  shop,
  baseUrl,
}) => {
  const event = minimal('pages', { name: 'Choir', capacity: 2 })
  await shop.load('pages', [event])
  const codes = [
    await createTicket(shop, { pageId: event.id }),
    await createTicket(shop, { pageId: event.id }),
    await createTicket(shop, { pageId: event.id }),
  ]
  await polling.route('**/door/counts*', (route) => route.fulfill({ status: 429, body: '' }))
  for (const page of [streaming, polling]) {
    await openDoor(page, shop, baseUrl)
    await page.getByLabel('Event').selectOption({ label: 'Choir' })
    await expect(page.locator('[data-turnout]')).toHaveText('0 of 3 arrived')
  }
  await streaming.route('**/door/turnout*', (route) => route.abort())
  await shop.validate(String(codes[0]))
  for (const page of [streaming, polling]) {
    await expect(page.locator('[data-turnout]')).toHaveText('1 of 3 arrived')
    await expect(page.getByText(/of 2 places/)).toHaveCount(0)
  }
  await shop.validate(String(codes[1]))
  for (const page of [streaming, polling]) {
    await expect(page.locator('[data-turnout]')).toHaveText('2 of 3 arrived')
    await expect(page.getByText('Full: 2 of 2 places')).toBeVisible()
  }
  // Guests can still be admitted to a full event, because door staff decide whom to let in.
  await streaming.getByLabel('Ticket code').focus()
  await scan(streaming, String(codes[2]))
  await expect(outcome(streaming, 'admitted')).toBeVisible()
  await expect(streaming.getByText('Full: 3 of 2 places')).toBeVisible()
})

test('if all events are selected and only one has tickets, the page announces when that event is full', async ({ page, shop, baseUrl }) => {
  const event = minimal('pages', { name: 'Choir', capacity: 1 })
  await shop.load('pages', [minimal('pages', { name: 'Gift card' }), event])
  const code = await createTicket(shop, { pageId: event.id })
  await signIn(page, `${baseUrl}/door`, await shop.user('door'))
  await expect(page.getByRole('radio', { name: 'All events' })).toBeChecked()
  await page.getByRole('button', { name: 'Start scanning' }).click()
  await expect(page.getByLabel('Event').getByRole('option')).toHaveText(['All events', 'Choir'])
  await page.getByLabel('Ticket code').focus()
  await scan(page, code)
  await expect(page.getByText('Full: 1 of 1 places')).toBeVisible()
  await expect(page.getByRole('status').filter({ hasText: /^Full$/ })).toBeAttached()
})

test('the counts show refused scans by reason, and check-ins by device', async ({ page, shop, baseUrl }) => {
  const [first, second] = [await createTicket(shop), await createTicket(shop)]
  const { cookie } = await makeDevice(shop.seller, await makeOwner(shop.seller), { name: 'Gate 2' })
  const scanAtGate = (code: string, key: string) =>
    fetch(`${baseUrl}/door/scan`, {
      method: 'POST',
      headers: { Cookie: cookie, Origin: baseUrl, 'Content-Type': 'application/json' },
      body: JSON.stringify({ code, key, checkIn: true }),
    })
  await openDoor(page, shop, baseUrl)
  const refused = page.getByRole('region', { name: 'Refused scans' })
  const devices = page.getByRole('region', { name: 'Check-ins by device' })
  await expect(page.getByRole('region', { name: 'Recent scans' })).toBeVisible()
  await expect(refused).toHaveCount(0)
  await expect(devices).toHaveCount(0)
  for (const [index, code] of [first, first, first, 'nobody'].entries()) expect((await scanAtGate(code, `scan-${index}`)).status).toBe(200)
  await shop.validate(second)
  await expect(refused.getByRole('listitem')).toHaveText(['Already in2', 'Unknown code1'])
  await expect(devices.getByRole('listitem')).toHaveText(['Staff and API1 checked in', 'Gate 21 checked in, 3 refused'])
  await expectAccessibleInAllThemesAndSizes(page)
})

test('the check-in page shows that there is no connection if the server does not respond to a poll', async ({ page, shop, baseUrl }) => {
  await page.route('**/door/counts*', (route) => route.fulfill({ status: 429, body: '' }))
  await openDoor(page, shop, baseUrl)
  await expect(page.locator('[data-connected=true]')).toBeVisible()
  await page.route('**/door/turnout*', () => {})
  await expect(page.locator('[data-connected=false]')).toBeVisible()
  await page.unroute('**/door/turnout*')
  // An incomplete response counts as no response.
  await page.route('**/door/turnout*', (route) => route.fulfill({ status: 200, contentType: 'application/json', body: '{"sold":' }))
  await page.waitForResponse('**/door/turnout*')
  await expect(page.locator('[data-connected=false]')).toBeVisible()
  await page.unroute('**/door/turnout*')
  await expect(page.locator('[data-connected=true]')).toBeVisible()
})

test('the check-in page can be installed as a full-screen app', async ({ page, shop, baseUrl }) => {
  await startSession(page.context(), baseUrl, await shop.user('door'))
  const [, path] = (await requestPage(page, `${baseUrl}/door`)).html.match(/<link rel="manifest" href="([^"]+)"/) ?? []
  const manifest = (await (await fetch(new URL(String(path), baseUrl))).json()) as { icons: { src: string; sizes: string }[] }
  expect(manifest).toMatchObject({ id: '/door', start_url: '/door', scope: '/door', display: 'standalone' })
  expect(manifest).toMatchObject({ display_override: ['fullscreen', 'standalone'] })
  expect(manifest.icons.map(({ sizes }) => sizes)).toEqual(expect.arrayContaining(['192x192', '512x512']))
  for (const { src } of manifest.icons) expect((await fetch(new URL(src, baseUrl))).headers.get('content-type')).toBe('image/png')
  const worker = await fetch(`${baseUrl}/door/sw.js`)
  expect([worker.status, worker.headers.get('service-worker-allowed')]).toEqual([200, '/door'])
})

test('another site cannot scan with a door user’s cookie, and requests without a cookie are rejected', async ({ shop, baseUrl }) => {
  const code = await createTicket(shop)
  const session = await sessionCookie(await shop.user('door'))
  const cookie = `${session.name}=${session.value}`
  const body = JSON.stringify({ code, key: 'k', checkIn: true })
  const post = async (headers: Record<string, string>) =>
    (await fetch(`${baseUrl}/door/scan`, { method: 'POST', headers: { 'Content-Type': 'application/json', ...headers }, body })).status
  expect(await post({ Cookie: cookie, Origin: 'https://evil.example' })).toBe(403)
  expect(await post({ Cookie: cookie, Origin: 'null' })).toBe(403)
  expect(await post({ Cookie: cookie, 'Sec-Fetch-Site': 'cross-site', Origin: baseUrl })).toBe(403)
  expect(await post({ Cookie: cookie })).toBe(403)
  expect(await post({ Origin: baseUrl })).toBe(401)
  expect((await fetch(`${baseUrl}/door/turnout`)).status).toBe(401)
  expect((await shop.validate(code, { checkIn: false })).json.success).toBe(true)
})

test('the check-in page is accessible on desktop and phone, in light and dark mode', async ({ page, shop, baseUrl }) => {
  const [paid, canceled] = [await createTicket(shop), await createTicket(shop, { status: 'CANCELED' })]
  await openDoor(page, shop, baseUrl)
  await expectAccessibleInAllThemesAndSizes(page)
  for (const [code, kind] of [
    [paid, 'admitted'],
    [paid, 'already_checked_in'],
    [canceled, 'canceled'],
    ['x', 'unknown'],
  ] as const) {
    await scan(page, code)
    await expect(outcome(page, kind)).toBeVisible()
    await expectAccessibleInAllThemesAndSizes(page)
  }
})
