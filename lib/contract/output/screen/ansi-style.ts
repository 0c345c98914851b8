/** A colour: one of the terminal's 16, or an exact one. */
export type AnsiColour = { palette: number } | { red: number; green: number; blue: number }

/** The style of text. Missing properties have the terminal's default. */
export interface AnsiStyle {
  readonly foreground?: AnsiColour | undefined
  readonly background?: AnsiColour | undefined
  readonly bold?: true | undefined
  readonly dim?: true | undefined
  readonly italic?: true | undefined
  readonly underline?: true | undefined
  readonly inverse?: true | undefined
  readonly strike?: true | undefined
}

export const plainStyle: AnsiStyle = Object.freeze({})

const flags: Record<number, Partial<AnsiStyle>> = {
  1: { bold: true },
  2: { dim: true },
  3: { italic: true },
  4: { underline: true },
  7: { inverse: true },
  9: { strike: true },
  21: { underline: true },
  22: { bold: undefined, dim: undefined },
  23: { italic: undefined },
  24: { underline: undefined },
  27: { inverse: undefined },
  29: { strike: undefined },
  39: { foreground: undefined },
  49: { background: undefined },
}

/** Applies the parameters of one "select graphic rendition" sequence, as in `1;38;5;208`. Ignores unknown codes. */
export function applySgr(style: AnsiStyle, parameters: string): AnsiStyle {
  const codes = parameters.split(';')
  let result = style
  for (let at = 0; at < codes.length; at++) {
    const code = codes[at] ?? ''
    const [head = '', ...inner] = code.split(':')
    const number = head === '' ? 0 : Number(head)
    if (number === 38 || number === 48) {
      // Either one parameter with colons, or several parameters.
      const tail = inner.length > 0 ? inner : codes.slice(at + 1, at + 5)
      const { colour, used } = readColour(tail, inner.length > 0)
      if (inner.length === 0) at += used
      if (colour) result = { ...result, [number === 38 ? 'foreground' : 'background']: colour }
    } else if (number === 4 && inner[0] === '0') {
      result = { ...result, underline: undefined }
    } else {
      result = applyCode(result, number)
    }
  }
  return result
}

/** The sequence that sets a style, whatever the style before it is. */
export function toSgr(style: AnsiStyle): string {
  const codes = [0, ...setBy.filter(([name]) => style[name]).map(([, code]) => code)].join(';')
  return `\u001B[${codes}${colourCode(style.foreground, 30)}${colourCode(style.background, 40)}m`
}

const setBy = [
  ['bold', 1],
  ['dim', 2],
  ['italic', 3],
  ['underline', 4],
  ['inverse', 7],
  ['strike', 9],
] as const satisfies readonly (readonly [keyof AnsiStyle, number])[]

function colourCode(colour: AnsiColour | undefined, first: 30 | 40): string {
  if (colour === undefined) return ''
  if (!('palette' in colour)) return `;${first + 8};2;${colour.red};${colour.green};${colour.blue}`
  return `;${colour.palette < 8 ? first + colour.palette : first + 52 + colour.palette}`
}

function applyCode(style: AnsiStyle, code: number): AnsiStyle {
  if (code === 0) return plainStyle
  const flag = flags[code]
  if (flag) return { ...style, ...flag }
  if (code >= 30 && code <= 37) return { ...style, foreground: { palette: code - 30 } }
  if (code >= 90 && code <= 97) return { ...style, foreground: { palette: code - 82 } }
  if (code >= 40 && code <= 47) return { ...style, background: { palette: code - 40 } }
  if (code >= 100 && code <= 107) return { ...style, background: { palette: code - 92 } }
  return style
}

interface ReadColour {
  colour: AnsiColour | undefined
  /** The number of following parameters of the colour. */
  used: number
}

function readColour(tail: readonly string[], colons: boolean): ReadColour {
  const kind = tail[0]
  if (kind === '5') return { colour: indexedColour(toByte(tail[1])), used: 2 }
  if (kind !== '2') return { colour: undefined, used: 0 }
  // With colons, an optional colour space comes first: 38:2::255:128:0.
  const from = colons && tail.length > 4 ? 2 : 1
  const [red, green, blue] = [toByte(tail[from]), toByte(tail[from + 1]), toByte(tail[from + 2])]
  if (red === undefined || green === undefined || blue === undefined) return { colour: undefined, used: 4 }
  return { colour: { red, green, blue }, used: 4 }
}

function toByte(text: string | undefined): number | undefined {
  if (text === undefined || !/^\d{1,3}$/.test(text)) return undefined
  const value = Number(text)
  return value <= 255 ? value : undefined
}

/** The 256-colour table: 16 named colours, a 6×6×6 cube and 24 greys. */
function indexedColour(index: number | undefined): AnsiColour | undefined {
  if (index === undefined) return undefined
  if (index < 16) return { palette: index }
  if (index >= 232) {
    const grey = 8 + (index - 232) * 10
    return { red: grey, green: grey, blue: grey }
  }
  const level = (step: number) => (step === 0 ? 0 : 55 + step * 40)
  const cube = index - 16
  return { red: level(Math.floor(cube / 36)), green: level(Math.floor(cube / 6) % 6), blue: level(cube % 6) }
}
