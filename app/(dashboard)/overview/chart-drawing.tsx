'use client'
/**
 * Draws the bars and the line of the chart. A client component, because React streams parts of a server component's SVG in hidden chunks
 * with inline styles, which the content security policy blocks.
 */
import type { Bucket } from './buckets'

/** The height of the chart, in units of the SVG's `viewBox`. */
const HEIGHT = 100
/** The width of a bar plus its gap, in the same units. */
const STEP = 10
/** The gap between bars, as a fraction of `STEP`. */
const GAP = 0.3
/** The approximate size of the chart and the spacing of the hatching, in pixels. The hatching marks the bar that includes today. */
const APPROXIMATE_PIXELS = { width: 1000, height: 260, hatch: 6 }

type Props = {
  bars: Pick<Bucket, 'revenue' | 'before' | 'isPartial'>[]
  /** The maximum of the axis, in minor units. */
  axisMaximum: number
  isCompared: boolean
}

export function ChartDrawing({ bars, axisMaximum, isCompared }: Props) {
  const y = (value: number) => HEIGHT - (value / axisMaximum) * HEIGHT
  const width = bars.length * STEP
  const gap = STEP * GAP
  const bar = ({ revenue }: Pick<Bucket, 'revenue'>, index: number) =>
    `M${index * STEP + gap / 2} ${HEIGHT}V${y(revenue).toFixed(2)}h${STEP - gap}V${HEIGHT}Z`
  // One path for all complete bars, because there may be many.
  const complete = bars.map((bucket, index) => (bucket.isPartial ? '' : bar(bucket, index))).join('')
  const partial = bars.map((bucket, index) => (bucket.isPartial ? bar(bucket, index) : '')).join('')
  const line = bars.map(({ before }, index) => `${index * STEP + STEP / 2},${y(before).toFixed(2)}`).join(' ')
  const [hatchWidth, hatchHeight] = [
    (APPROXIMATE_PIXELS.hatch / APPROXIMATE_PIXELS.width) * width,
    (APPROXIMATE_PIXELS.hatch / APPROXIMATE_PIXELS.height) * HEIGHT,
  ]
  return (
    <svg aria-hidden viewBox={`0 0 ${width} ${HEIGHT}`} preserveAspectRatio="none" className="h-65 w-full overflow-visible">
      <pattern id="so-far" width={hatchWidth} height={hatchHeight} patternUnits="userSpaceOnUse">
        <path
          d={`M0 ${hatchHeight}L${hatchWidth} 0M${-hatchWidth / 2} ${hatchHeight / 2}L${hatchWidth / 2} ${-hatchHeight / 2}M${hatchWidth / 2} ${hatchHeight * 1.5}L${hatchWidth * 1.5} ${hatchHeight / 2}`}
          className="stroke-accent"
          strokeWidth={2}
          vectorEffect="non-scaling-stroke"
        />
      </pattern>
      <path
        d={[0, HEIGHT / 2, HEIGHT].map((level) => `M0 ${level}H${width}`).join('')}
        className="stroke-line"
        vectorEffect="non-scaling-stroke"
      />
      <path d={complete} className="fill-accent" />
      <path d={partial} fill="url(#so-far)" className="stroke-accent" strokeWidth={1} vectorEffect="non-scaling-stroke" />
      {isCompared ? (
        <polyline
          points={line}
          fill="none"
          className="stroke-quiet"
          strokeWidth={1.5}
          strokeDasharray="4 3"
          vectorEffect="non-scaling-stroke"
        />
      ) : null}
    </svg>
  )
}
