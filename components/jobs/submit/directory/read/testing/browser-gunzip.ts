import { gunzipSync } from 'node:zlib'

/** Decompresses as browsers do: what follows the first member is an error. Node.js reads all members. */
export class BrowserDecompression extends TransformStream<Uint8Array, Uint8Array> {
  constructor(_format: string) {
    const pieces: Uint8Array[] = []
    super({
      transform: (piece) => void pieces.push(piece),
      flush: (controller) => {
        const packed = Buffer.concat(pieces)
        const whole = gunzipSync(packed)
        for (let end = 18; end < packed.length; end++)
          if (packed[end] === 0x1f && packed[end + 1] === 0x8b && isWhole(packed.subarray(0, end)))
            throw new TypeError('Junk found after end of compressed data.')
        controller.enqueue(whole)
      },
    })
  }
}

function isWhole(packed: Buffer): boolean {
  try {
    gunzipSync(packed)
    return true
  } catch {
    return false
  }
}
