import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { NodeState, ResourceRequest } from '@/lib/scheduling/types'

/** A cluster and its requests, as in Alibaba's cluster-trace-gpu-v2023 ("openb"). */
export interface Trace {
  nodes: NodeState[]
  requests: ResourceRequest[]
}

export interface TraceFiles {
  nodes: string
  pods: string
}

/**
 * Finds the openb files under shared/data/openb in the checkout or its parent directory. Null if they are
 * missing.
 */
export function findOpenb(): TraceFiles | null {
  for (const around of ['.', '..']) {
    const folder = resolve(import.meta.dirname, '..', '..', '..', around, 'shared', 'data', 'openb')
    const files = {
      nodes: join(folder, 'openb_node_list_gpu_node.csv'),
      pods: join(folder, 'openb_pod_list_default.csv'),
    }
    if (existsSync(files.nodes) && existsSync(files.pods)) return files
  }
  return null
}

export function readTrace(files: TraceFiles): Trace {
  const nodes = readRows(files.nodes, ['sn', 'cpu_milli', 'memory_mib', 'gpu', 'model']).map(toNode)
  const columns = ['cpu_milli', 'memory_mib', 'num_gpu', 'gpu_milli', 'gpu_spec']
  return { nodes, requests: readRows(files.pods, columns).map(toRequest) }
}

function toNode([id = '', cpuMilli, memoryMib, count, model = '']: string[]): NodeState {
  return {
    id,
    blocked: null,
    pool: 'on-demand',
    cpuMilli: Number(cpuMilli),
    memoryMib: Number(memoryMib),
    usedCpuMilli: 0,
    usedMemoryMib: 0,
    gpus: Array.from({ length: Number(count) }, (_, index) => {
      return { id: `${id}/${index}`, index, model, memoryMib: 0, allocatedMilli: 0, blocked: null }
    }),
  }
}

function toRequest([cpuMilli, memoryMib, count, milli, spec = '']: string[]): ResourceRequest {
  return {
    gpuCount: Number(count),
    gpuMilli: Number(count) === 1 ? Number(milli) : 1000,
    gpuMemoryMib: null,
    cpuMilli: Number(cpuMilli),
    memoryMib: Number(memoryMib),
    allowedGpus: null,
    gpuModel: spec === '' ? null : spec,
    instances: 1,
    pool: 'on-demand',
  }
}

/** Reads named columns of a CSV file without quotes. */
function readRows(file: string, columns: readonly string[]): string[][] {
  const [head = '', ...lines] = readFileSync(file, 'utf8').trim().split(/\r?\n/)
  const names = head.split(',')
  const places = columns.map((column) => names.indexOf(column))
  const missing = columns.filter((_, i) => places[i] === -1)
  if (missing.length > 0) throw new Error(`${file} has no column ${missing.join(', ')}`)
  return lines.map((line) => {
    const cells = line.split(',')
    return places.map((place) => cells[place] ?? '')
  })
}
