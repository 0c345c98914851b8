import { figuresOf } from '../bench/measure'
import { type ChartOptions, escapeHtml, renderChart } from './chart'
import type { Injected } from './faults'
import type { Row } from './judge'
import type { LeakResult } from './leak-rules'
import type { Ledger } from './ledger'
import type { Sample } from './samples'

/** Everything that a run found. */
export interface Results {
  /** False: the run goes on, and only the page is written. */
  ended: boolean
  rows: Row[]
  leaks: LeakResult[]
  date: string
  machine: string
  seed: number
  hours: number
  samples: readonly Sample[]
  injected: readonly Injected[]
  ledger: Ledger
}

const programs = ['web', 'web-2', 'worker', 'worker-2', 'PostgreSQL']
const same = (...names: string[]) => names.map((name) => ({ name, label: name }))
const ofPrograms = (prefix: string) => programs.map((name) => ({ name: `${prefix} ${name}`, label: name }))

/** One self-contained page with everything that a run found. */
export function renderPage(results: Results): string {
  const { date, machine, seed, hours, rows, samples, injected, ledger } = results
  const leaks = results.leaks.filter(({ first, last }) => first > 0 || last > 0)
  const charts = chartsOf(results).map((options) => renderChart(options, samples, injected))
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>gpuq soak, ${date}</title><style>${style}</style></head><body>
<h1>gpuq soak</h1>
${renderVerdict(results)}
<p>${date} · ${hours} h · seed ${seed} · ${escapeHtml(machine)}</p>
<p>${ledger.jobs.size} accepted jobs, ${ledger.jobs.size - ledger.unverified.length} of them verified · ${injected.length} faults. Vertical lines in the charts are faults.</p>
<h2>Checks</h2>
${table(
  ['', 'check', 'moments', 'note'],
  rows.map(({ name, moments, passed, note }) => [mark(passed), name, String(moments), note ?? '']),
)}
<h2>Charts</h2><div class="charts">${charts.join('\n')}</div>
<h2>Faults</h2>
${table(['fault', 'times', 'ready again (median, max)', 'next job completed (median, max)'], faultSummary(injected))}
<details><summary>Each fault</summary>${table(
    ['minute', 'fault', '', 'ready again', 'next job completed'],
    injected.map(({ at, name, detail, readyAfter, jobAfter }) => [
      (at / 60).toFixed(1),
      name,
      detail,
      seconds(readyAfter),
      seconds(jobAfter),
    ]),
  )}</details>
<h2>Growth</h2>
<p>Medians of the first quarter after the warm-up and of the last quarter. The last one may be <i>factor</i> times the first one plus <i>slack</i>.</p>
${table(
  ['', 'figure', 'first', 'last', 'compared', 'factor', 'slack', 'reason'],
  leaks.map(({ name, first, last, passed, basis, factor, slack, why }) => [
    mark(passed),
    name,
    first.toFixed(2),
    last.toFixed(2),
    basis,
    String(factor),
    String(slack),
    why,
  ]),
)}
<h2>Jobs</h2>
${table(
  ['kind', 'accepted', 'verified'],
  ledger.byKind().map(({ kind, accepted, verified }) => [kind, String(accepted), String(verified)]),
)}
${ledger.problems.length === 0 ? '' : `<h2>Problems</h2><ol>${ledger.problems.map((text) => `<li>${escapeHtml(text)}</li>`).join('')}</ol>`}
</body></html>
`
}

function renderVerdict({ ended, rows }: Results): string {
  if (!ended) return '<p class="verdict">The run has not ended: the checks below are preliminary.</p>'
  const failed = rows.filter(({ passed }) => !passed).length
  return failed === 0
    ? '<p class="verdict good">All checks passed</p>'
    : `<p class="verdict bad">${failed} of ${rows.length} checks failed</p>`
}

function chartsOf({ samples }: Results): ChartOptions[] {
  const names = [...new Set(samples.flatMap(({ values }) => Object.keys(values)))].toSorted()
  const startingWith = (prefix: string) =>
    names
      .filter((name) => name.startsWith(prefix))
      .map((name) => ({ name, label: name.slice(prefix.length) }))
  const tables = startingWith('rows ')
  const growing = tables.filter(({ label }) =>
    /^(jobs|tasks|allocations|idempotency_keys|gpu_samples|audit_events|result_files|artifacts)$/.test(label),
  )
  const others = tables.filter(({ label }) => !growing.some((table) => table.label === label))
  const nonEmpty = others.filter(({ name }) => samples.some(({ values }) => (values[name] ?? 0) > 0))
  return [
    { title: 'Memory', unit: 'MiB', lines: ofPrograms('memory') },
    { title: 'Open files', unit: '', lines: ofPrograms('open files') },
    { title: 'Database connections', unit: '', lines: same('database connections') },
    { title: 'Engine', unit: '', lines: same('containers', 'networks', 'volumes') },
    {
      title: 'Jobs by status',
      unit: '',
      lines: startingWith('jobs ').filter(({ label }) => label !== 'with stored files'),
    },
    { title: 'Jobs', unit: '', lines: same('accepted jobs', 'jobs with stored files') },
    { title: 'Submission', unit: 'ms', lines: same('submission p50 (ms)', 'submission p99 (ms)') },
    { title: 'Time in the queue', unit: 's', lines: same('queue p50 (s)', 'queue p99 (s)') },
    { title: 'Files and directories', unit: '', lines: startingWith('files ') },
    {
      title: 'Stored bytes and database',
      unit: 'MiB',
      lines: same('stored bytes (MiB)', 'database size (MiB)'),
    },
    { title: 'Rows of tables that follow the jobs', unit: '', lines: growing },
    { title: 'Rows of other tables', unit: '', lines: nonEmpty },
    { title: 'Responses by status', unit: '', lines: startingWith('responses ') },
    { title: 'Quarantined nodes', unit: '', lines: same('quarantined nodes') },
  ]
}

function faultSummary(injected: readonly Injected[]): string[][] {
  return [...new Set(injected.map(({ name }) => name))].map((name) => {
    const all = injected.filter((fault) => fault.name === name)
    return [
      name,
      String(all.length),
      spread(all.map(({ readyAfter }) => readyAfter)),
      spread(all.map(({ jobAfter }) => jobAfter)),
    ]
  })
}

function spread(times: readonly (number | null)[]): string {
  const known = times.flatMap((time) => time ?? [])
  if (known.length === 0) return 'never'
  const { median, max } = figuresOf(known)
  return `${seconds(median)}, ${seconds(max)}`
}

const seconds = (time: number | null) => (time === null ? '–' : `${time.toFixed(1)} s`)
const mark = (passed: boolean) => (passed ? '✓' : '✗')

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = (tag: string, texts: readonly string[]) =>
    texts.map((text) => `<${tag}>${escapeHtml(text)}</${tag}>`).join('')
  const body = rows.map((row) => `<tr${row[0] === '✗' ? ' class="bad"' : ''}>${cells('td', row)}</tr>`)
  return `<div class="scroll"><table><thead><tr>${cells('th', head)}</tr></thead><tbody>${body.join('')}</tbody></table></div>`
}

const colours = ['#2563eb', '#d97706', '#059669', '#db2777', '#7c3aed', '#0891b2', '#65a30d', '#dc2626']
const darkColours = ['#60a5fa', '#fbbf24', '#34d399', '#f472b6', '#a78bfa', '#22d3ee', '#a3e635', '#f87171']
const classes = (list: readonly string[]) =>
  list.map((colour, index) => `.c${index}{--line:${colour}}`).join('')

const style = `
:root{color-scheme:light dark;--text:#18181b;--quiet:#71717a;--back:#fff;--edge:#e4e4e7;--good:#047857;--bad:#b91c1c;--fault:#f59e0b66}
${classes(colours)}
@media (prefers-color-scheme:dark){:root{--text:#f4f4f5;--quiet:#a1a1aa;--back:#09090b;--edge:#27272a;--good:#34d399;--bad:#f87171;--fault:#f59e0b4d}${classes(darkColours)}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:1240px;padding:24px 16px;background:var(--back);color:var(--text);font:14px/1.5 system-ui,sans-serif}
h1{font-size:24px;margin:0}h2{font-size:18px;margin:32px 0 8px}
.verdict{font-size:16px;font-weight:600}.good{color:var(--good)}.bad{color:var(--bad)}
.scroll{overflow-x:auto}table{border-collapse:collapse;width:100%}
th,td{text-align:left;padding:4px 12px 4px 0;border-bottom:1px solid var(--edge);vertical-align:top;overflow-wrap:anywhere}
td:nth-child(2){min-width:14em}li{overflow-wrap:anywhere}
th{color:var(--quiet);font-weight:500;overflow-wrap:normal}
.charts{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,440px),1fr));gap:16px}
figure{margin:0;border:1px solid var(--edge);border-radius:8px;padding:12px;min-width:0}
figcaption{font-weight:600}.unit{color:var(--quiet);font-weight:400}
svg{width:100%;height:auto;display:block}svg text{fill:var(--quiet);font-size:11px}
.grid{stroke:var(--edge)}.fault{stroke:var(--fault)}
.line{fill:none;stroke:var(--line);stroke-width:1.5;stroke-linejoin:round}
.legend{list-style:none;margin:8px 0 0;padding:0;display:flex;flex-wrap:wrap;gap:4px 14px;font-size:12px}
.swatch{display:inline-block;width:10px;height:10px;border-radius:2px;background:var(--line);margin-right:4px}
summary{cursor:pointer;margin:12px 0}`
