'use client'
/** The chart's tooltip, which follows the pointer, touches and the arrow keys. A click, Enter or a second tap opens the bar's orders. */
import { useRouter } from 'next/navigation'
import { type KeyboardEvent, type PointerEvent, type ReactNode, useRef, useState } from 'react'

/** A bar: the text of its tooltip, and the URL of its orders. */
type ChartPoint = { title: string; detail: string; href: string }

type Props = {
  label: string
  points: ChartPoint[]
  /** Both explain how to open the orders; `openByTouch` is for touch screens, which have no hover. */
  copy: { open: string; openByTouch: string }
  children: ReactNode
}

export function ChartPointer({ label, points, copy, children }: Props) {
  const router = useRouter()
  const [active, setActive] = useState<number>()
  const [isTouch, setTouch] = useState(false)
  /** The bar that was active before the latest press. The first touch of a bar only shows its tooltip. */
  const activeBeforePress = useRef<number>(undefined)
  const last = points.length - 1
  const current = active ?? last
  const point = active === undefined ? undefined : points[active]

  function follow({ currentTarget, clientX, pointerType }: PointerEvent) {
    const { left, width } = currentTarget.getBoundingClientRect()
    const index = Math.floor(((clientX - left) / width) * points.length)
    setTouch(pointerType === 'touch')
    setActive(Math.min(last, Math.max(0, index)))
  }

  function open() {
    const href = points[current]?.href
    if (href) router.push(href)
  }

  function onKeyDown(event: KeyboardEvent) {
    const next = { ArrowLeft: current - 1, ArrowRight: current + 1, Home: 0, End: last }[event.key]
    if (next !== undefined) setActive(active === undefined ? current : Math.min(last, Math.max(0, next)))
    else if (event.key === 'Enter') open()
    else if (event.key === 'Escape') setActive(undefined)
    else return
    event.preventDefault()
  }

  return (
    <div
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-orientation="horizontal"
      aria-valuemin={1}
      aria-valuemax={points.length}
      aria-valuenow={current + 1}
      aria-valuetext={`${points[current]?.title}: ${points[current]?.detail}`}
      className="relative cursor-pointer touch-pan-y rounded-sm"
      onPointerDown={(event) => {
        activeBeforePress.current = active
        follow(event)
      }}
      onPointerMove={follow}
      onPointerLeave={({ pointerType }) => pointerType !== 'touch' && setActive(undefined)}
      onFocus={({ currentTarget }) => currentTarget.matches(':focus-visible') && setActive(current)}
      onBlur={() => setActive(undefined)}
      onClick={() => (!isTouch || activeBeforePress.current === active) && open()}
      onKeyDown={onKeyDown}
    >
      {children}
      {point ? (
        <>
          <div
            aria-hidden
            className="pointer-events-none absolute inset-y-0 bg-ink/5"
            style={{ left: `${(current / points.length) * 100}%`, width: `${100 / points.length}%` }}
          />
          <div
            aria-hidden
            className="pointer-events-none absolute bottom-full z-10 mb-2 w-max max-w-64 rounded-lg border border-line bg-card px-3 py-2 text-sm tabular-nums shadow-lg"
            style={{ left: `${(current / Math.max(1, last)) * 100}%`, translate: `-${(current / Math.max(1, last)) * 100}% 0` }}
          >
            <p className="font-medium">{point.title}</p>
            <p>{point.detail}</p>
            <p className="text-quiet text-xs">{isTouch ? copy.openByTouch : copy.open}</p>
          </div>
        </>
      ) : null}
    </div>
  )
}
