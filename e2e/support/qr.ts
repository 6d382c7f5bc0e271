/** Reads QR codes from an image. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { prepareZXingModule, readBarcodes } from 'zxing-wasm/reader'

prepareZXingModule({
  // Load the WebAssembly module from the package. By default, it would be loaded from the network.
  overrides: {
    wasmBinary: new Uint8Array(readFileSync(createRequire(import.meta.url).resolve('zxing-wasm/reader/zxing_reader.wasm'))).buffer,
  },
})

/** Returns the contents of all QR codes in a PNG. */
export async function readQrCodes(png: Buffer): Promise<string[]> {
  return (await readBarcodes(new Uint8Array(png), { formats: ['QRCode'] })).map(({ text }) => text)
}
