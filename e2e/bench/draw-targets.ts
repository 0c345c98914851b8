/**
 * `npx tsx e2e/bench/draw-targets.ts FIGURES.json OUT.svg`: draws each figure of `npm run bench` beside its target, from
 * test-results/bench.json.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { z } from 'zod'

interface Target {
  key: string
  label: string
  target: number
  unit: '×' | 'ms' | '/s' | 'MiB'
  /** Undefined: less is better. */
  moreIsBetter?: true
}

const targets: readonly Target[] = [
  { key: 'first_output_ratio', label: 'first line, of docker run', target: 0.25, unit: '×' },
  { key: 'first_output_torch_ratio', label: 'the same with torch', target: 0.1, unit: '×' },
  { key: 'end_to_next_line_p50_ms', label: 'end of a job to next line, p50', target: 60, unit: 'ms' },
  {
    key: 'submissions_per_second',
    label: 'durable submissions',
    target: 1000,
    unit: '/s',
    moreIsBetter: true,
  },
  { key: 'metrics_large_ms', label: '/metrics, 1,100,000 jobs', target: 50, unit: 'ms' },
  { key: 'queue_large_ms', label: '/queue?limit=50', target: 50, unit: 'ms' },
  { key: 'gpuq_version_ms', label: 'gpuq --version', target: 100, unit: 'ms' },
  { key: 'gpuq_jobs_ms', label: 'gpuq jobs', target: 250, unit: 'ms' },
  { key: 'web_memory_mib', label: 'memory of the web server', target: 139, unit: 'MiB' },
]

const figuresSchema = z.looseObject({ machine: z.string(), date: z.string(), load: z.string() })
type Figures = z.output<typeof figuresSchema>

const width = 640
const rowHeight = 26
const barsFrom = 220
const barsTo = 520
/** The line of the target is here; a bar ends at the right after twice the target. */
const targetAt = (barsFrom + barsTo) / 2

/** Draws the figures that there are. A bar that stays left of the line has reached its target. */
export function drawTargets(figures: Figures): string {
  const rows = targets.flatMap((target) => {
    const value = figures[target.key]
    return typeof value === 'number' ? [{ ...target, value }] : []
  })
  const height = rows.length * rowHeight + 44
  const bars = rows.map(({ label, value, target, unit, moreIsBetter }, row) => {
    const share = moreIsBetter ? target / value : value / target
    const length = Math.round(Math.min(2, share) * (targetAt - barsFrom))
    const y = row * rowHeight + 8
    const text = `${round(value)} ${unit} (${moreIsBetter ? '≥' : '≤'} ${target})`
    return `<text x="${barsFrom - 8}" y="${y + 13}" text-anchor="end">${label}</text><rect x="${barsFrom}" y="${y}" width="${length}" height="18" opacity="${share <= 1 ? 0.75 : 0.35}"/><text x="${barsTo + 8}" y="${y + 13}">${text}</text>`
  })
  const caption = `${figures.machine}, ${figures.date.slice(0, 10)}, ${figures.load}`
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="Figures beside their targets" font-family="sans-serif" font-size="12"><style>svg { color: #333; fill: currentColor } @media (prefers-color-scheme: dark) { svg { color: #ddd } }</style>${bars.join('')}<line x1="${targetAt}" x2="${targetAt}" y1="2" y2="${height - 38}" stroke="currentColor" stroke-dasharray="4 3"/><text x="${targetAt}" y="${height - 24}" text-anchor="middle">target</text><text x="8" y="${height - 6}">${escapeXml(caption)}</text></svg>\n`
}

const round = (value: number) => (value < 10 ? Math.round(value * 100) / 100 : Math.round(value))
const escapeXml = (text: string) => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)

const [, script = '', from, to] = process.argv
if (script.endsWith('draw-targets.ts') && from !== undefined && to !== undefined)
  await writeFile(to, drawTargets(figuresSchema.parse(JSON.parse(await readFile(from, 'utf8')))))
