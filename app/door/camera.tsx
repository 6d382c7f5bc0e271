'use client'
/** The camera as a scanner: reads QR codes out of the picture; what reads them is loaded when the camera is switched on. */
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { doorWords } from '../copy/door'

const EVERY_MS = 120
/** A code that stays in view counts once; it may come again when it has been away for this long. */
const AWAY_MS = 2_000

type Detector = { detect(source: HTMLVideoElement): Promise<{ rawValue: string }[]> }

async function loadDetector(): Promise<Detector> {
  const { BarcodeDetector, prepareZXingModule } = await import('barcode-detector/ponyfill')
  const wasm = new URL('zxing-wasm/reader/zxing_reader.wasm', import.meta.url).href
  prepareZXingModule({ overrides: { locateFile: (path: string, prefix: string) => (path.endsWith('.wasm') ? wasm : prefix + path) } })
  return new BarcodeDetector({ formats: ['qr_code'] })
}

type Torch = MediaTrackCapabilities & { torch?: boolean }

export type CameraTrouble = 'denied' | 'none' | 'insecure' | 'failed'

/** Why there is no picture, as Media Capture and Streams names it ("getUserMedia"). */
function troubleOf(error: unknown): CameraTrouble {
  const name = error instanceof Error ? error.name : ''
  if (name === 'NotAllowedError' || name === 'SecurityError') return 'denied'
  return name === 'NotFoundError' || name === 'OverconstrainedError' ? 'none' : 'failed'
}

export function Camera({ onCode, onTrouble }: { onCode: (code: string) => void; onTrouble: (trouble: CameraTrouble) => void }) {
  const video = useRef<HTMLVideoElement>(null)
  const [cameras, setCameras] = useState<MediaDeviceInfo[]>([])
  const [chosen, setChosen] = useState('')
  const [track, setTrack] = useState<MediaStreamTrack>()
  const [lit, setLit] = useState(false)
  const take = useEffectEvent(onCode)
  const trouble = useEffectEvent(onTrouble)

  useEffect(() => {
    let ended = false
    let stream: MediaStream | undefined
    let timer: ReturnType<typeof setTimeout> | undefined
    const seen = new Map<string, number>()

    async function look(detector: Detector) {
      if (ended) return
      try {
        const found = video.current && video.current.readyState >= 2 ? await detector.detect(video.current) : []
        const now = Date.now()
        for (const { rawValue } of found) {
          const last = seen.get(rawValue) ?? 0
          seen.set(rawValue, now)
          if (now - last > AWAY_MS && !ended) take(rawValue)
        }
      } catch {
        // One picture that can't be read; the next one comes.
      }
      timer = setTimeout(() => look(detector), EVERY_MS)
    }

    async function start() {
      // Browsers hide it from pages that came without TLS.
      if (!navigator.mediaDevices) {
        trouble('insecure')
        return
      }
      try {
        const wanted = chosen ? { deviceId: { exact: chosen } } : { facingMode: { ideal: 'environment' } }
        stream = await navigator.mediaDevices.getUserMedia({ video: wanted })
        const [opened] = stream.getVideoTracks()
        if (ended || !opened) return stop()
        // Unplugged, or taken by another app: a picture that stands still must not look like a scanner.
        opened.addEventListener('ended', () => ended || trouble('failed'))
        if (video.current) video.current.srcObject = stream
        setTrack(opened)
        setLit(false)
        setCameras((await navigator.mediaDevices.enumerateDevices()).filter(({ kind }) => kind === 'videoinput'))
        void look(await loadDetector())
      } catch (error) {
        stop()
        if (!ended) trouble(troubleOf(error))
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
  function light() {
    // A light that can't be switched stays as it is, and so does its button.
    track?.applyConstraints({ advanced: [{ torch: !lit } as MediaTrackConstraintSet] }).then(
      () => setLit(!lit),
      () => {},
    )
  }

  return (
    <div className="relative overflow-hidden rounded-lg bg-black">
      <video ref={video} autoPlay muted playsInline className="h-52 w-full object-cover" />
      <div className="absolute right-2 bottom-2 left-2 flex justify-end gap-2">
        {cameras.length > 1 ? (
          <select
            aria-label={doorWords.cameraWhich}
            className="field min-w-0"
            value={chosen}
            onChange={(event) => setChosen(event.target.value)}
          >
            {cameras.map(({ deviceId, label }, at) => (
              <option key={deviceId} value={deviceId}>
                {label || `${doorWords.cameraWhich} ${at + 1}`}
              </option>
            ))}
          </select>
        ) : null}
        {hasTorch ? (
          <button type="button" className="button" aria-pressed={lit} onClick={light}>
            {doorWords.torch}
          </button>
        ) : null}
      </div>
    </div>
  )
}
