import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { RunTimes } from '@/lib/scheduling/run-times/run-times'
import type { PolicyName } from '@/lib/scheduling/types'
import { percentile } from './figures'
import { limitOf, type Outcome, programOf } from './simulate'
import type { MonthJob } from './trace'

const hour = 3_600_000
/** Size of the plot area, and the space around it, in pixels. */
const area = { width: 560, height: 240 }
const around = { left: 64, right: 16, top: 44, bottom: 44 }

/** What the plots show of one policy: a month with habitual estimates. */
export interface PlottedRun {
  policy: PolicyName
  outcomes: readonly Outcome[]
}

/** Writes the plots of docs/scheduling.md as SVG files. They follow the reader's light or dark theme. */
export function writePlots(
  folder: string,
  runs: readonly PlottedRun[],
  estimates: ReadonlyMap<string, number>,
): void {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'scheduling-policies.svg'), plotPolicies(runs))
  const [first] = runs
  if (!first) return
  writeFileSync(join(folder, 'scheduling-predictions.svg'), plotPredictions(first.outcomes, estimates))
  writeFileSync(join(folder, 'scheduling-ranges.svg'), plotRanges(first))
}

/** The 90th percentile of the waits by number of GPUs, a group of bars for each policy. */
function plotPolicies(runs: readonly PlottedRun[]): string {
  const sizes = [1, 2, 4, 8]
  const waits = runs.map(({ outcomes }) =>
    sizes.map((gpus) => {
      const own = outcomes.filter(({ job }) => job.gpus === gpus)
      return percentile(
        own.map(({ job, startedAt }) => (startedAt - job.submittedAt) / hour),
        0.9,
      )
    }),
  )
  const top = niceTop(Math.max(...waits.flat()))
  const group = area.width / runs.length
  const bar = (group * 0.8) / sizes.length
  const bars = runs.map(({ policy }, i) => {
    const x = around.left + i * group + group * 0.1
    const own = sizes.map((gpus, at) => {
      const wait = waits[i]?.[at] ?? 0
      const height = (wait / top) * area.height
      const y = around.top + area.height - height
      const label = text(x + bar * (at + 0.5), y - 4, wait.toFixed(1), 'middle', 'small')
      return `<rect class="s${at}" x="${round(x + bar * at)}" y="${round(y)}" width="${round(bar - 3)}" height="${round(height)}"><title>${policy}, ${gpus} GPUs: ${wait.toFixed(1)} h</title></rect>${label}`
    })
    return [...own, text(around.left + (i + 0.5) * group, around.top + area.height + 18, policy, 'middle')]
  })
  const legend = sizes.map((gpus, i) => {
    const x = around.left + i * 84
    return `<rect class="s${i}" x="${x}" y="26" width="10" height="10"/>${text(x + 15, 35, gpus === 1 ? '1 GPU' : `${gpus} GPUs`)}`
  })
  const title = '9 of 10 jobs wait at most this many hours, by policy and GPUs'
  return svg(title, [...yAxis(top, (value) => `${value} h`), ...legend, ...bars.flat()])
}

/** How far the estimate and the predicted time are from the actual time: the share of jobs by their ratio. */
function plotPredictions(outcomes: readonly Outcome[], estimates: ReadonlyMap<string, number>): string {
  const endOf = ({ job, startedAt }: Outcome) => startedAt + job.runsMs
  const ended = [...outcomes].sort((a, b) => endOf(a) - endOf(b))
  const runTimes = new RunTimes()
  const estimateOf = ({ id, runsMs }: MonthJob) => estimates.get(id) ?? runsMs
  let known = 0
  const submitted = outcomes.map(({ job }) => job).sort((a, b) => a.submittedAt - b.submittedAt)
  const ratios = submitted.map((job) => {
    for (let next = ended[known]; next && endOf(next) <= job.submittedAt; next = ended[++known])
      runTimes.add({ program: programOf(next.job), estimateMs: estimateOf(next.job), ranMs: next.job.runsMs })
    const { expectedMs } = runTimes.predict(programOf(job), estimateOf(job), limitOf(estimateOf(job)))
    return { estimated: estimateOf(job) / job.runsMs, predicted: expectedMs / job.runsMs }
  })
  const [from, step, count] = [0.4, 0.1, 28]
  const shares = (values: readonly number[]) =>
    Array.from({ length: count }, (_, i) => {
      const low = from + i * step
      return (100 * values.filter((value) => value >= low && value < low + step).length) / values.length
    })
  const lines = [
    shares(ratios.map(({ estimated }) => estimated)),
    shares(ratios.map(({ predicted }) => predicted)),
  ]
  const top = niceTop(Math.max(...lines.flat()))
  const xOf = (ratio: number) => around.left + ((ratio - from) / (step * count)) * area.width
  const yOf = (share: number) => around.top + area.height - (share / top) * area.height
  const drawn = lines.map((line, i) => {
    const points = line.map((share, at) => `${round(xOf(from + (at + 0.5) * step))},${round(yOf(share))}`)
    return `<polyline class="l${i}" points="${points.join(' ')}"/>`
  })
  const legend = ['estimate of the user', 'predicted from earlier jobs'].map((label, i) => {
    const x = around.left + i * 170
    return `<line class="l${i}" x1="${x}" x2="${x + 18}" y1="31" y2="31"/>${text(x + 24, 35, label)}`
  })
  const ticks = [0.5, 1, 1.5, 2, 2.5, 3].map((ratio) =>
    text(xOf(ratio), around.top + area.height + 18, `${ratio} ×`, 'middle'),
  )
  const exact = `<line class="axis" x1="${xOf(1)}" x2="${xOf(1)}" y1="${around.top}" y2="${around.top + area.height}"/>`
  const below = text(
    around.left + area.width / 2,
    around.top + area.height + 36,
    'of the actual run time',
    'middle',
  )
  const title = 'Share of jobs, by how their estimate and prediction compare with the actual time'
  return svg(title, [...yAxis(top, (value) => `${value} %`), exact, ...legend, ...drawn, ...ticks, below])
}

