import { describe, expect, it } from 'vitest'
import { readImage, refusalOfImage } from './contract-image-size'

const latin1 = (text: string) => new Uint8Array(Buffer.from(text, 'latin1'))
const u32 = (value: number) =>
  String.fromCharCode(value >>> 24, (value >> 16) & 255, (value >> 8) & 255, value & 255)
const u16 = (value: number) => String.fromCharCode(value >> 8, value & 255)
const le16 = (value: number) => String.fromCharCode(value & 255, (value >> 8) & 255)
const le32 = (value: number) => le16(value & 0xffff) + le16(value >>> 16)
const le24 = (value: number) => le16(value & 0xffff) + String.fromCharCode(value >> 16)

const png = (width: number, height: number) =>
  `\x89PNG\r\n\x1a\n\0\0\0\rIHDR${u32(width)}${u32(height)}\x08\x06\0\0\0`
const segment = (marker: string, content: string) => `\xff${marker}${u16(content.length + 2)}${content}`
const frame = (width: number, height: number) => segment('\xc2', `\x08${u16(height)}${u16(width)}\x03`)
const gif = (screen: number, before: string, left: number, width: number) =>
  `GIF89a${le16(screen)}${le16(screen)}\x80\0\0${'\0'.repeat(6)}${before}\x2c${le16(left)}\0\0${le16(width)}${le16(3)}\0`
const webp = (chunk: string, content: string) => `RIFF\0\0\0\0WEBP${chunk}\0\0\0\0${content}`
const avif = (...boxes: string[]) => `\0\0\0\x1cftypavif\0\0\0\0${boxes.join('')}`
const ispe = (width: number, height: number) => `\0\0\0\x14ispe\0\0\0\0${u32(width)}${u32(height)}`
const tkhd = (version: 0 | 1, width: number, height: number) =>
  `\0\0\0\x5ctkhd${String.fromCharCode(version)}\0\0\x07${'\0'.repeat(version === 1 ? 84 : 72)}${u32(width * 65_536)}${u32(height * 65_536)}`

describe('the size of a picture', () => {
  it.each([
    ['image/png', png(640, 480), 640, 480],
    ['image/png', png(4_000_000_000, 2), 4_000_000_000, 2],
    ['image/jpeg', `\xff\xd8${segment('\xe1', 'Exif'.repeat(999))}${frame(640, 480)}`, 640, 480],
    ['image/jpeg', `\xff\xd8${segment('\xc4', 'table')}\xff\xff${frame(3, 2)}`, 3, 2],
    ['image/gif', gif(9, '', 0, 5), 9, 9],
    ['image/gif', gif(1, '\x21\xf9\x04\0\0\0\0\0\x21\xfe\x02hi\0', 10, 65_000), 65_010, 3],
    ['image/webp', webp('VP8 ', `\0\0\0\x9d\x01\x2a${le16(640)}${le16(480)}`), 640, 480],
    ['image/webp', webp('VP8L', `\x2f${le32(639 | (479 << 14))}`), 640, 480],
    ['image/webp', webp('VP8X', `\0\0\0\0${le24(16_382)}${le24(479)}`), 16_383, 480],
    ['image/avif', avif(ispe(640, 480), ispe(64, 48)), 640, 480],
    ['image/avif', avif(ispe(64, 48), tkhd(0, 640, 480)), 640, 480],
    ['image/avif', avif(tkhd(1, 640, 480)), 640, 480],
  ])('the size of a picture in %s is read from the beginning of the file', (type, content, width, height) => {
    expect(readImage(latin1(content))).toEqual({ type, size: { width, height } })
  })

  it.each([
    ['image/png', '\x89PNG\r\n\x1a\n<script>'],
    ['image/png', png(1, 1).slice(0, 22)],
    ['image/png', png(1, 1).replace('IHDR', 'IDAT')],
    ['image/jpeg', `\xff\xd8${segment('\xe0', 'x'.repeat(1000))}`],
    ['image/jpeg', `\xff\xd8${segment('\xda', '')}${frame(1, 1)}`],
    ['image/jpeg', '\xff\xd8\xff\xe0\0\x03x<html>'],
    ['image/gif', 'GIF89a\x01\0\x01\0'],
    ['image/gif', gif(1, '\x21\xfe\xff', 0, 1)],
    ['image/webp', webp('ALPH', '')],
    ['image/avif', avif()],
  ])(
    'the size of a picture in %s is unknown if its beginning does not have it, and the picture is not shown',
    (type, content) => {
      const image = readImage(latin1(content))
      expect(image).toEqual({ type, size: null })
      expect(image && refusalOfImage(image)).toMatch(/not shown.*Download/)
    },
  )

  it('is known of every beginning of a file, or not, but never fails', () => {
    for (const content of [png(1, 1), `\xff\xd8${frame(1, 1)}`, gif(1, '\x21\xf9\0', 0, 1), avif(ispe(1, 1))])
      for (let length = 0; length <= content.length; length++) readImage(latin1(content.slice(0, length)))
  })
})

it('a picture of too many pixels is refused with its size', () => {
  const refuse = (width: number, height: number) =>
    refusalOfImage({ type: 'image/png', size: { width, height } })
  expect(refuse(10_000, 5_000)).toBeNull()
  expect(refuse(10_000, 5_001)).toBe(
    'The image has 10,000 × 5,001 pixels. An image of at most 50 megapixels is shown here. Download it instead.',
  )
  expect(refuse(4_294_967_295, 4_294_967_295)).toMatch(/4,294,967,295/)
})

it.each([
  '',
  '<svg xmlns="http://www.w3.org/2000/svg"/>',
  'RIFF\x24\n\0\0WAVEfmt ',
  '\0\0\0\x1cftypmp42\0\0',
])('%j is no picture', (content) => {
  expect(readImage(latin1(content))).toBeNull()
})
