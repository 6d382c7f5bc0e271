'use client'
/** Scans QR codes with the camera. The decoder is loaded on first use. */
import { Flashlight, ZoomIn } from 'lucide-react'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { doorCopy } from '../copy/door'
import { useIsShown } from './use-is-shown'

/** The pause between two frames that are checked for codes, in milliseconds. */
const SCAN_INTERVAL_MS = 120
/** A code is reported once while it is in view, and again only after it has been out of view for this long, in milliseconds. */
const AWAY_MS = 3_000
/** After this many failed frames in a row, the WebAssembly decoder takes over. Some browsers' detectors fail until a download completes. */
const MAX_FAILURES = 5
/** The zoom factor, which is high enough to read a small code at arm's length. */
const ZOOM = 2

type Detector = { detect(source: HTMLVideoElement): Promise<{ rawValue: string }[]> }
type NativeDetector = { new (options: { formats: string[] }): Detector; getSupportedFormats(): Promise<string[]> }

async function loadDecoder(): Promise<Detector> {
  const { BarcodeDetector, prepareZXingModule } = await import('barcode-detector/ponyfill')
  const wasm = new URL('zxing-wasm/reader/zxing_reader.wasm', import.meta.url).href
  prepareZXingModule({ overrides: { locateFile: (path: string, prefix: string) => (path.endsWith('.wasm') ? wasm : prefix + path) } })
  return new BarcodeDetector({ formats: ['qr_code'] })
}

const getNative = () => (globalThis as { BarcodeDetector?: NativeDetector }).BarcodeDetector

/** Returns whether a detector is the browser's own, and not the WebAssembly decoder. */
function isNative(detector: Detector): boolean {
  const Native = getNative()
  return Native !== undefined && detector instanceof Native
}

/** Returns the browser's detector, which is faster and uses less power, or the WebAssembly decoder if the browser has none for QR codes. */
async function loadDetector(): Promise<Detector> {
  const Native = getNative()
  const formats = (await Native?.getSupportedFormats().catch(() => [])) ?? []
  return Native && formats.includes('qr_code') ? new Native({ formats: ['qr_code'] }) : loadDecoder()
}

/** Members that TypeScript's types do not have yet (MediaStream Image Capture). */
type Capabilities = MediaTrackCapabilities & { torch?: boolean; zoom?: { min: number; max: number } }

export type CameraError = 'denied' | 'none' | 'insecure' | 'failed'

/** Maps an error from `getUserMedia` (Media Capture and Streams) to a `CameraError`, whose message tells the user what to do. */
function toCameraError(error: unknown): CameraError {
  const name = error instanceof Error ? error.name : ''
  if (name === 'NotAllowedError' || name === 'SecurityError') return 'denied'
  return name === 'NotFoundError' || name === 'OverconstrainedError' ? 'none' : 'failed'
}

/**
 * Creates a filter that takes the contents of the codes in a frame, and the time in milliseconds on a clock that is never set back. It
 * returns the contents to report: each once, until its code has been out of view for `AWAY_MS`. Codes without content, which the server
 * would reject, are skipped.
 */
export function createCodeFilter() {
  const seen = new Map<string, number>()
  return (found: readonly { rawValue: string }[], now: number): string[] =>
    found.flatMap(({ rawValue }) => {
      if (rawValue === '') return []
      const last = seen.get(rawValue) ?? Number.NEGATIVE_INFINITY
      seen.set(rawValue, now)
      return now - last > AWAY_MS ? [rawValue] : []
    })
}

