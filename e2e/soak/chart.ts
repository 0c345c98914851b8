import type { Injected } from './faults'
import type { Sample } from './samples'

export interface ChartOptions {
  title: string
  unit: string
  /** The figures to draw, and their labels. */
  lines: { name: string; label: string }[]
}

const size = { width: 560, height: 200, left: 52, right: 8, top: 8, bottom: 24 }
const inner = { width: size.width - size.left - size.right, height: size.height - size.top - size.bottom }

/** One chart as inline SVG, with a vertical line for each fault. Empty if no sample has any of the figures. */
export function renderChart(
  { title, unit, lines }: ChartOptions,
  samples: readonly Sample[],
  injected: readonly Injected[],
): string {
  const shown = lines.filter(({ name }) => samples.some(({ values }) => values[name] !== undefined))
  if (shown.length === 0) return ''
  const end = Math.max(samples.at(-1)?.at ?? 0, 1)
  const all = shown.flatMap(({ name }) => samples.flatMap(({ values }) => values[name] ?? []))
  const top = niceTop(Math.max(...all, 1))
  const x = (at: number) => round(size.left + (at / end) * inner.width)
  const y = (value: number) => round(size.top + inner.height - (value / top) * inner.height)
  const grid = [0, 0.25, 0.5, 0.75, 1].map((share) => {
    const at = y(top * share)
    return `<line class="grid" x1="${size.left}" x2="${size.width - size.right}" y1="${at}" y2="${at}"/><text x="${size.left - 6}" y="${at + 4}" text-anchor="end">${format(top * share)}</text>`
  })
  const times = [0, 0.25, 0.5, 0.75, 1].map((share) => {
    const anchor = share === 0 ? 'start' : share === 1 ? 'end' : 'middle'
    return `<text x="${x(end * share)}" y="${size.height - 6}" text-anchor="${anchor}">${Math.round((end * share) / 6) / 10} min</text>`
  })
  const faults = injected.map(
    ({ at, name }) =>
      `<line class="fault" x1="${x(at)}" x2="${x(at)}" y1="${size.top}" y2="${size.top + inner.height}"><title>${escapeHtml(name)}</title></line>`,
  )
  const paths = shown.map(({ name }, index) => {
    const points = samples.flatMap(({ at, values }) => {
      const value = values[name]
      return value === undefined ? [] : [`${x(at)},${y(value)}`]
    })
    return `<polyline class="line c${index % 8}" points="${points.join(' ')}"/>`
  })
  const legend = shown.map(
    ({ name, label }, index) =>
      `<li><span class="swatch c${index % 8}"></span>${escapeHtml(label)} <b>${format(latest(samples, name))}</b></li>`,
  )
  return `<figure><figcaption>${escapeHtml(title)} <span class="unit">${escapeHtml(unit)}</span></figcaption>
<svg viewBox="0 0 ${size.width} ${size.height}" role="img" aria-label="${escapeHtml(title)}">${[...grid, ...times, ...faults, ...paths].join('')}</svg>
<ul class="legend">${legend.join('')}</ul></figure>`
}

function latest(samples: readonly Sample[], name: string): number {
  return samples.findLast(({ values }) => values[name] !== undefined)?.values[name] ?? 0
}

/** The next of 1, 2, 5, 10, 20, … */
function niceTop(most: number): number {
  const power = 10 ** Math.floor(Math.log10(most))
  return ([1, 2, 5, 10].find((step) => step * power >= most) ?? 10) * power
}

const round = (value: number) => Math.round(value * 10) / 10
const format = (value: number) =>
  value >= 10_000
    ? `${Math.round(value / 1000)}k`
    : String(value >= 100 ? Math.round(value) : Math.round(value * 100) / 100)

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)
}
