import { kindOf } from '../contract/output/printed-output'

const lineFeed = 0x0a

/** The records of what a job printed, without those that gpuq added, such as the load of GPUs. Expects complete records. */
export function printedRecords(records: Buffer): Buffer {
  const kept: Buffer[] = []
  let start = 0
  while (start < records.length) {
    const end = records.indexOf(lineFeed, start) + 1 || records.length
    const record = records.subarray(start, end)
    if (kindOf(record) !== 'other') kept.push(record)
    start = end
  }
  return Buffer.concat(kept)
}
