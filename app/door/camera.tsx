'use client'
/** Scans QR codes with the camera. The decoder is loaded on first use. */
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { doorCopy } from '../copy/door'

const SCAN_INTERVAL_MS = 120
/** A code is reported once while it is in view. It is reported again only after it was out of view for this long. */
const AWAY_MS = 2_000

type Detector = { detect(source: HTMLVideoElement): Promise<{ rawValue: string }[]> }

async function loadDetector(): Promise<Detector> {
  const { BarcodeDetector, prepareZXingModule } = await import('barcode-detector/ponyfill')
  const wasm = new URL('zxing-wasm/reader/zxing_reader.wasm', import.meta.url).href
  prepareZXingModule({ overrides: { locateFile: (path: string, prefix: string) => (path.endsWith('.wasm') ? wasm : prefix + path) } })
  return new BarcodeDetector({ formats: ['qr_code'] })
}

type Torch = MediaTrackCapabilities & { torch?: boolean }

export type CameraError = 'denied' | 'none' | 'insecure' | 'failed'

/** Maps an error of `getUserMedia` (Media Capture and Streams) to a message that tells the user what to do. */
function cameraErrorOf(error: unknown): CameraError {
  const name = error instanceof Error ? error.name : ''
  if (name === 'NotAllowedError' || name === 'SecurityError') return 'denied'
  return name === 'NotFoundError' || name === 'OverconstrainedError' ? 'none' : 'failed'
}

export function Camera({ onCode, onError }: { onCode: (code: string) => void; onError: (error: CameraError) => void }) {
  const video = useRef<HTMLVideoElement>(null)
  const [cameras, setCameras] = useState<MediaDeviceInfo[]>([])
  const [chosen, setChosen] = useState('')
  const [track, setTrack] = useState<MediaStreamTrack>()
  const [isLit, setLit] = useState(false)
  const reportCode = useEffectEvent(onCode)
  const reportError = useEffectEvent(onError)

  useEffect(() => {
    let ended = false
    let stream: MediaStream | undefined
    let timer: ReturnType<typeof setTimeout> | undefined
    const seen = new Map<string, number>()

    async function detectCodes(detector: Detector) {
      if (ended) return
      try {
        const found = video.current && video.current.readyState >= 2 ? await detector.detect(video.current) : []
        const now = Date.now()
        for (const { rawValue } of found) {
          const last = seen.get(rawValue) ?? 0
          seen.set(rawValue, now)
          if (now - last > AWAY_MS && !ended) reportCode(rawValue)
        }
      } catch {
        // A frame that cannot be decoded is skipped.
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
        if (ended || !opened) return stop()
        // The camera was unplugged or is used by another app. A frozen picture must not look like a working scanner.
        opened.addEventListener('ended', () => ended || reportError('failed'))
        if (video.current) video.current.srcObject = stream
        setTrack(opened)
        setLit(false)
        setCameras((await navigator.mediaDevices.enumerateDevices()).filter(({ kind }) => kind === 'videoinput'))
        void detectCodes(await loadDetector())
      } catch (error) {
        stop()
        if (!ended) reportError(cameraErrorOf(error))
      }
    }

    function stop() {
      for (const each of stream?.getTracks() ?? []) each.stop()
    }

    void start()
    return () => {
      ended = true
      clearTimeout(timer)
      stop()
    }
  }, [chosen])

  const hasTorch = Boolean((track?.getCapabilities?.() as Torch | undefined)?.torch)
  function toggleTorch() {
    // If the torch cannot be switched, the button keeps its state.
    track?.applyConstraints({ advanced: [{ torch: !isLit } as MediaTrackConstraintSet] }).then(
      () => setLit(!isLit),
      () => {},
    )
  }

  return (
    <div className="relative overflow-hidden rounded-lg bg-black">
      <video ref={video} autoPlay muted playsInline className="h-52 w-full object-cover" />
      <div className="absolute right-2 bottom-2 left-2 flex justify-end gap-2">
        {cameras.length > 1 ? (
          <select
            aria-label={doorCopy.cameraWhich}
            className="field min-w-0"
            value={chosen}
            onChange={(event) => setChosen(event.target.value)}
          >
            {cameras.map(({ deviceId, label }, at) => (
              <option key={deviceId} value={deviceId}>
                {label || `${doorCopy.cameraWhich} ${at + 1}`}
              </option>
            ))}
          </select>
        ) : null}
        {hasTorch ? (
          <button type="button" className="button" aria-pressed={isLit} onClick={toggleTorch}>
            {doorCopy.torch}
          </button>
        ) : null}
      </div>
    </div>
  )
}
