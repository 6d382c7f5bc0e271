/** Reads a QR code off a picture, as a phone would. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { prepareZXingModule, readBarcodes } from 'zxing-wasm/reader'

prepareZXingModule({
  // From the package itself: left alone, it fetches this over the network.
  overrides: {
    wasmBinary: new Uint8Array(readFileSync(createRequire(import.meta.url).resolve('zxing-wasm/reader/zxing_reader.wasm'))).buffer,
  },
})

/** The texts of the codes that are seen on a PNG. */
export async function readQrCodes(png: Buffer): Promise<string[]> {
  return (await readBarcodes(new Uint8Array(png), { formats: ['QRCode'] })).map(({ text }) => text)
}
