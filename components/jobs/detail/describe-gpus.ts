import type { JobDetail } from '@/lib/contract/jobs'

export type DescribedGpu = Pick<JobDetail['gpus'][number], 'model' | 'simulated' | 'milli'>

/** A job's GPUs, grouped: "2 × NVIDIA A100", "0.5 of NVIDIA A100". */
export function describeGpus(gpus: readonly DescribedGpu[]): { text: string; simulated: boolean }[] {
  const groups = new Map<string, { text: string; simulated: boolean; count: number }>()
  for (const { model, simulated, milli } of gpus) {
    const text = milli === 1000 ? model : `${milli / 1000} of ${model}`
    const key = `${text}/${simulated}`
    const group = groups.get(key) ?? { text, simulated, count: 0 }
    groups.set(key, { ...group, count: group.count + 1 })
  }
  return [...groups.values()].map(({ text, simulated, count }) => ({
    text: count > 1 ? `${count} × ${text}` : text,
    simulated,
  }))
}
