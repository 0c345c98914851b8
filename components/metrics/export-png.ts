import { dashOf, readTheme, seriesColours } from '../jobs/result/chart-options'
import { saveBlob } from '../ui/save-blob'
import { hasLabels } from './cursor-values'
import type { MetricLine } from './plot-data'

const padding = 16
const lineHeight = 18

/** Downloads a chart as a picture with its title and the names of its lines. */
export function exportPng(chart: HTMLCanvasElement, title: string, lines: readonly MetricLine[]): void {
  const scale = chart.width / Math.max(1, chart.clientWidth)
  const legend = hasLabels(lines) ? lines : []
  const top = padding + lineHeight * (1 + legend.length)
  const canvas = document.createElement('canvas')
  canvas.width = chart.width + 2 * padding * scale
  canvas.height = chart.height + (top + padding) * scale
  const context = canvas.getContext('2d')
  if (!context) return
  const style = getComputedStyle(document.body)
  const theme = readTheme(document.body)
  context.fillStyle = style.getPropertyValue('--surface')
  context.fillRect(0, 0, canvas.width, canvas.height)
  context.scale(scale, scale)
  context.textBaseline = 'top'
  context.fillStyle = style.getPropertyValue('--ink')
  context.font = `600 13px ${style.fontFamily}`
  context.fillText(title, padding, padding)
  context.font = `12px ${style.fontFamily}`
  for (const [nth, { label, index, group }] of legend.entries()) {
    const y = padding + lineHeight * (nth + 1)
    context.strokeStyle = theme.series[index % seriesColours] ?? theme.ink
    context.lineWidth = 2
    context.setLineDash(dashOf(index))
    context.beginPath()
    context.moveTo(padding, y + 7)
    context.lineTo(padding + 18, y + 7)
    context.stroke()
    context.fillText(group ? `${label}, n = ${group.count}` : label, padding + 26, y)
  }
  context.setTransform(1, 0, 0, 1, 0, 0)
  context.drawImage(chart, padding * scale, top * scale)
  canvas.toBlob((blob) => blob && saveBlob(`${title.replaceAll(/[^\w.-]+/g, '_')}.png`, blob))
}
