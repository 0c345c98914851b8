import type { Diagnosis } from '@/lib/contract/diagnosis/diagnosis'

/** The diagnosis of a job in an answer of the server. */
export const diagnosed: Diagnosis = {
  cause: 'host_out_of_memory',
  summary: 'The main memory of the job is full.',
  fault: 'limits',
  error: 'MemoryError',
  rank: null,
  node: null,
  place: { file: 'a.py', line: 3, function: 'load', code: 'rows = [0] * n', context: [] },
  evidence: ['MemoryError'],
  next_step: 'Set memory_gb to more than 2.',
  fix: { key: 'memory_gb', value: 4 },
}
