import { expect, it } from 'vitest'
import { encodeMetric } from './notes'
import { printedRecords } from './printed-records'

it('keeps what the job printed, byte for byte, and nothing that gpuq added', () => {
  const printed = ['stdout', 'stderr'].map((type) => `{"type":"${type}","t":"x","text":"žluť"}\n`)
  const result = '{"type":"result","t":"x","data":{"type":"metric",  "a": 1.0}}\n'
  const truncated = '{"type":"truncated","t":"x","limit_bytes":1,"dropped_bytes":2}\n'
  const exit = '{"type":"exit","t":"x","reason_text":"node-7: an admin drained it"}\n'
  const metric = encodeMetric([{ index: 3, load: 1, memory_used_mib: 5 }], new Date()).toString()
  const all = [metric, printed[0], exit, result, metric, printed[1], truncated, exit].join('')
  expect(printedRecords(Buffer.from(all)).toString()).toBe(
    [printed[0], result, printed[1], truncated].join(''),
  )
  expect(printedRecords(Buffer.from(metric))).toHaveLength(0)
})
