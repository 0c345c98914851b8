import type { CSSProperties } from 'react'
import type { AnsiColour, AnsiStyle } from '@/lib/contract/output/screen/ansi-style'

const names = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'] as const

/** The 16 terminal colours as backgrounds. The text colour on them is chosen for contrast in both themes. */
const backgroundColours: readonly Rgb[] = [
  [30, 30, 34],
  [190, 40, 45],
  [35, 125, 65],
  [185, 135, 20],
  [50, 90, 200],
  [160, 60, 165],
  [20, 125, 140],
  [215, 215, 220],
  [95, 95, 102],
  [240, 90, 90],
  [75, 190, 105],
  [240, 200, 70],
  [100, 145, 250],
  [215, 115, 220],
  [70, 190, 205],
  [250, 250, 252],
]

type Rgb = readonly [red: number, green: number, blue: number]

/** The CSS of a style. Text always has a contrast of at least 4.5:1. */
export function toCss(style: AnsiStyle): CSSProperties {
  const css: CSSProperties = { ...colours(style) }
  if (style.bold) css.fontWeight = 600
  if (style.italic) css.fontStyle = 'italic'
  const lines = [style.underline && 'underline', style.strike && 'line-through'].filter(Boolean)
  if (lines.length > 0) css.textDecorationLine = lines.join(' ')
  return css
}

function colours({ foreground, background, inverse, dim }: AnsiStyle): CSSProperties {
  const [text, back] = inverse ? [background, foreground] : [foreground, background]
  if (back) {
    const rgb = toRgb(back)
    return { background: cssRgb(rgb), color: cssRgb(readableOn(rgb, text && toRgb(text))) }
  }
  if (inverse) return { background: 'var(--ink)', color: 'var(--canvas)' }
  if (text) return { color: toTextColour(text) }
  return dim ? { color: 'var(--muted)' } : {}
}

/** A text colour on the page's background: the theme's version of a named colour, or an exact colour adjusted for contrast. */
function toTextColour(colour: AnsiColour): string {
  if (!('palette' in colour)) {
    return `oklch(from ${cssRgb(toRgb(colour))} clamp(var(--ansi-l-min), l, var(--ansi-l-max)) c h)`
  }
  const name = names[colour.palette % 8]
  return `var(--ansi-${colour.palette >= 8 ? 'bright-' : ''}${name})`
}

function toRgb(colour: AnsiColour): Rgb {
  if ('palette' in colour) return backgroundColours[colour.palette] ?? [0, 0, 0]
  return [colour.red, colour.green, colour.blue]
}

function cssRgb([red, green, blue]: Rgb): string {
  return `rgb(${red} ${green} ${blue})`
}

const black: Rgb = [0, 0, 0]
const white: Rgb = [255, 255, 255]

function readableOn(back: Rgb, wanted: Rgb | undefined): Rgb {
  if (wanted && contrast(wanted, back) >= 4.5) return wanted
  return contrast(white, back) >= contrast(black, back) ? white : black
}

function contrast(one: Rgb, other: Rgb): number {
  const [dark = 0, bright = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (bright + 0.05) / (dark + 0.05)
}

/** Relative luminance as WCAG defines it. */
function luminance([red, green, blue]: Rgb): number {
  const linear = (channel: number) => {
    const share = channel / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  }
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
}
