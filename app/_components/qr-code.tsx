/** A QR code as an SVG, rendered on the server. It is dark on light in both themes, and has the quiet zone that scanners need. */
import QRCode from 'qrcode'

/** The quiet zone that ISO/IEC 18004 requires, in modules. */
const QUIET_ZONE = 4

/**
 * Returns SVG path data with a subpath for each horizontal run of dark modules, and the side length of the image in modules, including the
 * quiet zone. Separate rectangles would make the SVG several times as large.
 */
function drawModules(value: string): { side: number; path: string } {
  const { modules } = QRCode.create(value, { errorCorrectionLevel: 'M' })
  const { size } = modules
  const runs: string[] = []
  for (let row = 0; row < size; row += 1) {
    for (let column = 0; column < size; column += 1) {
      if (!modules.get(row, column)) continue
      const start = column
      while (column + 1 < size && modules.get(row, column + 1)) column += 1
      runs.push(`M${start + QUIET_ZONE} ${row + QUIET_ZONE}h${column - start + 1}v1H${start + QUIET_ZONE}z`)
    }
  }
  return { side: size + 2 * QUIET_ZONE, path: runs.join('') }
}

export function QrCode({ value, alt }: { value: string; alt: string }) {
  const { side, path } = drawModules(value)
  return (
    <svg
      role="img"
      aria-label={alt}
      viewBox={`0 0 ${side} ${side}`}
      shapeRendering="crispEdges"
      className="size-64 max-w-full rounded-md bg-white"
    >
      <path d={path} fill="#000000" />
    </svg>
  )
}