/** The forecast range of every n-th job, and its actual start. */
function plotRanges({ policy, outcomes }: PlottedRun): string {
  const ranged = outcomes.flatMap(({ job, startedAt, range }) =>
    range && startedAt - job.submittedAt > hour / 2 ? [{ job, startedAt, range }] : [],
  )
  const shown = ranged.filter((_, i) => i % Math.max(1, Math.floor(ranged.length / 40)) === 0).slice(0, 40)
  const hoursAfter = (at: number, from: number) => (at - from) / hour
  const all = shown.map(({ job, startedAt, range }) => ({
    from: hoursAfter(range.earliest, job.submittedAt),
    to: hoursAfter(range.latest, job.submittedAt),
    actual: hoursAfter(startedAt, job.submittedAt),
  }))
  all.sort((a, b) => a.actual - b.actual)
  const top = niceTop(Math.max(...all.map(({ to, actual }) => Math.max(to, actual))))
  const yOf = (value: number) => round(around.top + area.height - (value / top) * area.height)
  const marks = all.map(({ from, to, actual }, i) => {
    const x = round(around.left + ((i + 0.5) / all.length) * area.width)
    const isInside = from <= actual && actual <= to
    return `<line class="range" x1="${x}" x2="${x}" y1="${yOf(from)}" y2="${yOf(to)}"/><circle class="${isInside ? 'in' : 'out'}" cx="${x}" cy="${yOf(actual)}" r="3.5"/>`
  })
  const legend = [
    `<line class="range" x1="${around.left + 5}" x2="${around.left + 5}" y1="24" y2="38"/>${text(around.left + 15, 35, 'forecast range')}`,
    `<circle class="in" cx="${around.left + 130}" cy="31" r="3.5"/>${text(around.left + 140, 35, 'actual start')}`,
    `<circle class="out" cx="${around.left + 240}" cy="31" r="3.5"/>${text(around.left + 250, 35, 'actual start outside its range')}`,
  ]
  const below = text(
    around.left + area.width / 2,
    around.top + area.height + 24,
    `${all.length} jobs, by their wait`,
    'middle',
  )
  return svg(`Hours from submission to start under ${policy}`, [
    ...yAxis(top, (value) => `${value} h`),
    ...legend,
    ...marks,
    below,
  ])
}

function yAxis(top: number, format: (value: number) => string): string[] {
  return [0, 0.25, 0.5, 0.75, 1].map((part) => {
    const y = round(around.top + area.height * (1 - part))
    const right = around.left + area.width
    return `<line class="grid" x1="${around.left}" x2="${right}" y1="${y}" y2="${y}"/>${text(around.left - 8, y + 4, format(round(part * top)), 'end')}`
  })
}

function niceTop(value: number): number {
  const unit = 10 ** Math.floor(Math.log10(value))
  return [1, 2, 4, 6, 8, 10].map((factor) => factor * unit).find((top) => top >= value) ?? 10 * unit
}

function text(x: number, y: number, content: string, anchor = 'start', kind = 'text'): string {
  return `<text class="${kind}" x="${round(x)}" y="${round(y)}" text-anchor="${anchor}">${content}</text>`
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}

/** Colours with enough contrast on white and on GitHub's dark background. */
const style = `text{font:12px system-ui,sans-serif;fill:#1f2328}.title{font-weight:600}.small{font-size:10px}
.grid{stroke:#d1d9e0}.axis{stroke:#59636e;stroke-dasharray:4 3}.s0{fill:#9ec5fe}.s1{fill:#4593f8}.s2{fill:#1b62c5}.s3{fill:#0b3471}
.l0{stroke:#c4501b}.l1{stroke:#1b62c5}polyline,.l0,.l1{fill:none;stroke-width:2}.range{stroke:#4593f8;stroke-width:5;opacity:.55}
.in{fill:#0b3471}.out{fill:#c4501b}
@media(prefers-color-scheme:dark){text{fill:#f0f6fc}.grid{stroke:#3d444d}.axis{stroke:#9198a1}.s0{fill:#1b4b91}.s1{fill:#2f7be0}
.s2{fill:#7fb2fb}.s3{fill:#cfe2ff}.l0{stroke:#f0883e}.l1{stroke:#7fb2fb}.in{fill:#cfe2ff}.out{fill:#f0883e}}`

function svg(title: string, parts: readonly string[]): string {
  const width = around.left + area.width + around.right
  const height = around.top + area.height + around.bottom
  const heading = text(8, 15, title, 'start', 'title')
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${title}">\n<style>${style}</style>\n${[heading, ...parts].join('\n')}\n</svg>\n`
}
