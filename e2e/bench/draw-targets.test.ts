import { expect, it } from 'vitest'
import { drawTargets } from './draw-targets'

const about = { machine: 'two cores <A&B>', date: '2026-11-25', load: 'load 3' }

it('draws each measured figure beside its target, and leaves out the others', () => {
  const svg = drawTargets({ ...about, gpuq_jobs_ms: 200, submissions_per_second: 500 })
  expect(svg).toContain('200 ms (≤ 250)')
  expect(svg).toContain('500 /s (≥ 1000)')
  expect(svg).not.toContain('gpuq --version')
  expect(svg).toContain('two cores &#60;A&#38;B&#62;')
  // 200 of 250 stays left of the line; half of a rate is twice too little.
  const widths = [...svg.matchAll(/<rect x="220" y="\d+" width="(\d+)"/g)].map(([, length]) => Number(length))
  expect(widths).toEqual([300, 120])
})
