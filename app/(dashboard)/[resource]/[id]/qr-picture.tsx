/** A QR code as an SVG, drawn on the server: dark on light in either theme, with the margin that scanners want. */
import QRCode from 'qrcode'

/** ISO/IEC 18004: four modules of quiet around. */
const MARGIN = 4

/** One path, a run of dark modules a stroke: a rectangle each would be ten times the page. */
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