export function Camera({ onCode, onError }: { onCode: (code: string) => void; onError: (error: CameraError) => void }) {
  const video = useRef<HTMLVideoElement>(null)
  const [cameras, setCameras] = useState<MediaDeviceInfo[]>([])
  const [chosen, setChosen] = useState('')
  const [track, setTrack] = useState<MediaStreamTrack>()
  const isShown = useIsShown()
  const reportCode = useEffectEvent(onCode)
  const reportError = useEffectEvent(onError)

  useEffect(() => {
    // Installed iOS apps lose the camera if its tracks stay open while the page is hidden.
    if (!isShown) return
    let hasEnded = false
    let stream: MediaStream | undefined
    let timer: ReturnType<typeof setTimeout> | undefined
    const chooseCodes = createCodeFilter()
    let failures = 0
    /** Whether the WebAssembly decoder has decoded a frame. A decoder that works is not loaded again. */
    let hasDecoder = false

    async function detectCodes(detector: Detector): Promise<void> {
      if (hasEnded) return
      try {
        const isReady = video.current !== null && video.current.readyState >= 2
        const found = isReady && video.current ? await detector.detect(video.current) : []
        if (isReady) {
          failures = 0
          hasDecoder = !isNative(detector)
        }
        for (const code of chooseCodes(found, performance.now())) if (!hasEnded) reportCode(code)
      } catch {
        // A frame that cannot be decoded is skipped.
        failures += 1
      }
      if (failures === MAX_FAILURES && !hasDecoder) {
        failures = 0
        // If the decoder does not load, for example without a connection, the current detector continues until the next attempt. A decoder
        // that has not decoded a frame yet is loaded again, because it does not retry a failed download itself.
        const decoder = await loadDecoder().catch(() => undefined)
        if (decoder) return detectCodes(decoder)
      }
      timer = setTimeout(() => detectCodes(detector), SCAN_INTERVAL_MS)
    }

    async function start() {
      // Browsers expose `mediaDevices` only in secure contexts.
      if (!navigator.mediaDevices) {
        reportError('insecure')
        return
      }
      try {
        const constraints = chosen ? { deviceId: { exact: chosen } } : { facingMode: { ideal: 'environment' } }
        stream = await navigator.mediaDevices.getUserMedia({ video: constraints })
        const [opened] = stream.getVideoTracks()
        if (hasEnded || !opened) return stop()
        // The camera was unplugged, or another app uses it. A frozen picture must not look like a working scanner.
        opened.addEventListener('ended', () => hasEnded || reportError('failed'))
        if (video.current) video.current.srcObject = stream
        setTrack(opened)
        setCameras((await navigator.mediaDevices.enumerateDevices()).filter(({ kind }) => kind === 'videoinput'))
        void detectCodes(await loadDetector())
      } catch (error) {
        stop()
        if (!hasEnded) reportError(toCameraError(error))
      }
    }

    function stop() {
      for (const openTrack of stream?.getTracks() ?? []) openTrack.stop()
    }

    void start()
    return () => {
      hasEnded = true
      clearTimeout(timer)
      stop()
    }
  }, [chosen, isShown])

  return (
    <div className="absolute inset-0 overflow-hidden bg-black" data-camera={isShown}>
      <video ref={video} autoPlay muted playsInline className="size-full object-cover" />
      <div
        aria-hidden
        className="pointer-events-none absolute inset-x-0 top-1/2 mx-auto aspect-square w-3/5 max-w-72 -translate-y-1/2 rounded-3xl border-4 border-white/80"
      />
      <div className="absolute top-2 right-2 left-2 flex justify-end gap-2">
        {cameras.length > 1 ? (
          <select
            aria-label={doorCopy.cameraPicker}
            className="field h-16 min-w-0"
            value={chosen || track?.getSettings().deviceId || ''}
            onChange={(event) => setChosen(event.target.value)}
          >
            {cameras.map(({ deviceId, label }, index) => (
              <option key={deviceId} value={deviceId}>
                {label || `${doorCopy.cameraPicker} ${index + 1}`}
              </option>
            ))}
          </select>
        ) : null}
        {track ? <TrackControls key={track.id} track={track} /> : null}
      </div>
    </div>
  )
}

/** The flashlight and zoom buttons, if the camera supports them. */
function TrackControls({ track }: { track: MediaStreamTrack }) {
  const [isLit, setLit] = useState(false)
  const [isNear, setNear] = useState(false)
  const { torch = false, zoom } = (track.getCapabilities?.() ?? {}) as Capabilities
  /** Changes a setting of the camera. If the camera rejects the change, the button keeps its state. */
  const apply = (constraint: object, onDone: () => void) =>
    void track.applyConstraints({ advanced: [constraint as MediaTrackConstraintSet] }).then(onDone, () => {})
  return (
    <>
      {zoom && zoom.max >= ZOOM ? (
        <button
          type="button"
          aria-label={doorCopy.zoom}
          aria-pressed={isNear}
          className="button size-16 aria-pressed:bg-ink aria-pressed:text-page"
          onClick={() => apply({ zoom: isNear ? zoom.min : ZOOM }, () => setNear(!isNear))}
        >
          <ZoomIn aria-hidden size={24} />
        </button>
      ) : null}
      {torch ? (
        <button
          type="button"
          aria-label={doorCopy.torch}
          aria-pressed={isLit}
          className="button size-16 aria-pressed:bg-ink aria-pressed:text-page"
          onClick={() => apply({ torch: !isLit }, () => setLit(!isLit))}
        >
          <Flashlight aria-hidden size={24} />
        </button>
      ) : null}
    </>
  )
}
