import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

/** Both themes are checked as arithmetic, so that a token changed by eye cannot quietly fall below WCAG 2.2 AA. */

type Oklch = readonly [lightness: number, chroma: number, hue: number]

const css = readFileSync(new URL('../../app/globals.css', import.meta.url), 'utf8')

function readTokens(from: string, to: string): Map<string, Oklch> {
  const block = css.slice(css.indexOf(from), css.indexOf(to))
  const tokens = block.matchAll(/--([\w-]+): oklch\(([\d.]+) ([\d.]+) ([\d.]+)\)/g)
  return new Map([...tokens].map(([, name = '', l, c, h]) => [name, [Number(l), Number(c), Number(h)]]))
}

/** Relative luminance as WCAG defines it, by way of OKLab and linear sRGB. */
function luminance([lightness, chroma, hue]: Oklch): number {
  const a = chroma * Math.cos((hue * Math.PI) / 180)
  const b = chroma * Math.sin((hue * Math.PI) / 180)
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3
  const clamp = (channel: number) => Math.min(1, Math.max(0, channel))
  const red = clamp(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s)
  const green = clamp(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s)
  const blue = clamp(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s)
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

const light = readTokens(':root {', '.dark {')
const themes = { light, dark: new Map([...light, ...readTokens('.dark {', '@theme')]) }

const surfaces = ['canvas', 'surface', 'raised', 'sunken', 'hover']
const hues = ['accent', 'info', 'success', 'warning', 'danger']
const ansi = [...light.keys()].filter((name) => name.startsWith('ansi-'))
const series = [...light.keys()].filter((name) => name.startsWith('series-'))

/** What is written on what, and the ratio that WCAG asks for. */
const pairs: [ink: string, ground: string, ratio: number][] = [
  ...['ink', 'muted', 'subtle'].flatMap((ink) =>
    surfaces.map((on) => [ink, on, 4.5] as [string, string, number]),
  ),
  ...hues.flatMap((hue) =>
    [...surfaces, `${hue}-soft`].map((on) => [`${hue}-ink`, on, 4.5] as [string, string, number]),
  ),
  ...hues.map((hue) => ['ink', `${hue}-soft`, 4.5] as [string, string, number]),
  ['muted', 'pressed', 4.5],
  ['muted', 'accent-soft', 4.5],
  ['subtle', 'accent-soft', 4.5],
  ['on-accent', 'accent', 4.5],
  ['on-accent', 'accent-hover', 4.5],
  ['on-danger', 'danger', 4.5],
  ['on-danger', 'danger-hover', 4.5],
  ['ink', 'match', 4.5],
  ['ink', 'match-current', 4.5],
  ['ink', 'selection', 4.5],
  ...ansi.flatMap((ink) =>
    ['surface', 'sunken', 'hover', 'danger-soft'].map((on) => [ink, on, 4.5] as [string, string, number]),
  ),
  ...['edge', 'focus', ...series].flatMap((ink) =>
    ['canvas', 'surface', 'raised', 'sunken'].map((on) => [ink, on, 3] as [string, string, number]),
  ),
]

describe.each(Object.entries(themes))('%s theme', (_, tokens) => {
  it.each(pairs)('%s on %s has a contrast of %d:1', (ink, ground, ratio) => {
    const [inkColour, groundColour] = [tokens.get(ink), tokens.get(ground)]
    if (!inkColour || !groundColour) throw new Error(`No token ${inkColour ? ground : ink}`)
    const [dark = 0, bright = 0] = [luminance(inkColour), luminance(groundColour)].sort((a, b) => a - b)
    expect((bright + 0.05) / (dark + 0.05)).toBeGreaterThanOrEqual(ratio)
  })
})
