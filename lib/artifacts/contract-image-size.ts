/** The formats of pictures that browsers show. */
export type ImageType = 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp' | 'image/avif'

/**
 * A picture of more pixels is not shown: decoded, each takes four bytes, and a file of some kilobytes can claim billions.
 * 50 megapixels are 200 MB.
 */
export const maxImagePixels = 50_000_000

export interface ImageFacts {
  type: ImageType
  /** Null: the beginning of the file does not say it. */
  size: { width: number; height: number } | null
}

type Size = ImageFacts['size']

/** Says why a page does not show a picture; null: it shows it. */
export function refusalOfImage({ size }: ImageFacts): string | null {
  if (size === null)
    return 'The image is not shown, because the beginning of the file does not say how many pixels it has. Download it instead.'
  const { width, height } = size
  if (width * height <= maxImagePixels) return null
  const pixels = `${width.toLocaleString('en')} × ${height.toLocaleString('en')} pixels`
  return `The image has ${pixels}. An image of at most ${maxImagePixels / 1e6} megapixels is shown here. Download it instead.`
}

/**
 * Reads the format and the size of a picture from the beginning of its file; null: it is none. SVG is left out: it is a
 * document that may have scripts. The size is the one that decoders allocate, so that a small claim elsewhere in the file has no
 * effect.
 */
export function readImage(bytes: Uint8Array): ImageFacts | null {
  const head = String.fromCharCode(...bytes.subarray(0, 16))
  const format = formats.find(({ start }) => start.test(head))
  if (!format) return null
  try {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    return { type: format.type, size: format.sizeOf(view) }
  } catch (error) {
    // The view ends before the size.
    if (!(error instanceof RangeError)) throw error
    return { type: format.type, size: null }
  }
}

const formats: readonly { type: ImageType; start: RegExp; sizeOf: (view: DataView) => Size }[] = [
  { type: 'image/png', start: /^\x89PNG\r\n.\n/, sizeOf: sizeOfPng },
  { type: 'image/jpeg', start: /^\xff\xd8\xff/, sizeOf: sizeOfJpeg },
  { type: 'image/gif', start: /^GIF8[79]a/, sizeOf: sizeOfGif },
  { type: 'image/webp', start: /^RIFF.{4}WEBP/s, sizeOf: sizeOfWebp },
  { type: 'image/avif', start: /^.{4}ftypavi[fs]/s, sizeOf: sizeOfAvif },
]

function textAt(view: DataView, at: number, length: number): string {
  return String.fromCharCode(...Array.from({ length }, (_, nth) => view.getUint8(at + nth)))
}

/** The first chunk must be the header (PNG specification, section 11.2.1). */
function sizeOfPng(view: DataView): Size {
  if (textAt(view, 12, 4) !== 'IHDR') return null
  return { width: view.getUint32(16), height: view.getUint32(20) }
}

/** Segments until the first start of a frame (ITU T.81, annex B). */
function sizeOfJpeg(view: DataView): Size {
  for (let at = 2; ; ) {
    if (view.getUint8(at) !== 0xff) return null
    const marker = view.getUint8(at + 1)
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
    if (isFrame) return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) }
    // The start of the data, without a frame.
    if (marker === 0xda || marker === 0xd9) return null
    // A marker may have more fill bytes before it.
    at += marker === 0xff ? 1 : 2 + view.getUint16(at + 2)
  }
}

/** The larger one of the screen and the first frame: browsers enlarge the screen for it. */
function sizeOfGif(view: DataView): Size {
  const [width, height] = [view.getUint16(6, true), view.getUint16(8, true)]
  const flags = view.getUint8(10)
  let at = 13 + (flags & 0x80 ? 3 << ((flags & 7) + 1) : 0)
  // Extensions, each with blocks of data, of which the last one is empty.
  while (view.getUint8(at) === 0x21) {
    at += 2
    for (let block = view.getUint8(at); block > 0; block = view.getUint8(at)) at += 1 + block
    at++
  }
  if (view.getUint8(at) !== 0x2c) return null
  const [left, top] = [view.getUint16(at + 1, true), view.getUint16(at + 3, true)]
  const [frameWidth, frameHeight] = [view.getUint16(at + 5, true), view.getUint16(at + 7, true)]
  return { width: Math.max(width, left + frameWidth), height: Math.max(height, top + frameHeight) }
}

/** RFC 9649: lossy, lossless, or a canvas. */
function sizeOfWebp(view: DataView): Size {
  switch (textAt(view, 12, 4)) {
    case 'VP8 ':
      return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff }
    case 'VP8L': {
      const bits = view.getUint32(21, true)
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
    }
    case 'VP8X':
      return {
        width: (view.getUint32(24, true) & 0xffffff) + 1,
        height: (view.getUint32(26, true) >>> 8) + 1,
      }
    default:
      return null
  }
}

/** The largest picture or track that the file declares: boxes `ispe` (ISO 23008-12) and `tkhd` (ISO 14496-12). */
function sizeOfAvif(view: DataView): Size {
  let largest: Size = null
  const consider = (width: number, height: number) => {
    if (largest === null || width * height > largest.width * largest.height) largest = { width, height }
  }
  for (let at = 4; at + 4 <= view.byteLength; at++) {
    const name = view.getUint32(at)
    if (name === 0x69737065) consider(view.getUint32(at + 8), view.getUint32(at + 12))
    if (name === 0x746b6864) {
      // Times of 64 bits make it longer. The size has 16 bits of fractions.
      const size = at + (view.getUint8(at + 4) === 1 ? 92 : 80)
      consider(view.getUint32(size) / 65_536, view.getUint32(size + 4) / 65_536)
    }
  }
  return largest
}
