/** A QR code as an SVG, rendered on the server. It is dark on light in both themes and has the quiet zone that scanners need. */
import QRCode from 'qrcode'

/** The quiet zone that ISO/IEC 18004 requires, in modules. */
const MARGIN = 4

/** Draws all horizontal runs of dark modules as one path. Separate rectangles would make the SVG ten times as large. */
function drawModules(code: string): { side: number; path: string } {
  const { modules } = QRCode.create(code, { errorCorrectionLevel: 'M' })
  const { size } = modules
  const runs: string[] = []
  for (let row = 0; row < size; row += 1) {
    for (let column = 0; column < size; column += 1) {
      if (!modules.get(row, column)) continue
      const start = column
      while (column + 1 < size && modules.get(row, column + 1)) column += 1
      runs.push(`M${start + MARGIN} ${row + MARGIN}h${column - start + 1}v1H${start + MARGIN}z`)
    }
  }
  return { side: size + 2 * MARGIN, path: runs.join('') }
}

export function QrPicture({ code, alt }: { code: string; alt: string }) {
  const { side, path } = drawModules(code)
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
