import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { serve } from '@/cli/testing/serve'
import { startPython } from './run-python'

/** The results that the Python client reads from a server. */

let home: string
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'gpuq-python-results-'))
  await copyFile('cli/python/gpuq.py', join(home, 'gpuq.py'))
})
afterEach(() => rm(home, { recursive: true }))

const jobId = '0190a3b4-0000-7000-8000-000000000001'
const records = [
  '{"type":"stdout","t":"x","text":"{\\"not\\": \\"a result\\"}"}',
  '{"type":"result","t":"x","data":{"id": 9007199254740993, "seed": 12345678901234567890, "lr": 1e-05}}',
  '{"type":"result","t":"x","text":"{\\"loss\\": NaN, \\"best\\": [-Infinity], \\"NaN\\": \\"NaN\\"}\\r","data":{"loss": "NaN", "best": ["-Infinity"], "NaN": "NaN"}}',
]

it.each(['completed', 'running'])(
  'have every digit and floats for NaN and Infinity, of a job that is %s',
  async (status) => {
    const job = { job_id: jobId, status, attempt: 1 }
    const url = await serve((request, response) => {
      if (request.url?.endsWith('/events')) {
        const output = records.map((record) => `data: ${record}\n`).join('')
        // The stream stays open: the job continues.
        response.write(`event: output\n${output}\nevent: job\ndata: ${JSON.stringify(job)}\n\n`)
      } else if (request.url?.includes('format=jsonl'))
        response.end(`${[...records, '{"type":"exit","t":"x"}'].join('\n')}\n`)
      else response.end(JSON.stringify(job))
    })
    const program = `import gpuq\nprint(gpuq.job("${jobId}").results)`
    const started = await startPython(home, program, { GPUQ_URL: url, GPUQ_TOKEN: 'gpuq_a_token' })
    expect([await started.ended, started.err]).toEqual([0, ''])
    expect(started.out).toBe(
      "[{'id': 9007199254740993, 'seed': 12345678901234567890, 'lr': 1e-05}, {'loss': nan, 'best': [-inf], 'NaN': 'NaN'}]\n",
    )
  },
)
